// Where the blocks of a step lie on the source's pixels.
#pragma once
#include <optional>

#include "kernels/core/plan.h"

namespace conv {

struct PixelRect {
  int left = 0, top = 0, width = 0, height = 0;
  bool contains(Point2 p) const { return p.x >= left && p.y >= top && p.x < left + width && p.y < top + height; }
  friend bool operator==(const PixelRect&, const PixelRect&) = default;
};

// The pixels a block writes, cut off where the image ends; in the source's coordinates also where a result is smaller.
PixelRect tile_of(const LaunchPlan& plan, const KernelStep& step, Point2 block);
// Tile and apron: what a block reads, whole also where the image ends.
PixelRect staged_of(const LaunchPlan& plan, const KernelStep& step, Point2 block);
// Nothing where the step writes no such pixel.
std::optional<Point2> block_at(const LaunchPlan& plan, const KernelStep& step, Point2 pixel);

// How often the blocks of a step load one pixel of the source, far from the rim.
struct LoadsPerPixel {
  int least = 1, most = 1;
  double mean = 1;
};
LoadsPerPixel loads_per_pixel(const KernelStep& step);

}  // namespace conv
