#include "kernels/variants/tile_linear.h"

static constexpr std::string_view own_switches[] = {"fixed_size", "unroll", "accumulate"};

const Variant tile_unrolled_variant{
    .id = "tile_unrolled",
    .title = "Shared tile, compile-time radius",
    .idea = "The same tile; the compiler knows the radius, unrolls the window and drops the loop's arithmetic.",
    .group = VariantGroup::shared_memory,
    .switches = own_switches,
    .plan =
        [](Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
          return plan_tile("tile_unrolled", {.fixed_radius = true}, image, settings, limits);
        },
};
