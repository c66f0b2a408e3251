#include "kernels/variants/tile_linear.h"

const Variant tile_unrolled_variant{
    .id = "tile_unrolled",
    .title = "Shared tile, compile-time radius",
    .idea = "The same tile; the compiler knows the radius, unrolls the window and drops the loop's arithmetic.",
    .group = VariantGroup::shared_memory,
    .plan = [](Size2 image, const ConvSettings& settings,
               const DeviceLimits& limits) { return plan_tile("tile_unrolled", true, image, settings, limits); },
};
