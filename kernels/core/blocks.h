// Where the blocks of a step are in the source image.
#pragma once
#include <optional>

#include "kernels/core/plan.h"

namespace conv {

struct PixelRect {
  int left = 0, top = 0, width = 0, height = 0;
  bool contains(Point2 p) const { return p.x >= left && p.y >= top && p.x < left + width && p.y < top + height; }
  friend bool operator==(const PixelRect&, const PixelRect&) = default;
};

// The pixels a block writes, cut off at the image's edge, in source coordinates (also if the result is smaller).
PixelRect tile_of(const LaunchPlan& plan, const KernelStep& step, Point2 block);
// Tile and apron: what a block reads. Not cut off at the image's edge.
PixelRect staged_of(const LaunchPlan& plan, const KernelStep& step, Point2 block);
// The block that writes this pixel; none if the step does not write it.
std::optional<Point2> block_at(const LaunchPlan& plan, const KernelStep& step, Point2 pixel);

// Where a pixel of the image that the step reads lies in the source.
Point2 source_pixel_of(const LaunchPlan& plan, const KernelStep& step, Point2 pixel);

// The block in the middle of the grid: far from the image's edges, where it is large enough.
Point2 middle_block(const KernelStep& step);

// How often the blocks of a step load one source pixel, far from the image's edges.
struct LoadsPerPixel {
  int least = 1, most = 1;
  double mean = 1;
};
LoadsPerPixel loads_per_pixel(const KernelStep& step);

}  // namespace conv
