#include "kernels/cpu/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <utility>

namespace conv_cpu {

static constexpr std::size_t alignment = 128;  // as the shared memory of a GPU

static std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

GuardedMemory::GuardedMemory(std::size_t bytes, std::size_t guard) : size_(bytes) {
  if (guard == 0 || sanitized) {
    data_ = static_cast<unsigned char*>(::operator new(bytes, std::align_val_t(alignment)));
    return;
  }
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t used = rounded_up(rounded_up(bytes, alignment), page), around = rounded_up(guard, page);
  mapped_bytes_ = used + 2 * around;
  void* mapped = ::mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  unsigned char* first = static_cast<unsigned char*>(mapped) + around;
  if (used > 0 && ::mprotect(first, used, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(mapped, mapped_bytes_);
    throw std::bad_alloc();
  }
  mapped_ = mapped;
  data_ = first + used - rounded_up(bytes, alignment);
}

GuardedMemory::~GuardedMemory() {
  if (mapped_)
    ::munmap(mapped_, mapped_bytes_);
  else if (data_)
    ::operator delete(data_, std::align_val_t(alignment));
}

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept
    : mapped_(std::exchange(other.mapped_, nullptr)),
      mapped_bytes_(other.mapped_bytes_),
      size_(std::exchange(other.size_, 0)),
      data_(std::exchange(other.data_, nullptr)) {}

GuardedMemory& GuardedMemory::operator=(GuardedMemory&& other) noexcept {
  std::swap(mapped_, other.mapped_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  std::swap(size_, other.size_);
  std::swap(data_, other.data_);
  return *this;
}

}  // namespace conv_cpu
