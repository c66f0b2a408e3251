// What the separable variants have in common.
#pragma once
#include <type_traits>

#include "kernels/core/plan.h"

template <class Pixel>
using ScratchOf = std::conditional_t<std::is_same_v<Pixel, float>, float, Rgba32f>;

// Refuses a filter that is no product of a row and a column, with its rank.
Result<void> require_separable(std::string_view variant, const Taps& taps);
