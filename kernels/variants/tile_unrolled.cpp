// The kernel and the plan are those of tile_linear.
#include "kernels/variants/tile_linear.h"

namespace conv {

static constexpr std::string_view own_switches[] = {"fixed_size", "unroll", "accumulate"};

CONV_DEFINE_VARIANT(tile_unrolled){
    .id = "tile_unrolled",
    .title = "Shared tile, compile-time radius",
    .idea =
        "The same tile, but the compiler knows the radius. It unrolls the loop over the window and removes its index "
        "arithmetic.",
    .group = VariantGroup::shared_memory,
    .switches = own_switches,
    .plan = [](Size2 image, const ConvSettings& settings,
               const DeviceLimits& limits) { return plan_tile({.fixed_radius = true}, image, settings, limits); },
};

}  // namespace conv
