// How long kernels ran by CUPTI, which NVIDIA's profilers stand on. Loaded when it is asked for, from the CUDA Toolkit.
#pragma once
#include <functional>
#include <vector>

#include "kernels/core/error.h"

namespace conv {

// In ms, each kernel that `work` launched and waited for, in the order in which they began. The error: there is no
// CUPTI, it refuses, or the work's own.
Result<std::vector<float>> kernel_times(const std::function<Result<void>()>& work);

}  // namespace conv
