// Plans of the variants that hold a tile in the registers of a warp, with the kernels of kernels/api/warp_tile.h.
#pragma once
#include "kernels/core/plan.h"

namespace conv {

struct WarpTileKernel {
  std::string_view name;  // also the name of the variant
  std::string_view file;
  Size2 radius;
  int columns, width;       // lane_columns, tile_columns
  int rows;                 // per tile, in an image that keeps the GPU busy
  std::vector<float> taps;  // as immediate operands
  CpuTwins cpu;
};

Result<LaunchPlan> warp_tile_plan(const WarpTileKernel& kernel, Size2 image, const ConvSettings& settings,
                                  const DeviceLimits& limits);

}  // namespace conv
