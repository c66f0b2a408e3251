#define CONV_KERNEL_FILE "kernels/variants/tile_nine_squares.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_tile_nine_squares(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  LaunchPlan plan = direct_plan(
      image, settings,
      instance_of(CONV_KERNEL_FILE, "tile_nine_squares", settings, CONV_TWINS_OF(settings.format, tile_nine_squares)));
  auto& step = std::get<KernelStep>(plan.steps.front());
  step = tiled(std::move(step), plan.image, settings.taps->radius(), settings.format);
  return plan;
}

CONV_DEFINE_VARIANT(tile_nine_squares){
    .id = "tile_nine_squares",
    .title = "NVIDIA step 4: nine squares",
    .idea =
        "The block loads one third of the width and height per step. No thread is idle while summing; some are idle "
        "while loading.",
    .group = VariantGroup::shared_memory,
    .plan = plan_tile_nine_squares,
};

}  // namespace conv
