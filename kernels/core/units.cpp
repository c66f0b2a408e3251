#include "kernels/core/units.h"

#include <fmt/format.h>

#include <cmath>

namespace conv {

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 3; ++unit) bytes /= 1024;
  const int decimals = bytes == std::floor(bytes) ? 0 : bytes < 10 ? 2 : bytes < 100 ? 1 : 0;
  return fmt::format("{:.{}f} {}", bytes, decimals, units[unit]);
}

std::string needed_text(int bytes) {
  return bytes_text(std::ceil(bytes / 1024.0) * 1024);
}

}  // namespace conv
