#define CONV_KERNEL_FILE "kernels/variants/separable_texture.cu"
#include <fmt/format.h>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

// A step that reads a texture. Border rules that the hardware's address modes lack are computed before the fetch.
static KernelStep texture_step(std::string_view name, PixelType from, PixelType to, Border border, int radius,
                               Size2 block, CpuTwins cpu) {
  const auto instance = [&](Border rule, int fixed) {
    TemplateInstance kernel = template_instance(name, from, rule, to, {fixed});
    std::get<SourceArgument>(kernel.arguments.front()).through_texture = true;
    return kernel;
  };
  KernelStep step;
  step.kernel = {.file = CONV_KERNEL_FILE,
                 .exact = instance(border, radius),
                 .general = instance(Border::any, from_args),
                 .cpu = cpu};
  step.through_texture = true;
  step.block = block;
  return step;
}

static Result<LaunchPlan> plan_separable_texture(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  const PixelType format = settings.format, scratch = scratch_type(format);
  if (info(format).channels == 3 || is_planar(format))
    return failure(fmt::format(
        "separable_texture: a texture has 1 or 4 interleaved channels, which {} has not. Choose another format",
        info(format).title));
  const Size2 radius = settings.taps->radius();
  KernelStep rows = texture_step(
      "texture_rows", format, scratch, settings.border, radius.width, settings.block,
      for_pixel(format, []<class Pixel> {
        return CONV_TWINS(texture_rows<TextureView<Pixel, Border::any>, TargetView<ScratchOf<Pixel>>, from_args>);
      }));
  KernelStep columns = texture_step(
      "texture_columns", scratch, format, settings.border, radius.height, settings.block,
      for_pixel(format, []<class Pixel> {
        return CONV_TWINS(texture_columns<TextureView<ScratchOf<Pixel>, Border::any>, TargetView<Pixel>, from_args>);
      }));
  cover(rows, row_pass_size(image, settings));
  cover(columns, target_size(image, radius, settings.border));
  return two_pass_plan(image, settings, std::move(rows), std::move(columns));
}

CONV_DEFINE_VARIANT(separable_texture){
    .id = "separable_texture",
    .title = "Separable, texture fetches",
    .idea =
        "Without shared memory: the texture cache supplies the window. The paddings clamp, border, wrap and mirror "
        "cost nothing.",
    .group = VariantGroup::separable,
    .needs_rank_1 = true,
    .plan = plan_separable_texture,
};

}  // namespace conv
