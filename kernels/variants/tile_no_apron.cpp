#define CONV_KERNEL_FILE "kernels/variants/tile_no_apron.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_tile_no_apron(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  LaunchPlan plan = direct_plan(
      image, settings,
      instance_of(CONV_KERNEL_FILE, "tile_no_apron", settings, CONV_TWINS_OF(settings.format, tile_no_apron)));
  auto& step = std::get<KernelStep>(plan.steps.front());
  step = tiled(std::move(step), plan.image, {0, 0}, settings.format);
  return plan;
}

CONV_DEFINE_VARIANT(tile_no_apron){
    .id = "tile_no_apron",
    .title = "NVIDIA step 1: tile, no apron",
    .idea = "A tile without an apron. Look for the wrong pixels along the edges of every block.",
    .group = VariantGroup::shared_memory,
    .exhibit = "wrong along the block edges, on purpose",
    .plan = plan_tile_no_apron,
};

}  // namespace conv
