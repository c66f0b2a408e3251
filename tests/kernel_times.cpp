#include "kernel_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "kernels/gpu/cuda_library.h"

namespace conv {

namespace {

// As CUPTI's reference declares them, in CUDA 12 and 13; 0 is success.
constexpr int concurrent_kernel = 10, flush_forced = 1;
constexpr std::size_t start_at = 16, end_at = 24;  // positions in a kernel's record, in ns

struct Cupti : CudaLibrary {
  int (*register_callbacks)(void (*request)(std::uint8_t**, std::size_t*, std::size_t*),
                            void (*complete)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t)) = nullptr;
  int (*enable)(int kind) = nullptr;
  int (*disable)(int kind) = nullptr;
  int (*flush)(std::uint32_t flag) = nullptr;
  int (*next)(std::uint8_t* buffer, std::size_t bytes, std::uint8_t** record) = nullptr;
  Cupti()
      : CudaLibrary("libcupti", {"libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                                 "/usr/local/cuda/lib64/libcupti.so"}) {
    find("cuptiActivityRegisterCallbacks", register_callbacks);
    find("cuptiActivityEnable", enable);
    find("cuptiActivityDisable", disable);
    find("cuptiActivityFlushAll", flush);
    find("cuptiActivityGetNextRecord", next);
  }
};

const Cupti& library() {
  static const Cupti loaded;
  return loaded;
}

std::vector<KernelTime> kernels_that_ran;  // CUPTI passes no context to its callbacks

void give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *bytes = 1 << 20;
  *most_records = 0;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *bytes));
}

void take_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  std::uint8_t* record = nullptr;
  while (valid > 0 && library().next(buffer, valid, &record) == 0) {
    std::int32_t kind = 0;
    std::memcpy(&kind, record, sizeof kind);
    if (kind != concurrent_kernel) continue;
    KernelTime& ran = kernels_that_ran.emplace_back();
    std::memcpy(&ran.start, record + start_at, sizeof ran.start);
    std::memcpy(&ran.end, record + end_at, sizeof ran.end);
  }
  std::free(buffer);
}

}  // namespace

Result<std::vector<KernelTime>> kernel_times(const std::function<Result<void>()>& work) {
  const Cupti& cupti = library();
  if (!cupti.error().empty()) return failure(cupti.error());
  kernels_that_ran.clear();
  int status = cupti.register_callbacks(give_buffer, take_buffer);
  if (status == 0) status = cupti.enable(concurrent_kernel);
  if (status != 0) return failure(fmt::format("CUPTI does not record kernels: its error {}", status));
  const Result<void> worked = work();
  cupti.flush(flush_forced);
  cupti.disable(concurrent_kernel);
  if (!worked) return tl::unexpected(worked.error());
  std::sort(kernels_that_ran.begin(), kernels_that_ran.end(),
            [](const KernelTime& a, const KernelTime& b) { return a.start < b.start; });
  return kernels_that_ran;
}

}  // namespace conv
