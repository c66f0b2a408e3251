#include "kernels/core/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace conv {

std::string grouped(long long value) {
  std::string digits = std::to_string(value);
  for (int i = static_cast<int>(digits.size()) - 3; i > (value < 0 ? 1 : 0); i -= 3) digits.insert(i, "\u2009");
  return digits;
}

std::string three_digits(double value) {
  if (value == 0) return "0";
  const int before_point = static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
  if (before_point > 3) {
    const double step = std::pow(10, before_point - 3);
    return grouped(std::llround(std::round(value / step) * step));
  }
  return fmt::format("{:.{}f}", value, std::max(0, 3 - before_point));
}

}  // namespace conv
