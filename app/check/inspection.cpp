#include "app/check/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "kernels/variants/support/cpu_rows.h"

namespace conv {

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
  if (taps.row.empty()) return inspection;
  for (int y = 0; y < taps.size.height; ++y) {
    Inspection::RowSum& row = inspection.rows.emplace_back(Inspection::RowSum{.weight = taps.column[y]});
    for (int x = 0; x < taps.size.width; ++x)
      for (int c = 0; c < inspection.channels; ++c)
        row.sum[c] += taps.row[x] * inspection.taps[static_cast<std::size_t>(y) * taps.size.width + x].value[c];
  }
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
  if (maker->shared_bytes > 0 && !maker->ring) {
    const int rows = tile.height + 2 * maker->apron.height, columns = tile.width + 2 * maker->apron.width;
    const int row_bytes = (maker->shared_bytes - maker->second_stage_bytes) / rows, cell = row_bytes / columns;
    computer.bank = ((inside.y + maker->apron.height) * row_bytes + (inside.x + maker->apron.width) * cell) / 4 % 32;
  }
  const Size2 with_apron{tile.width + 2 * maker->apron.width, tile.height + 2 * maker->apron.height};
  if (block == tile)
    computer.thread = inside;
  else if (block == with_apron)  // one thread per load: the threads in the middle write
    computer.thread = {inside.x + maker->apron.width, inside.y + maker->apron.height};
  if (computer.thread) {
    const int linear = computer.thread->y * block.width + computer.thread->x;
    computer.warp = linear / warp_size;
    computer.lane = linear % warp_size;
  }
  return computer;
}

std::string formula(const Inspection& inspection, int channel, double in_unit) {
  std::string text;
  for (const InspectedTap& tap : inspection.taps)
    text += fmt::format("{}{:.9g} × {:.9g}", text.empty() ? "" : " + ", tap.weight, tap.value[channel] * in_unit);
  if (inspection.offset != 0) text += fmt::format(" + {:.9g}", inspection.offset * in_unit);
  return text + fmt::format(" = {:.9g}", inspection.exact[channel] * in_unit);
}

std::optional<long long> floats_between(float a, float b) {
  if (a == b) return 0;
  if (!std::isfinite(a) || !std::isfinite(b) || std::signbit(a) != std::signbit(b)) return std::nullopt;
  return std::llabs(static_cast<long long>(std::bit_cast<std::int32_t>(a)) - std::bit_cast<std::int32_t>(b));
}

}  // namespace conv
