#define CONV_KERNEL_FILE "kernels/variants/fast/direct_stream.cu"
#include <algorithm>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"
#include "kernels/variants/fast/row_stream.h"

namespace conv {

namespace {

// Measured on an H200 at 7680x4320 with floats and RGBA8: the fastest of 5 to 12 shapes for each radius. More rows per
// step need fewer instructions, until they exceed the instruction cache.
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
  const RegisterShape shape = shape_of(streams_colours(settings.format), largest);
  const CpuTwins on_cpu = for_pixel(settings.format, [&]<class Pixel> { return twins_of<Pixel>(shape); });
  return row_stream_plan(register_kernel("direct_stream", CONV_KERNEL_FILE, shape, taps.radius(), taps.values, on_cpu,
                                         {cpu::stream_apron, cpu::stream_pitch, cpu::stream_ahead, cpu::stream_head}),
                         image, settings, limits);
}

}  // namespace

CONV_DEFINE_VARIANT(direct_stream){
    .id = "direct_stream",
    .title = "Whole matrix, one pass in registers",
    .idea =
        "The filter need not be separable. Each row is loaded once and added to all results whose window contains it. "
        "The results wait in registers, and the taps are constants in the instructions.",
    .group = VariantGroup::shared_memory,
    .notice =
        "A plain kernel loads every pixel of the window again for each result. Here a row is loaded once and meets all "
        "rows of the matrix while it is in registers. Only the multiply-adds remain. On an H200 an 11×11 matrix takes "
        "2.8 times a copy of a 7680×4320 image. That is less than the two passes of the 2007 whitepaper take for a "
        "separable filter, and 6 times less than unrolled tiles.",
    .max_radius = cpu::direct_reach,
    .beyond_radius = "keeps one instruction per tap and result",
    .instead = "direct_paired",
    .plan = plan_direct_stream,
};

}  // namespace conv
