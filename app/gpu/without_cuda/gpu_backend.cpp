#include "app/gpu/gpu_backend.h"
#include "kernels/gpu/without_cuda.h"

BackendFactory gpu_backends() {
  return {.create = [](const BackendOptions&) -> Result<std::unique_ptr<Backend>> { return failure(without_cuda); }};
}
