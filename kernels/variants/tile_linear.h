// Shared by the two variants of tile_linear.cu, which differ by their template arguments alone.
#pragma once
#include "kernels/core/variant.h"

// fixed_radius: compile radius and block in, instead of reading it from the arguments.
Result<LaunchPlan> plan_tile(std::string_view id, bool fixed_radius, Size2 image, const ConvSettings& settings,
                             const DeviceLimits& limits);
