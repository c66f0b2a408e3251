// Plans of the variants whose kernels hold a tile in the registers of a warp, those of kernels/api/warp_tile.h.
#pragma once
#include "kernels/core/plan.h"

namespace conv {

struct WarpTileKernel {
  std::string_view name;  // of the variant, too
  std::string_view file;
  std::string_view instead;  // what takes larger radii
  Size2 radius;
  int reach;                // the largest radius there is an instance for
  int columns, width;       // lane_columns, tile_columns
  int rows;                 // of a tile, in an image that keeps the GPU busy
  std::vector<float> taps;  // immediate operands of its instructions
  CpuTwins cpu;
};

Result<LaunchPlan> warp_tile_plan(const WarpTileKernel& kernel, Size2 image, const ConvSettings& settings,
                                  const DeviceLimits& limits);

}  // namespace conv
