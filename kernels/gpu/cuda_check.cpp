#include "kernels/gpu/cuda_check.h"

#include <fmt/format.h>

namespace conv {

Result<void> cuda_result(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return {};
  cudaGetLastError();
  return failure(fmt::format("{} (error {}, {}) in {}", cudaGetErrorString(status), static_cast<int>(status),
                             cudaGetErrorName(status), call));
}

}  // namespace conv
