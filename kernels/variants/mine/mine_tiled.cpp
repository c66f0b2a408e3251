#define CONV_KERNEL_FILE "kernels/variants/mine/mine_tiled.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_mine_tiled(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  LaunchPlan plan =
      direct_plan(image, settings,
                  instance_of(CONV_KERNEL_FILE, "mine_tiled", settings, CONV_TWINS_OF(settings.format, mine_tiled)));
  auto& step = std::get<KernelStep>(plan.steps.front());
  step = tiled(std::move(step), plan.image, settings.taps->radius(), settings.format);
  return plan;
}

CONV_DEFINE_VARIANT(mine_tiled){
    .id = "mine_tiled",
    .title = "Yours: tiled",
    .idea = "A kernel to change in Code, Edit. It begins with a tile in shared memory.",
    .group = VariantGroup::mine,
    .plan = plan_mine_tiled,
};

}  // namespace conv
