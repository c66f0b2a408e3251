#define CONV_KERNEL_FILE "kernels/variants/tile_thread_per_load.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_tile_thread_per_load(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  LaunchPlan plan = direct_plan(image, settings,
                                instance_of(CONV_KERNEL_FILE, "tile_thread_per_load", settings,
                                            CONV_TWINS_OF(settings.format, tile_thread_per_load)));
  auto& step = std::get<KernelStep>(plan.steps.front());
  const Size2 radius = settings.taps->radius(), tile = settings.block;
  step.block = {tile.width + 2 * radius.width, tile.height + 2 * radius.height};
  step =
      tiled(std::move(step), plan.image, {.tile = tile, .apron = radius, .writers = tile, .staged = settings.format});
  return plan;
}

CONV_DEFINE_VARIANT(tile_thread_per_load){
    .id = "tile_thread_per_load",
    .title = "NVIDIA step 2: thread per load",
    .idea = "Each thread loads one pixel. The threads of the apron are idle while the window is summed.",
    .group = VariantGroup::shared_memory,
    .plan = plan_tile_thread_per_load,
};

}  // namespace conv
