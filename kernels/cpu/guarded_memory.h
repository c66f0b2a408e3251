// Memory between pages that nobody may access: a kernel that leaves it is stopped before it damages anything.
#pragma once
#include <cstddef>

namespace conv_cpu {

class GuardedMemory {
 public:
  GuardedMemory() = default;
  // bytes: what may be accessed. They begin at a multiple of 128, and fewer than 128 bytes are between their end and
  // the pages behind them. guard: at least this many bytes before and behind cannot be accessed; 0: memory from the
  // heap, as always in the sanitized build, where AddressSanitizer watches every byte. Throws std::bad_alloc.
  GuardedMemory(std::size_t bytes, std::size_t guard);
  ~GuardedMemory();
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory& operator=(GuardedMemory&& other) noexcept;

  unsigned char* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0, size_ = 0;
  unsigned char* data_ = nullptr;
};

}  // namespace conv_cpu
