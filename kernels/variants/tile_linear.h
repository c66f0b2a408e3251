// Shared by the two variants of tile_linear.cu, which differ by their template arguments alone.
#pragma once
#include "kernels/core/variant.h"

namespace conv {

struct TileChoice {
  bool fixed_radius = false;  // compile radius and block in, instead of reading them from the arguments
  bool constant_taps = true;  // in constant memory where they fit, else in global memory
};
Result<LaunchPlan> plan_tile(std::string_view id, TileChoice choice, Size2 image, const ConvSettings& settings,
                             const DeviceLimits& limits);

}  // namespace conv
