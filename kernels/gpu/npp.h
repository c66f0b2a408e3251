// NVIDIA's NPP, loaded when it is first asked for: a peer to measure against.
#pragma once
#include <cuda_runtime_api.h>

#include "kernels/core/plan.h"

namespace conv {

// Why NPP cannot be used, in words for the user; empty when it can.
std::string why_no_npp();

// Queues the step; taps: the step's table on the device.
Result<void> run_npp(const NppStep& step, const LaunchPlan& plan, const PixelBuffer& from, const PixelBuffer& to,
                     const float* taps, cudaStream_t stream);

}  // namespace conv
