// All variants, in the order of teaching.
#pragma once
#include <span>
#include <string_view>

#include "kernels/core/variant.h"

namespace conv {

std::span<const Variant* const> variants();
// Null when there is no such variant.
const Variant* find_variant(std::string_view id);

}  // namespace conv
