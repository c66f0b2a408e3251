#include "app/headless/headless_gpu.h"
#include "kernels/gpu/without_cuda.h"

namespace conv {

Result<std::unique_ptr<HeadlessGpu>> open_headless_gpu(KernelSources&) {
  return failure(without_cuda);
}

}  // namespace conv
