#define CONV_KERNEL_FILE "kernels/variants/mine/mine_direct.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_mine_direct(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  return direct_plan(
      image, settings,
      instance_of(CONV_KERNEL_FILE, "mine_direct", settings, CONV_TWINS_OF(settings.format, mine_direct)));
}

CONV_DEFINE_VARIANT(mine_direct){
    .id = "mine_direct",
    .title = "Yours: direct",
    .idea = "A kernel to change in Code, Edit. It begins with one thread per pixel that reads global memory.",
    .group = VariantGroup::mine,
    .plan = plan_mine_direct,
};

}  // namespace conv
