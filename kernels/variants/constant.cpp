#define CONV_KERNEL_FILE "kernels/variants/constant.cu"
#include <fmt/format.h>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

static Result<LaunchPlan> plan_constant(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  const PixelType format = settings.format;
  const int capacity = limits.max_constant_bytes / static_cast<int>(sizeof(float));
  if (const Size2 size = settings.taps->size; size.area() > capacity)
    return failure(fmt::format(
        "constant at {}x{} taps needs {} KB of constant memory; there are {} KB. Use radius 63 or less", size.width,
        size.height, ceil_div(static_cast<int>(size.area()) * 4, 1024), limits.max_constant_bytes / 1024));
  KernelInstance kernel{
      .file = CONV_KERNEL_FILE,
      .name = instance_name("constant", format, settings.border, format),
      .general = instance_name("constant", format, Border::any, format),
      .cpu = for_pixel(
          format, []<class Pixel> { return CONV_TWINS(constant<SourceView<Pixel, Border::any>, TargetView<Pixel>>); }),
      .constant_symbol = "gpu::constant_taps",
      .cpu_constant = cpu::constant_taps,
      .cpu_traced_constant = cpu_traced::constant_taps,
  };
  return within(limits, "constant", direct_plan(image, settings, std::move(kernel)));
}

const Variant constant_variant{
    .id = "constant",
    .title = "Constant memory taps",
    .idea = "All threads of a warp want the same tap at the same moment: constant memory broadcasts it.",
    .group = VariantGroup::global_memory,
    .max_radius = 63,
    .plan = plan_constant,
};
