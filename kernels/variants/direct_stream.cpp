#define CONV_KERNEL_FILE "kernels/variants/direct_stream.cu"
#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"
#include "kernels/variants/row_stream.h"

namespace {

// Measured on an H200 at 7680x4320, floats and RGBA8: the fastest of 5 to 12 shapes for each radius. More rows a step
// are fewer instructions, until they do not fit the instruction cache.
RegisterShape shape_of(bool colour, int radius) {
  if (!colour)
    return radius <= 4 ? RegisterShape{4, 4, 16} : radius <= 7 ? RegisterShape{4, 2, 16} : RegisterShape{4, 1, 16};
  if (radius <= 3) return radius <= 1 ? RegisterShape{4, 4, 16} : RegisterShape{4, 2, 16};
  return radius <= 5 ? RegisterShape{2, 2, 32} : RegisterShape{2, 1, 16};
}

template <class Pixel, int results, int step_rows>
CpuTwins twins() {
  return CONV_TWINS(
      direct_stream<SourceView<Pixel, Border::any>, TargetView<Pixel>, from_args, from_args, results, step_rows>);
}
template <class Pixel>
CpuTwins twins_of(const RegisterShape& shape) {
  if (shape.results == 2) return shape.step_rows == 2 ? twins<Pixel, 2, 2>() : twins<Pixel, 2, 1>();
  if (shape.step_rows == 4) return twins<Pixel, 4, 4>();
  return shape.step_rows == 2 ? twins<Pixel, 4, 2>() : twins<Pixel, 4, 1>();
}

Result<LaunchPlan> plan_direct_stream(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  const Taps& taps = *settings.taps;
  const int largest = std::max(taps.radius().width, taps.radius().height);
  if (largest > cpu::direct_reach)
    return failure(
        fmt::format("direct_stream has an instruction for each tap of each result: radius {} needs more than a "
                    "multiprocessor keeps, {} is the largest. Use tile_unrolled",
                    largest, cpu::direct_reach));
  const RegisterShape shape = shape_of(streams_colours(settings.format), largest);
  const CpuTwins on_cpu = for_pixel(settings.format, [&]<class Pixel> { return twins_of<Pixel>(shape); });
  return row_stream_plan(register_kernel("direct_stream", CONV_KERNEL_FILE, shape, taps.radius(), taps.values, on_cpu,
                                         {cpu::stream_apron, cpu::stream_pitch, cpu::stream_ahead, cpu::stream_head}),
                         image, settings, limits);
}

}  // namespace

const Variant direct_stream_variant{
    .id = "direct_stream",
    .title = "Whole matrix, one pass in registers",
    .idea =
        "No row times a column is needed: a row, once loaded, is added to all the results whose window it is in, which "
        "wait in registers, with the taps inside the instructions.",
    .group = VariantGroup::shared_memory,
    .notice =
        "The plain way loads each pixel of the window anew for every result. Here a row is loaded once and meets "
        "all rows of the matrix while it is in registers, so that what is left are the multiply-adds: on an H200 "
        "an 11×11 matrix takes 2.8 copies of a 7680×4320 image, less than two passes of a separable one in the "
        "way of 2007, and 6 times less than unrolled tiles.",
    .max_radius = 8,
    .plan = plan_direct_stream,
};
