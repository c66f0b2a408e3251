// All variants, in teaching order.
#pragma once
#include <span>
#include <string_view>

#include "kernels/core/variant.h"

namespace conv {

std::span<const Variant* const> variants();
// Null if there is no such variant.
const Variant* find_variant(std::string_view id);

}  // namespace conv
