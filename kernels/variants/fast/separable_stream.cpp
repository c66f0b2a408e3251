#define CONV_KERNEL_FILE "kernels/variants/fast/separable_stream.cu"
#include <algorithm>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"
#include "kernels/variants/fast/row_stream.h"

namespace conv {

namespace {

// Measured on an H200 at 7680x4320 with floats and RGBA8: the fastest of 10 to 20 shapes for each radius.
RegisterShape shape_of(bool colour, int radius) {
  if (!colour) return radius <= 12 ? RegisterShape{4, 4, 16} : RegisterShape{4, 4, 12};
  if (radius <= 3) return {4, 4, 16};
  if (radius <= 8) return radius <= 5 ? RegisterShape{4, 2, 12} : RegisterShape{4, 2, 16};
  return {2, 4, 16};
}

template <class Pixel, int results, int step_rows>
CpuTwins twins() {
  return CONV_TWINS(
      separable_stream<SourceView<Pixel, Border::any>, TargetView<Pixel>, from_args, from_args, results, step_rows>);
}
template <class Pixel>
CpuTwins twins_of(const RegisterShape& shape) {
  if (shape.results == 2) return twins<Pixel, 2, 4>();
  return shape.step_rows == 4 ? twins<Pixel, 4, 4>() : twins<Pixel, 4, 2>();
}

Result<LaunchPlan> plan_separable_stream(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  const Taps& taps = *settings.taps;
  const int largest = std::max(taps.radius().width, taps.radius().height);
  const RegisterShape shape = shape_of(streams_colours(settings.format), largest);
  const CpuTwins on_cpu = for_pixel(settings.format, [&]<class Pixel> { return twins_of<Pixel>(shape); });
  return row_stream_plan(
      register_kernel("separable_stream", CONV_KERNEL_FILE, shape, taps.radius(), row_and_column(taps), on_cpu,
                      {cpu::stream_apron, cpu::stream_pitch, cpu::stream_ahead, cpu::stream_head}),
      image, settings, limits);
}

}  // namespace

CONV_DEFINE_VARIANT(separable_stream){
    .id = "separable_stream",
    .title = "Separable, one pass in registers",
    .idea =
        "The image is read once and written once. Rows go through a ring buffer in shared memory, and 2R partial sums "
        "wait in registers.",
    .group = VariantGroup::separable,
    .notice =
        "Two passes move four images through memory; one pass moves two. A block goes down a strip, and its rows are "
        "prefetched three steps ahead. Each row is filtered along x once and added to the 2R + 1 results whose window "
        "contains it. The taps are constants in the instructions. On an H200 at 7680×4320 in f32, radius 1 takes 1.18 "
        "times a copy of the image and radius 8 1.31: memory is the limit. Radius 16 takes 1.95 times: 2R sums per "
        "result fill the registers, and 4R + 2 multiply-adds take longer than the memory.",
    .needs_rank_1 = true,
    .max_radius = cpu::separable_reach,
    .beyond_radius = "keeps 2R sums per pixel in registers",
    .instead = "separable_tiles",
    .plan = plan_separable_stream,
};

}  // namespace conv
