// How values from outside are brought into range, and how the user is told.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace conv {

// What was wrong, one sentence each: "sigma 0 is outside 0.1 to 20 px". Empty if nothing was changed.
using Corrections = std::vector<std::string>;

// Clamps to [low, high]; NaN and infinity become `otherwise`.
template <class Number>
void bring_into_range(Number& value, double low, double high, Number otherwise, std::string_view name,
                      std::string_view unit, Corrections& corrections) {
  const auto number = static_cast<double>(value);
  if (number >= low && number <= high) return;
  corrections.push_back(
      fmt::format("{} {} is outside {} to {}{}{}", name, value, low, high, unit.empty() ? "" : " ", unit));
  value = std::isfinite(number) ? static_cast<Number>(std::clamp(number, low, high)) : otherwise;
}

}  // namespace conv
