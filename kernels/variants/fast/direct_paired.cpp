#define CONV_KERNEL_FILE "kernels/variants/fast/direct_paired.cu"
#include <algorithm>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"
#include "kernels/variants/fast/row_stream.h"

namespace conv {

namespace {

// Measured on an H100 and an H200 at 7680x4320 with floats, 8 bits and RGBA8: the fastest of 3 to 8 shapes for each
// radius, or within 3 % of it.
RegisterShape shape_of(bool colour, int radius) {
  if (colour) return {2, 4, radius > 5 ? 8 : 12};
  if (radius > 8) return {2, 8, radius > 12 ? 8 : 12};
  return radius > 5 ? RegisterShape{4, 8, 8} : RegisterShape{4, 4, 16};
}

template <class Pixel, int results, int step_rows>
CpuTwins twins() {
  return CONV_TWINS(
      direct_paired<SourceView<Pixel, Border::any>, TargetView<Pixel>, from_args, from_args, results, step_rows>);
}
template <class Pixel>
CpuTwins twins_of(const RegisterShape& shape) {
  if (shape.results == 2) return shape.step_rows == 8 ? twins<Pixel, 2, 8>() : twins<Pixel, 2, 4>();
  return shape.step_rows == 8 ? twins<Pixel, 4, 8>() : twins<Pixel, 4, 4>();
}

// Per pixel: the products, and the additions that make sums of pixels and whole results.
double multiply_adds_of(int results, Size2 radius) {
  const double products = (3 * radius.width + 2) * (3 * radius.height + 2) / 4.0;
  const double sums_of_two_rows = 3 * (results / 2 + radius.width - 1) + results + 2 * radius.width;
  return products + sums_of_two_rows / (2 * results) + 3;
}

Result<LaunchPlan> plan_direct_paired(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  const Taps& taps = *settings.taps;
  const int largest = std::max(taps.radius().width, taps.radius().height);
  const RegisterShape shape = shape_of(streams_colours(settings.format), largest);
  const CpuTwins on_cpu = for_pixel(settings.format, [&]<class Pixel> { return twins_of<Pixel>(shape); });
  Result<LaunchPlan> plan =
      row_stream_plan(register_kernel("direct_paired", CONV_KERNEL_FILE, shape, taps.radius(), taps.values, on_cpu,
                                      {cpu::stream_apron, cpu::stream_pitch, cpu::stream_ahead, cpu::stream_head}),
                      image, settings, limits);
  if (plan) std::get<KernelStep>(plan->steps.front()).multiply_adds = multiply_adds_of(shape.results, taps.radius());
  return plan;
}

}  // namespace

CONV_DEFINE_VARIANT(direct_paired){
    .id = "direct_paired",
    .title = "Whole matrix, shared products",
    .idea =
        "As direct_stream, with fewer multiplications. Adjacent results multiply the same pixels by adjacent taps, so "
        "they can share products.",
    .group = VariantGroup::shared_memory,
    .notice =
        "With three taps, two adjacent results are a·r0 + b·r1 + c·r2 and a·r1 + b·r2 + c·r3: six products. With "
        "s = b·(r1 + r2) they are s + a·r0 + (c − b)·r2 and s + (a − b)·r1 + c·r3: five products, because the "
        "differences of taps are constants. Two rows share in the same way, so an 11×11 matrix needs 72 "
        "multiplications per pixel instead of 121. On an H200 at 7680×4320 in f32, 11×11 takes 1.95 times a copy of "
        "the image, and 17×17 3.8 times; direct_stream takes 2.9 and 6.4 times. Up to 33×33 it is faster than the FFT "
        "at 3840×2160 and more. In small images and with colours the FFT is faster from 19×19 to 29×29 on, because "
        "there are too few blocks, or too few registers. Results near an infinite pixel can be NaN, because infinity "
        "minus infinity is not a number.",
    .same_bits_anywhere = false,
    .max_radius = cpu::paired_reach,
    .beyond_radius = "keeps unfinished sums in registers",
    .instead = "tile_unrolled",
    .plan = plan_direct_paired,
};

}  // namespace conv
