#define CONV_KERNEL_FILE "kernels/variants/separable_stream.cu"
#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"
#include "kernels/variants/separable.h"

namespace {

// What the kernel is made for: the results of a thread, side by side, and the rows of a step. Sums live in registers:
// 2R for each result, three times as many where a pixel has colours.
struct StreamShape {
  int results, step_rows;
  int warps;  // that the work is parted into, for each multiprocessor; where more than fit at once, they come in turns
};
// Measured on an H200 at 7680x4320, floats and RGBA8: the fastest of 4 to 12 shapes for each radius. Two waves of short
// strips are better than one of long ones while the apron is small.
StreamShape shape_of(bool colour, int radius) {
  if (colour) return radius <= 5 ? StreamShape{2, 4, 32} : StreamShape{2, 2, 12};
  if (radius <= 5) return {4, 4, 40};
  if (radius <= 10) return {4, 4, 16};
  return radius <= 14 ? StreamShape{4, 4, 12} : StreamShape{4, 2, 12};
}

template <class Pixel, int results, int step_rows>
CpuTwins twins() {
  return CONV_TWINS(
      separable_stream<SourceView<Pixel, Border::any>, TargetView<Pixel>, from_args, from_args, results, step_rows>);
}
template <class Pixel>
CpuTwins twins_of(const StreamShape& shape) {
  constexpr bool colour = PixelTraits<Pixel>::channels > 1 && !requires {
    typename Pixels<Pixel>::Channel;
  };
  constexpr int results = colour ? 2 : 4;
  return shape.step_rows == 4 ? twins<Pixel, results, 4>() : twins<Pixel, results, 2>();
}

// As the compiler's option: every one an immediate operand.
std::string taps_option(const TapsTable& table) {
  std::string text;
  for (const float tap : table.values) text += fmt::format("{}{:a}f", text.empty() ? "-DCONV_TAPS=" : ",", tap);
  return text;
}

Result<LaunchPlan> plan_separable_stream(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  if (auto separable = require_separable("separable_stream", *settings.taps); !separable)
    return tl::unexpected(separable.error());
  const Taps& taps = *settings.taps;
  const PixelTypeInfo& format = info(settings.format);
  const Size2 radius = taps.radius();
  const int largest = std::max(radius.width, radius.height);
  if (largest > cpu::stream_reach)
    return failure(
        fmt::format("separable_stream keeps 2R sums of each pixel in registers: radius {} needs more than "
                    "there are, {} is the largest. Use separable_tiles",
                    largest, cpu::stream_reach));
  const bool planar = is_planar(settings.format), colour = format.channels > 1 && !planar;
  const StreamShape shape = shape_of(colour, largest);
  const auto instance = [&](Border border) {
    return instance_name("separable_stream", settings.format, border, settings.format,
                         {radius.width, radius.height, shape.results, shape.step_rows});
  };
  LaunchPlan plan =
      direct_plan(image, settings,
                  {.file = CONV_KERNEL_FILE,
                   .name = instance(settings.border),
                   .general = instance(Border::any),
                   .cpu = for_pixel(settings.format, [&]<class Pixel> { return twins_of<Pixel>(shape); })});
  auto& step = std::get<KernelStep>(plan.steps.front());
  TapsTable& table = plan.tables.front();
  table.values = taps.row;
  table.values.insert(table.values.end(), taps.column.begin(), taps.column.end());
  step.kernel.options = taps_option(table);

  // The ring holds whole chunks of 16 bytes where pixels make such up.
  const int pixel_bytes = planar ? format.bytes / format.channels : static_cast<int>(format.bytes);
  const int chunk = 16 % pixel_bytes == 0 ? 16 / pixel_bytes : 1;
  const int width = 32 * shape.results, apron = ceil_div(radius.width, chunk) * chunk, staged = width + 2 * apron;
  const bool keeps_alpha = colour && format.channels == 4;
  const int slots = cpu::stream_ahead + 1 + (keeps_alpha ? ceil_div(radius.height, shape.step_rows) : 0);
  step.rounds = planar ? 3 : 1;
  step.second_stage_bytes = (ceil_div(8 * slots * step.rounds, 16) + ceil_div(4 * staged, 16)) * 16;
  step.shared_bytes = step.second_stage_bytes + slots * shape.step_rows * staged * pixel_bytes;
  // All warps have the same to do. A strip is not so short that most of its rows are its neighbours'.
  const int strips = ceil_div(plan.image.width, width);
  const int segments = std::max(1, limits.multiprocessors * shape.warps / strips);
  const int least = std::max({16, 2 * radius.height, slots * shape.step_rows - 2 * radius.height});
  const int rows = std::max(ceil_div(plan.image.height, segments), least) + 2 * radius.height;
  const int height = ceil_div(rows, shape.step_rows) * shape.step_rows - 2 * radius.height;

  step.block = {32, 1};
  step.tile = {width, height};
  step.apron = {apron, radius.height};
  step.grid = {strips, ceil_div(plan.image.height, height)};
  step.results = height;
  step.reads_beside_tile = planar && format.channels == 4 ? 1 : 0;
  step.ring = true;
  // Small pixels are loaded four or two at a time.
  step.tile_loads =
      static_cast<double>(shape.results + 2 * apron) / shape.results * (pixel_bytes < 3 ? pixel_bytes / 4.0 : 1);
  step.threads.writing = static_cast<long long>(ceil_div(plan.image.width, shape.results)) * step.grid.height;
  step.threads.loading_only = step.grid.area() * step.block.area() - step.threads.writing;
  step.threads.idle = 0;
  return within(limits, "separable_stream", std::move(plan));
}

}  // namespace

const Variant separable_stream_variant{
    .id = "separable_stream",
    .title = "Separable, one pass in registers",
    .idea =
        "The image is read once and written once: rows stream through a ring of shared memory, and the sums of 2R rows "
        "wait in registers.",
    .group = VariantGroup::separable,
    .needs_rank_1 = true,
    .max_radius = 16,
    .plan = plan_separable_stream,
};
