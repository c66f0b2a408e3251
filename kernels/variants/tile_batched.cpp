#define CONV_KERNEL_FILE "kernels/variants/tile_batched.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_tile_batched(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  LaunchPlan plan = direct_plan(
      image, settings,
      instance_of(CONV_KERNEL_FILE, "tile_batched", settings, CONV_TWINS_OF(settings.format, tile_batched)));
  auto& step = std::get<KernelStep>(plan.steps.front());
  step.reads_beside_tile = 1;  // the centre pixel, for its alpha
  step.rounds = std::min(3, info(settings.format).channels);
  step = tiled(std::move(step), plan.image, settings.taps->radius(), PixelType::f32);
  return plan;
}

CONV_DEFINE_VARIANT(tile_batched){
    .id = "tile_batched",
    .title = "Shared tile, batches per channel",
    .idea =
        "One channel after the other uses one small tile of floats: less shared memory, three times as many barriers.",
    .group = VariantGroup::shared_memory,
    .plan = plan_tile_batched,
};

}  // namespace conv
