// The executor of a HeadlessGpu, for the code in app/gpu.
#pragma once
#include "app/headless/headless_gpu.h"
#include "kernels/gpu/gpu_executor.h"

namespace conv {

GpuExecutor& executor_of(HeadlessGpu& gpu);

}  // namespace conv
