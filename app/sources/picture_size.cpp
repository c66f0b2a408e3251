#include "app/sources/picture_size.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "kernels/core/units.h"

namespace conv {

namespace {

// Bytes of physical memory that are free or can be freed.
long long free_memory() {
  std::ifstream in("/proc/meminfo");
  std::string line;
  while (std::getline(in, line))
    if (line.starts_with("MemAvailable:")) return std::atoll(line.c_str() + 13) * 1024;
  return static_cast<long long>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

// Bytes per pixel of a decoded picture, including its float version and a lane's source and result.
constexpr int working_bytes_per_pixel = 48;

// Bytes needed for this scale, including the decoded file.
double bytes_needed(Size2 size, int percent) {
  const double pixels = static_cast<double>(size.area()), side = percent / 100.0;
  return pixels * side * side * working_bytes_per_pixel + (percent < 100 ? pixels * 4 : 0);
}

bool fits(Size2 size, int percent, double available) {
  const double side = percent / 100.0;
  return static_cast<double>(size.area()) * side * side <= static_cast<double>(max_pixels) &&
         bytes_needed(size, percent) <= available;
}

int largest_percent_below(Size2 size, int percent, double available) {
  for (const int smaller : {50, 25})
    if (smaller < percent && fits(size, smaller, available)) return smaller;
  return 0;
}

}  // namespace

Result<void> check_size(const std::string& name, Size2 size, int percent) {
  const auto available = static_cast<double>(free_memory());
  if (fits(size, percent, available)) return {};
  const int smaller = largest_percent_below(size, percent, available);
  const std::string advice = smaller > 0 ? fmt::format("Load at {} %?", smaller) : "Scale it down first";
  const double need = bytes_needed(size, percent);
  if (need > available)
    return failure(fmt::format("{}: {}x{} needs {}, {} free. {}", name, size.width, size.height, bytes_text(need),
                               bytes_text(available), advice));
  return failure(fmt::format("{}: {}x{} is {} Mpx, more than {}. {}", name, size.width, size.height,
                             size.area() / 1'000'000, max_pixels / 1'000'000, advice));
}

int smaller_percent_that_fits(Size2 size) {
  const auto available = static_cast<double>(free_memory());
  return fits(size, 100, available) ? 0 : largest_percent_below(size, 100, available);
}

}  // namespace conv
