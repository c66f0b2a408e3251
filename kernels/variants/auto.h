// Who can be chosen by the variant "auto".
#pragma once
#include "kernels/core/plan.h"

namespace conv {

// Right ones alone, the likely fastest first: by what was found on an NVIDIA H200, or on the host.
std::vector<std::string_view> auto_candidates(Size2 image, const Taps& taps, PixelType format, bool on_gpu);

}  // namespace conv
