// NVIDIA's NPP, loaded when it is first needed: a library to compare with.
#pragma once
#include <cuda_runtime_api.h>

#include "kernels/core/plan.h"

namespace conv {

// Why NPP cannot be used, as a text for the user; empty if it can.
std::string why_no_npp();

// Queues the step. taps: the step's table on the device.
Result<void> run_npp(const NppStep& step, const LaunchPlan& plan, const PixelBuffer& from, const PixelBuffer& to,
                     const float* taps, cudaStream_t stream);

}  // namespace conv
