#define CONV_KERNEL_FILE "kernels/variants/fast/box_running.cu"
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/core/units.h"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"
#include "kernels/variants/fast/row_stream.h"

namespace conv {

namespace {

// Measured on an H200 at 7680x4320, the fastest of 40 shapes at radius 3, 8, 16, 32: more blocks per multiprocessor
// gain more than a deeper prefetch, and more than windows that all fit the cache.
constexpr int threads = 128, blocks = 4;
int step_rows_of(bool colours) {
  return colours ? 2 : 4;
}

template <class Pixel>
CpuTwins twins_of(int step_rows) {
  return step_rows == 2 ? CONV_TWINS(box_running<SourceView<Pixel, Border::any>, TargetView<Pixel>, from_args, 2>)
                        : CONV_TWINS(box_running<SourceView<Pixel, Border::any>, TargetView<Pixel>, from_args, 4>);
}

Result<LaunchPlan> plan_box_running(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  const Taps& taps = *settings.taps;
  const PixelTypeInfo& format = info(settings.format);
  const Size2 radius = taps.radius();
  const bool colours = streams_colours(settings.format);
  const int planes = is_planar(settings.format) ? 3 : 1, summed = colours ? 3 : 1;
  const int pixel_bytes = streamed_bytes(settings.format), step_rows = step_rows_of(colours);
  const int apron = cpu::box_apron(radius.width, streamed_chunk(settings.format));
  const auto instance = [&](Border border) {
    return template_instance("box_running", settings.format, border, settings.format, {radius.width, step_rows});
  };
  LaunchPlan plan =
      direct_plan(image, settings,
                  {.file = CONV_KERNEL_FILE,
                   .exact = instance(settings.border),
                   .general = template_instance("box_running", settings.format, Border::any, settings.format,
                                                {from_args, step_rows}),
                   .cpu = for_pixel(settings.format, [&]<class Pixel> { return twins_of<Pixel>(step_rows); })});
  auto& step = std::get<KernelStep>(plan.steps.front());
  const int staged = threads * cpu::box_columns, slots = cpu::box_ahead + 1;
  const int width = staged - 2 * apron, window = taps.size.height;
  const int ring_bytes = cpu::stream_head(slots, planes, staged) + slots * step_rows * staged * pixel_bytes;
  step.shared_bytes = 2 * ring_bytes + cpu::BoxLines::bytes(step_rows * summed, threads);
  step.second_stage_bytes = ring_bytes;

  const int strips = ceil_div(plan.image.width, width);
  const int at_once = limits.multiprocessors * std::clamp(limits.max_shared_bytes / step.shared_bytes, 1, blocks);
  const int segments = std::max(1, at_once / strips);
  const int rows = std::max({ceil_div(plan.image.height, segments), 16, window}) + window - 1;
  const int height = ceil_div(rows, step_rows) * step_rows - (window - 1);

  step.block = {threads, 1};
  step.tile = {width, height};
  step.apron = {apron, radius.height};
  step.grid = {strips, ceil_div(plan.image.height, height)};
  step.results = height;
  step.rounds = planes;
  step.times_loaded = 2;  // when it enters the window, and when it leaves
  step.reads_beside_tile = format.channels == 4 ? 1 : 0;
  step.ring = true;
  step.tile_loads = (2 + (4 * cpu::box_columns + 3.0) / cpu::box_columns) * std::min(1.0, pixel_bytes / 4.0);
  // Two for the column. For four columns: 3 to add them, 2 for each doubling of a group, 14 to combine the windows.
  step.multiply_adds = 2 + (3 + 2 * std::log2(cpu::group_of(cpu::threads_between(radius.width))) + 14) / 4;
  step.threads.writing = static_cast<long long>(ceil_div(plan.image.width, cpu::box_columns)) * step.grid.height;
  step.threads.loading_only = step.grid.area() * step.block.area() - step.threads.writing;
  step.threads.idle = 0;
  if (step.shared_bytes > limits.max_shared_bytes)
    return failure(
        fmt::format("box_running needs {} of shared memory for the rows of its windows, but {} allows {}. Use "
                    "separable_tiles",
                    needed_text(step.shared_bytes), limits.name, bytes_text(limits.max_shared_bytes)));
  return plan;
}

}  // namespace

CONV_DEFINE_VARIANT(box_running){
    .id = "box_running",
    .title = "Box with running sums",
    .idea = "The window gains one row and loses one. A box of any size costs the same few additions per pixel.",
    .group = VariantGroup::separable,
    .notice =
        "Each column keeps the sum of its window. The newest row is added, and the oldest, which is read once more "
        "from the cache, is subtracted. In a float, a rounding error would stay after its value has left. Sums of "
        "floats therefore have twice the digits. Sums of integer levels are exact. Along x, a window is put together "
        "from sums of 4 to 64 neighbours, without a subtraction. On an H200 at 7680×4320 in f32, radius 1 takes 1.46 "
        "times a copy of the image. Radius 32 takes 2.3 times, because less of the window fits the cache. Radius 64 "
        "takes 3.1 times; two passes with all taps take 43 times. Up to radius 32 separable_tensor is still faster, "
        "although it multiplies: the limit is the time from one sum to the next, not the arithmetic.",
    .needs_equal_taps = true,
    .same_bits_anywhere = false,
    .instead = "separable_stream",
    .plan = plan_box_running,
};

}  // namespace conv
