#define CONV_KERNEL_FILE "kernels/variants/fft.cu"
#include <fmt/format.h>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

namespace {

// The next length at which the library is fast with real numbers. cuFFT: an even number
// without prime factors above 7. Eigen on the CPU: a multiple of 4 without prime factors above 5.
int fast_length(int least, bool on_gpu) {
  const int step = on_gpu ? 2 : 4, largest_prime = on_gpu ? 7 : 5;
  for (int length = ceil_div(least, step) * step;; length += step) {
    int rest = length;
    for (int factor = 2; factor <= largest_prime; ++factor)
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return length;
  }
}

// One thread per place, in the block shape of the settings.
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

// Scratch images of the plan, in this order.
constexpr ImageRef padded{ImageRole::scratch, 0}, products{ImageRole::scratch, 1}, tap_image{ImageRole::scratch, 2},
    tap_spectrum{ImageRole::scratch, 3};

KernelStep taps_step(Size2 transform, const ConvSettings& settings) {
  const TemplateInstance kernel{"fft_taps", {TargetArgument{PixelType::f32}}};
  KernelStep step = step_over(transform, settings, "taps", kernel, kernel, CONV_TWINS(fft_taps<TargetView<float>>));
  step.reads = {ImageRole::source};
  step.writes = tap_image;
  return step;
}

KernelStep pad_step(Size2 transform, const ConvSettings& settings, const KernelStep& direct) {
  const PixelType format = settings.format;
  const Size2 radius = settings.taps->radius();
  KernelStep step =
      step_over(transform, settings, fmt::format("pad to {}x{}", transform.width, transform.height),
                template_instance("fft_pad", format, settings.border, PixelType::f32),
                template_instance("fft_pad", format, Border::any, PixelType::f32), for_pixel(format, []<class Pixel> {
                  return CONV_TWINS(fft_pad<SourceView<Pixel, Border::any>, TargetView<float>>);
                }));
  step.reads = {ImageRole::source};
  step.writes = padded;
  step.taps = 1;
  step.border = settings.border;
  step.outside = direct.outside;
  step.origin = {direct.origin.x - radius.width, direct.origin.y - radius.height};
  return step;
}

KernelStep multiply_step(Size2 numbers, const ConvSettings& settings) {
  const TemplateInstance kernel = template_instance("fft_multiply", PixelType::f32, Border::inside, PixelType::f32);
  KernelStep step = step_over(numbers, settings, "multiply", kernel, kernel,
                              CONV_TWINS(fft_multiply<SourceView<float, Border::inside>, TargetView<float>>));
  step.reads = step.writes = products;
  step.also_reads = tap_spectrum;
  step.taps = 1;
  return step;
}

KernelStep crop_step(Size2 image, const ConvSettings& settings, const KernelStep& direct) {
  const PixelType format = settings.format;
  const TemplateInstance kernel{"fft_crop",
                                {SourceArgument{.pixel = PixelType::f32, .border = Border::inside},
                                 SourceArgument{.pixel = format, .border = Border::inside}, TargetArgument{format}}};
  KernelStep step = step_over(
      image, settings, "crop", kernel, kernel, for_pixel(format, []<class Pixel> {
        return CONV_TWINS(
            fft_crop<SourceView<float, Border::inside>, SourceView<Pixel, Border::inside>, TargetView<Pixel>>);
      }));
  step.reads = padded;
  step.also_reads = {ImageRole::source};
  step.writes = {ImageRole::target};
  step.taps = 1;
  step.origin = direct.origin;
  step.offset = direct.offset;
  return step;
}

Result<LaunchPlan> plan_fft(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  const bool on_gpu = limits.compute_capability > 0;
  const Size2 radius = settings.taps->radius();
  const int planes = std::min(3, info(settings.format).channels);
  LaunchPlan plan = direct_plan(image, settings, {});
  const auto direct = std::get<KernelStep>(plan.steps.front());
  const Size2 transform{fast_length(plan.image.width + 2 * radius.width, on_gpu),
                        fast_length(plan.image.height + 2 * radius.height, on_gpu)};
  const Size2 spectrum{transform.width + 2, transform.height};
  const auto stacked = [](Size2 size, int n) { return Size2{size.width, size.height * n}; };
  plan.scratch = {{PixelType::f32, stacked(transform, planes)},
                  {PixelType::f32, stacked(spectrum, planes)},
                  {PixelType::f32, transform},
                  {PixelType::f32, spectrum}};
  plan.tables.push_back({.values = {}, .radius = radius});  // for steps that need only the radius
  plan.once = {taps_step(transform, settings),
               fft_step("spectrum of the taps", tap_image, tap_spectrum, true, transform, 1)};
  const std::string size = fmt::format("{}x{}", transform.width, transform.height);
  plan.steps = {pad_step(transform, settings, direct),
                fft_step("FFT " + size, padded, products, true, transform, planes),
                multiply_step({spectrum.width / 2, spectrum.height * planes}, settings),
                fft_step("inverse FFT " + size, products, padded, false, transform, planes),
                crop_step(plan.image, settings, direct)};
  return plan;
}

}  // namespace

CONV_DEFINE_VARIANT(fft){
    .id = "fft",
    .title = "FFT",
    .idea = "A convolution is a product of spectra. The cost does not grow with the radius, but the padding does.",
    .group = VariantGroup::other,
    .needs_fft = true,
    .tolerance = 2e-5f,
    .same_bits_anywhere = false,
    .plan = plan_fft,
};

}  // namespace conv
