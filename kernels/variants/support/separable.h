// What the separable variants have in common.
#pragma once
#include "kernels/core/plan.h"

namespace conv {

// Refuses a filter that is no product of a row and a column, with its rank.
Result<void> require_separable(std::string_view variant, const Taps& taps);

}  // namespace conv
