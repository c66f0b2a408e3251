// The one place where settings are checked: whatever came from outside, a session, the settings file, the command line
// or a control, is in range, finite and of a size that can be opened before anything is allocated or started.
#pragma once
#include "app/model/settings.h"

namespace conv {

// Brings every value into its range; what has no nearest valid value becomes the default. Applies auto_radius.
Corrections normalise(Settings& settings);
Corrections normalise(Preferences& preferences);
// The rule of auto_radius: radius = ceil(3 sigma), for filters that have a sigma.
void apply_auto_radius(Settings& settings);

}  // namespace conv
