// The candidates of the variant "auto".
#pragma once
#include "kernels/core/plan.h"

namespace conv {

// Correct variants only, the probably fastest first: in the order measured on an NVIDIA H200, or on the host.
std::vector<std::string_view> auto_candidates(Size2 image, const Taps& taps, PixelType format, bool on_gpu);

}  // namespace conv
