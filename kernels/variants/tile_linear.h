// Shared by the two variants of tile_linear.cu, which differ only in template arguments.
#pragma once
#include "kernels/core/variant.h"

namespace conv {

struct TileChoice {
  bool fixed_radius = false;  // compile radius and block into the kernel instead of reading them from the arguments
  bool constant_taps = true;  // in constant memory if they fit, otherwise in global memory
};
Result<LaunchPlan> plan_tile(TileChoice choice, Size2 image, const ConvSettings& settings, const DeviceLimits& limits);

}  // namespace conv
