// Kernel times from CUPTI, which NVIDIA's profilers use. Loaded when needed, from the CUDA Toolkit.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/core/error.h"

namespace conv {

// When a kernel ran, in ns of one clock.
struct KernelTime {
  std::uint64_t start = 0, end = 0;
};
// One for each kernel that `work` launched and waited for, in the order of their starts. The error: there is no CUPTI,
// it refuses, or the work's own error.
Result<std::vector<KernelTime>> kernel_times(const std::function<Result<void>()>& work);

}  // namespace conv
