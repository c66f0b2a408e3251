#include "kernels/variants/support/declared.h"

namespace conv {

KernelInstance declared_instance(std::string_view name, const ConvSettings& settings, PixelType from, PixelType to) {
  return {.file = declared_kernel_file,
          .exact = template_instance(name, from, settings.border, to),
          .general = template_instance(name, from, Border::any, to)};
}

namespace {

Result<LaunchPlan> plan_direct(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  return direct_plan(image, settings, declared_instance("convolve", settings, settings.format, settings.format));
}

Result<LaunchPlan> plan_tiled(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  LaunchPlan plan =
      direct_plan(image, settings, declared_instance("convolve", settings, settings.format, settings.format));
  auto& step = std::get<KernelStep>(plan.steps.front());
  step = tiled(std::move(step), plan.image, settings.taps->radius(), settings.format);
  return plan;
}

Result<LaunchPlan> plan_two_passes(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  const PixelType format = settings.format, scratch = scratch_type(format);
  const Size2 radius = settings.taps->radius();
  KernelStep rows, columns;
  rows.kernel = declared_instance("convolve_rows", settings, format, scratch);
  columns.kernel = declared_instance("convolve_columns", settings, scratch, format);
  rows.block = columns.block = settings.block;
  return two_pass_plan(
      image, settings, tiled(std::move(rows), row_pass_size(image, settings), {radius.width, 0}, format),
      tiled(std::move(columns), target_size(image, radius, settings.border), {0, radius.height}, scratch));
}

}  // namespace

std::span<const Variant> declared_plans() {
  static const Variant plans[] = {
      {.id = "direct", .title = "Direct", .group = VariantGroup::global_memory, .plan = plan_direct},
      {.id = "tiled", .title = "Tiled", .group = VariantGroup::shared_memory, .plan = plan_tiled},
      {.id = "two-pass",
       .title = "Two passes",
       .group = VariantGroup::separable,
       .needs_rank_1 = true,
       .plan = plan_two_passes},
  };
  return plans;
}

}  // namespace conv
