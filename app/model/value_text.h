// How values of pixels are written.
#pragma once
#include <string>

#include "app/model/settings.h"

namespace conv {

// A value, 1 at full scale: "118" for a whole number of levels, otherwise "117.46"; "0.4606".
std::string value_text(double share, ValueUnit unit, bool whole = false);
// A difference of values, to three digits: "0.0913", "3.58e-04".
std::string difference_text(double share, ValueUnit unit);

}  // namespace conv
