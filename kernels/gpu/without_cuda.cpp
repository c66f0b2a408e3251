#include "kernels/gpu/gpu_executor.h"

Result<std::unique_ptr<GpuExecutor>> GpuExecutor::create() {
  return failure(
      "Built without CUDA: CPU executor only. Run app/run on a machine with an NVIDIA driver to rebuild with it.");
}
