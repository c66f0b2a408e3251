// Checks everything that files and the command line bring: values are in range and finite, and sizes can be opened,
// before anything is allocated or started. Controls limit their own values while they are dragged; the radii of each
// filter are in kernels/core/filter.cpp.
#pragma once
#include "app/model/settings.h"

namespace conv {

constexpr int largest_window = 16384;  // px, each side

// Brings every value into its range; a value without a nearest valid one becomes the default. Applies auto_radius.
Corrections normalise(Settings& settings);
Corrections normalise(Preferences& preferences);
// The rule of auto_radius: radius = ceil(3 sigma), for filters that have a sigma.
void apply_auto_radius(Settings& settings);

}  // namespace conv
