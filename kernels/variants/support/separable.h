// Shared by the separable variants.
#pragma once
#include "kernels/core/plan.h"

namespace conv {

// Refuses a filter that is not the product of a column and a row; the error names its rank.
Result<void> require_separable(std::string_view variant, const Taps& taps);

}  // namespace conv
