// CUDA's error codes as errors with text that names the failed call.
#pragma once
#include <cuda_runtime_api.h>

#include "kernels/core/error.h"

namespace conv {

// Also clears the error, so that it does not appear again at an unrelated call.
Result<void> cuda_result(cudaError_t status, const char* call);

// If the call fails, returns its error from the enclosing function, which returns some Result.
#define CONV_TRY_CUDA(call) CONV_TRY(cuda_result((call), #call))

}  // namespace conv
