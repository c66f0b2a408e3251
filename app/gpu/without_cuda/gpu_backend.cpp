#include "app/gpu/gpu_backend.h"
#include "kernels/gpu/without_cuda.h"

namespace conv {

BackendFactory gpu_backends() {
  return {.create = [](const BackendOptions&) -> Result<std::unique_ptr<Backend>> { return failure(without_cuda); }};
}

}  // namespace conv
