#define CONV_KERNEL_FILE "kernels/variants/tile_nested.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_tile_nested(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  LaunchPlan plan =
      direct_plan(image, settings,
                  instance_of(CONV_KERNEL_FILE, "tile_nested", settings, CONV_TWINS_OF(settings.format, tile_nested)));
  auto& step = std::get<KernelStep>(plan.steps.front());
  step = tiled(std::move(step), plan.image, settings.taps->radius(), settings.format);
  return plan;
}

CONV_DEFINE_VARIANT(tile_nested){
    .id = "tile_nested",
    .title = "Shared tile, nested loads",
    .idea =
        "Two nested loops load the same tile. They need no division, but most threads are idle in the last step of "
        "each row.",
    .group = VariantGroup::shared_memory,
    .plan = plan_tile_nested,
};

}  // namespace conv
