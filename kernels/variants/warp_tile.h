// Plans of the variants whose kernels hold a tile in the registers of a warp, those of kernels/api/warp_tile.h.
#pragma once
#include "kernels/core/plan.h"

struct WarpTileKernel {
  std::string_view name;  // of the variant, too
  std::string_view file;
  Size2 radius;
  int columns, lending;     // lane_columns, lending_lanes
  int rows;                 // of a warp, in an image that keeps the GPU busy
  int rows_of_small;        // in one that does not, if these are fewer
  std::vector<float> taps;  // immediate operands of its instructions
  double multiply_adds;     // for each channel of a pixel
  CpuTwins cpu;
};

LaunchPlan warp_tile_plan(const WarpTileKernel& kernel, Size2 image, const ConvSettings& settings,
                          const DeviceLimits& limits);
