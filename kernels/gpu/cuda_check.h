// CUDA's error codes as values with words, naming the call that failed.
#pragma once
#include <cuda_runtime_api.h>

#include "kernels/core/error.h"

namespace conv {

// Also clears the error, so that it does not surface again at an unrelated call.
Result<void> cuda_result(cudaError_t status, const char* call);

// Returns from the enclosing function, which returns some Result, when the call fails.
#define CONV_TRY_CUDA(call) CONV_TRY(cuda_result((call), #call))

}  // namespace conv
