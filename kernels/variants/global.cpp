#define CONV_KERNEL_FILE "kernels/variants/global.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

static Result<LaunchPlan> plan_global(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  const PixelType format = settings.format;
  KernelInstance kernel{
      .file = CONV_KERNEL_FILE,
      .name = instance_name("global", format, settings.border, format),
      .general = instance_name("global", format, Border::any, format),
      .cpu = for_pixel(
          format, []<class Pixel> { return CONV_TWINS(global<SourceView<Pixel, Border::any>, TargetView<Pixel>>); }),
  };
  return within(limits, "global", direct_plan(image, settings, std::move(kernel)));
}

const Variant global_variant{
    .id = "global",
    .title = "Global memory",
    .idea = "Neighbouring threads read almost the same pixels, and each reads them again.",
    .group = VariantGroup::global_memory,
    .plan = plan_global,
};
