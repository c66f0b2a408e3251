#include "app/model/value_text.h"

#include <fmt/format.h>

namespace conv {

std::string value_text(double share, ValueUnit unit, bool whole) {
  const double value = share * info(unit).full_scale;
  if (unit == ValueUnit::one) return fmt::format("{:.4f}", value);
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

std::string difference_text(double share, ValueUnit unit) {
  return fmt::format("{:.3g}", share * info(unit).full_scale);
}

}  // namespace conv
