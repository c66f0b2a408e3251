#include "kernels/core/blocks.h"

#include <algorithm>

namespace conv {

namespace {

// The source pixel at pixel (0, 0) of what the step writes.
Point2 corner_of(const LaunchPlan& plan, const KernelStep& step) {
  if (step.reads.role == ImageRole::source) return step.origin;
  for (const Step& later : plan.steps)  // a strip with its own image, which a later step gathers
    if (const auto* copy = std::get_if<CopyStep>(&later); copy && copy->reads == step.writes && copy->rows)
      return {0, copy->rows->first - copy->from_row + (step.rows ? step.rows->first : 0)};
  const Size2 whole = plan.size_of(step.writes);
  const bool smaller = whole.width <= plan.source.width && whole.height <= plan.source.height;
  const Point2 corner = smaller ? corner_in_source(whole, plan.source) : Point2{};
  return {corner.x, corner.y + (step.rows ? step.rows->first : 0)};
}

// How many of the ranges [k tile - apron, (k + 1) tile + apron) contain x.
int ranges_over(int x, int tile, int apron) {
  int count = 0;
  for (int k = -apron / tile - 2; k <= apron / tile + 2; ++k)
    count += k * tile - apron <= x && x < (k + 1) * tile + apron;
  return count;
}

}  // namespace

PixelRect tile_of(const LaunchPlan& plan, const KernelStep& step, Point2 block) {
  const Size2 written = plan.written_by(step);
  const Point2 corner = corner_of(plan, step), from{block.x * step.tile.width, block.y * step.tile.height};
  return {corner.x + from.x, corner.y + from.y, std::min(step.tile.width, written.width - from.x),
          std::min(step.tile.height, written.height - from.y)};
}

PixelRect staged_of(const LaunchPlan& plan, const KernelStep& step, Point2 block) {
  const PixelRect tile = tile_of(plan, step, block);
  return {tile.left - step.apron.width, tile.top - step.apron.height, step.tile.width + 2 * step.apron.width,
          step.tile.height + 2 * step.apron.height};
}

std::optional<Point2> block_at(const LaunchPlan& plan, const KernelStep& step, Point2 pixel) {
  const Size2 written = plan.written_by(step);
  const Point2 corner = corner_of(plan, step), at{pixel.x - corner.x, pixel.y - corner.y};
  if (step.tile.area() < 1 || at.x < 0 || at.y < 0 || at.x >= written.width || at.y >= written.height)
    return std::nullopt;
  return Point2{at.x / step.tile.width, at.y / step.tile.height};
}

Point2 source_pixel_of(const LaunchPlan& plan, const KernelStep& step, Point2 pixel) {
  if (step.reads.role == ImageRole::source) return pixel;
  const Point2 corner = corner_of(plan, step);
  return {pixel.x - step.origin.x + corner.x, pixel.y - step.origin.y + corner.y};
}

Point2 middle_block(const KernelStep& step) {
  return {step.grid.width / 2, step.grid.height / 2};
}

LoadsPerPixel loads_per_pixel(const KernelStep& step) {
  const auto along = [](int tile, int apron) {
    LoadsPerPixel loads{.least = ranges_over(0, tile, apron), .most = 0, .mean = 1 + 2.0 * apron / tile};
    for (int x = 0; x < tile; ++x) {
      loads.least = std::min(loads.least, ranges_over(x, tile, apron));
      loads.most = std::max(loads.most, ranges_over(x, tile, apron));
    }
    return loads;
  };
  const LoadsPerPixel x = along(step.tile.width, step.apron.width), y = along(step.tile.height, step.apron.height);
  return {x.least * y.least, x.most * y.most, x.mean * y.mean};
}

}  // namespace conv
