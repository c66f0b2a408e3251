#define CONV_KERNEL_FILE "kernels/variants/tile_column_threads.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_tile_column_threads(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  LaunchPlan plan = direct_plan(image, settings,
                                instance_of(CONV_KERNEL_FILE, "tile_column_threads", settings,
                                            CONV_TWINS_OF(settings.format, tile_column_threads)));
  auto& step = std::get<KernelStep>(plan.steps.front());
  const Size2 radius = settings.taps->radius(), tile = settings.block;
  step.block = {tile.width, tile.height + 2 * radius.height};
  step =
      tiled(std::move(step), plan.image, {.tile = tile, .apron = radius, .writers = tile, .staged = settings.format});
  return plan;
}

CONV_DEFINE_VARIANT(tile_column_threads){
    .id = "tile_column_threads",
    .title = "NVIDIA step 3: column of threads",
    .idea =
        "Each thread loads several pixels along x. Only the threads in the top and bottom apron are idle while the "
        "window is summed.",
    .group = VariantGroup::shared_memory,
    .plan = plan_tile_column_threads,
};

}  // namespace conv
