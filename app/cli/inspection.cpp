#include "app/cli/inspection.h"

#include <algorithm>

#include "kernels/variants/cpu_rows.h"

Inspection inspect(const HostImage& source, const Taps& taps, Border border, float outside, Point2 pixel) {
  Inspection inspection{.pixel = pixel,
                        .type = source.type,
                        .window = taps.size,
                        .channels = std::min(3, info(source.type).channels),
                        .offset = static_cast<double>(taps.offset) * info(source.type).one};
  const Size2 radius = taps.radius();
  for (int i = 0; i < taps.size.area(); ++i) {
    InspectedTap tap{
        .at = {pixel.x + i % taps.size.width - radius.width, pixel.y + i / taps.size.width - radius.height},
        .weight = taps.values[i]};
    tap.source = {cpu_rows::source_index(tap.at.x, source.size.width, border),
                  cpu_rows::source_index(tap.at.y, source.size.height, border)};
    tap.padded = tap.at.x < 0 || tap.at.y < 0 || tap.at.x >= source.size.width || tap.at.y >= source.size.height;
    tap.value_only = tap.source.x < 0 || tap.source.y < 0;
    for (int c = 0; c < inspection.channels; ++c) {
      tap.value[c] = tap.value_only
                         ? outside
                         : source.channel(static_cast<std::size_t>(tap.source.y) * source.size.width + tap.source.x, c);
      inspection.exact[c] += tap.weight * tap.value[c];
    }
    inspection.taps.push_back(tap);
  }
  for (int c = 0; c < inspection.channels; ++c) inspection.exact[c] += inspection.offset;
  return inspection;
}

std::optional<Computer> computer_of(const LaunchPlan& plan, Point2 result_pixel, int warp_size) {
  const KernelStep* maker = nullptr;
  Point2 pixel = result_pixel;
  for (const Step& step : plan.steps) {
    const auto* kernel = std::get_if<KernelStep>(&step);
    if (!kernel || kernel->writes.role != ImageRole::target) continue;
    const RowRange rows = kernel->rows.value_or(RowRange{0, plan.image.height});
    if (result_pixel.y < rows.first || result_pixel.y >= rows.end()) continue;
    maker = kernel;
    pixel.y = result_pixel.y - rows.first;
  }
  if (!maker || maker->tile.area() < 1) return std::nullopt;
  const Size2 tile = maker->tile, block = maker->block;
  Computer computer{.block = {pixel.x / tile.width, pixel.y / tile.height}};
  const Point2 inside{pixel.x % tile.width, pixel.y % tile.height};
  const Size2 with_apron{tile.width + 2 * maker->apron.width, tile.height + 2 * maker->apron.height};
  if (block == tile)
    computer.thread = inside;
  else if (block == with_apron)  // a thread for every load: those in the middle write
    computer.thread = {inside.x + maker->apron.width, inside.y + maker->apron.height};
  if (computer.thread) {
    const int linear = computer.thread->y * block.width + computer.thread->x;
    computer.warp = linear / warp_size;
    computer.lane = linear % warp_size;
  }
  return computer;
}
