// Whether a picture of some size can be opened.
#pragma once
#include <string>

#include "kernels/core/error.h"
#include "kernels/core/geometry.h"

namespace conv {

// The largest number of pixels of a picture.
inline constexpr long long max_pixels = 268'435'456;

// percent: the scale at which it would be opened, in percent of each side. Fails above max_pixels, or with too little
// free memory; the error offers a scale that fits, if there is one.
Result<void> check_size(const std::string& name, Size2 size, int percent = 100);
// The largest smaller scale at which a picture fits that does not fit as it is: 50 or 25. 0: it fits, or none does.
int smaller_percent_that_fits(Size2 size);

}  // namespace conv
