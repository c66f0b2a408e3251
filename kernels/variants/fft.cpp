#define CONV_KERNEL_FILE "kernels/variants/fft.cu"
#include <fmt/format.h>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

namespace {

// The next length that cuFFT is fast at: a product of 2, 3, 5 and 7. Even, as real transforms like it.
int fast_length(int least) {
  for (int length = least + least % 2;; length += 2) {
    int rest = length;
    for (const int prime : {2, 3, 5, 7})
      while (rest % prime == 0) rest /= prime;
    if (rest == 1) return length;
  }
}

// A thread for each of so many places, in the block on the sliders.
KernelStep step_over(Size2 places, const ConvSettings& settings, std::string title, TemplateInstance instance,
                     TemplateInstance general, CpuTwins cpu) {
  KernelStep step;
  step.title = std::move(title);
  step.kernel = {.file = CONV_KERNEL_FILE, .exact = std::move(instance), .general = std::move(general), .cpu = cpu};
  step.block = settings.block;
  cover(step, places);
  return step;
}

FftStep fft_step(std::string title, ImageRef from, ImageRef to, bool forward, Size2 transform, int planes) {
  FftStep step;
  step.title = std::move(title);
  step.reads = from;
  step.writes = to;
  step.forward = forward;
  step.transform = transform;
  step.planes = planes;
  return step;
}

Result<LaunchPlan> plan_fft(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  if (!limits.no_fft.empty()) return failure(fmt::format("fft: {}", limits.no_fft));
  const PixelType format = settings.format;
  const Size2 radius = settings.taps->radius();
  const int planes = std::min(3, info(format).channels);
  LaunchPlan plan = direct_plan(image, settings, {});
  const auto direct = std::get<KernelStep>(plan.steps.front());
  const Size2 transform{fast_length(plan.image.width + 2 * radius.width),
                        fast_length(plan.image.height + 2 * radius.height)};
  const Size2 spectrum{transform.width + 2, transform.height};
  const auto stacked = [](Size2 size, int n) { return Size2{size.width, size.height * n}; };
  constexpr ImageRef padded{ImageRole::scratch, 0}, products{ImageRole::scratch, 1}, tap_image{ImageRole::scratch, 2},
      tap_spectrum{ImageRole::scratch, 3};
  plan.scratch = {{PixelType::f32, stacked(transform, planes)},
                  {PixelType::f32, stacked(spectrum, planes)},
                  {PixelType::f32, transform},
                  {PixelType::f32, spectrum}};
  plan.tables.push_back({.values = {}, .radius = radius});  // of steps that need the radius alone
  const std::string text = fmt::format("{}x{}", transform.width, transform.height);

  const TemplateInstance taps_kernel{"fft_taps", {TargetArgument{PixelType::f32}}};
  KernelStep taps =
      step_over(transform, settings, "taps", taps_kernel, taps_kernel, CONV_TWINS(fft_taps<TargetView<float>>));
  taps.reads = {ImageRole::source};
  taps.writes = tap_image;
  plan.once = {std::move(taps), fft_step("spectrum of the taps", tap_image, tap_spectrum, true, transform, 1)};

  KernelStep pad = step_over(
      transform, settings, "pad to " + text, template_instance("fft_pad", format, settings.border, PixelType::f32),
      template_instance("fft_pad", format, Border::any, PixelType::f32), for_pixel(format, []<class Pixel> {
        return CONV_TWINS(fft_pad<SourceView<Pixel, Border::any>, TargetView<float>>);
      }));
  pad.reads = {ImageRole::source};
  pad.writes = padded;
  pad.taps = 1;
  pad.border = settings.border;
  pad.outside = direct.outside;
  pad.origin = {direct.origin.x - radius.width, direct.origin.y - radius.height};

  const TemplateInstance multiply_kernel =
      template_instance("fft_multiply", PixelType::f32, Border::inside, PixelType::f32);
  KernelStep multiply =
      step_over({spectrum.width / 2, spectrum.height * planes}, settings, "multiply", multiply_kernel, multiply_kernel,
                CONV_TWINS(fft_multiply<SourceView<float, Border::inside>, TargetView<float>>));
  multiply.reads = multiply.writes = products;
  multiply.also_reads = tap_spectrum;
  multiply.taps = 1;

  const TemplateInstance crop_kernel{
      "fft_crop",
      {SourceArgument{.pixel = PixelType::f32, .border = Border::inside},
       SourceArgument{.pixel = format, .border = Border::inside}, TargetArgument{format}}};
  KernelStep crop = step_over(
      plan.image, settings, "crop", crop_kernel, crop_kernel, for_pixel(format, []<class Pixel> {
        return CONV_TWINS(
            fft_crop<SourceView<float, Border::inside>, SourceView<Pixel, Border::inside>, TargetView<Pixel>>);
      }));
  crop.reads = padded;
  crop.also_reads = {ImageRole::source};
  crop.writes = {ImageRole::target};
  crop.taps = 1;
  crop.origin = direct.origin;
  crop.offset = direct.offset;

  plan.steps = {std::move(pad), fft_step("FFT " + text, padded, products, true, transform, planes), std::move(multiply),
                fft_step("inverse FFT " + text, products, padded, false, transform, planes), std::move(crop)};
  return within(limits, "fft", std::move(plan));
}

}  // namespace

CONV_DEFINE_VARIANT(fft){
    .id = "fft",
    .title = "FFT (cuFFT)",
    .idea = "A convolution is a product of spectra. The cost does not grow with the radius, but the padding does.",
    .group = VariantGroup::other,
    .needs_fft = true,
    .tolerance = 2e-5f,
    .same_bits_anywhere = false,
    .plan = plan_fft,
};

}  // namespace conv
