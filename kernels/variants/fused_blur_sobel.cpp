#define CONV_KERNEL_FILE "kernels/variants/fused_blur_sobel.cu"
#include <fmt/format.h>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_fused_blur_sobel(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  const Taps& taps = *settings.taps;
  if (taps.chain.empty())
    return failure("fused_blur_sobel runs only the filter \"edges\". Choose that filter or another variant");
  if (settings.border == Border::wrap || settings.border == Border::blog_mirror || settings.border == Border::valid)
    return failure(
        fmt::format("fused_blur_sobel: a block only has the blurred pixels around it, but {} padding needs others. Use "
                    "zero, constant, replicate, mirror or symmetric",
                    settings.border == Border::wrap    ? "wrap"
                    : settings.border == Border::valid ? "valid"
                                                       : "blog_mirror"));
  LaunchPlan plan = direct_plan(
      image, settings,
      instance_of(CONV_KERNEL_FILE, "fused_blur_sobel", settings, CONV_TWINS_OF(settings.format, fused_blur_sobel)));
  auto& step = std::get<KernelStep>(plan.steps.front());
  const Size2 apron{taps.radius().width + 1, taps.radius().height + 1};
  step = tiled(std::move(step), plan.image, apron, settings.format);
  const int blurred_bytes = info(settings.format).channels == 1 ? 4 : 12;
  step.second_stage_bytes = (step.block.width + 2) * (step.block.height + 2) * blurred_bytes;
  step.shared_bytes = ceil_div(step.shared_bytes, 16) * 16 + step.second_stage_bytes;
  return plan;
}

CONV_DEFINE_VARIANT(fused_blur_sobel){
    .id = "fused_blur_sobel",
    .title = "Fused blur and Sobel",
    .idea =
        "One launch instead of four. No intermediate image goes through global memory, but pixels at the tile edges "
        "are blurred more than once.",
    .group = VariantGroup::other,
    .fuses_edges = true,
    .max_radius = 8,
    .beyond_radius = "keeps the blurred pixels around a block in shared memory",
    .instead = "another variant",
    .plan = plan_fused_blur_sobel,
};

}  // namespace conv
