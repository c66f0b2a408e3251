#include "kernels/gpu/gpu_clock.h"

#include "kernels/gpu/nvml.h"

namespace conv {

std::string GpuClock::throttled() const {
  struct Reason {
    unsigned long long bit;
    const char* words;
  };
  // Idle (1), clocks set by the user (2) and the display's clock (256) are not throttling.
  constexpr Reason known[] = {{4, "power limit"}, {8, "hardware slowdown"}, {16, "power shared with other GPUs"},
                              {32, "too hot"},    {64, "too hot"},          {128, "power brake"}};
  for (const Reason& reason : known)
    if (reasons & reason.bit) return reason.words;
  return {};
}

std::optional<GpuClock> gpu_clock(const std::string& bus) {
  const Nvml* library = nvml();
  void* device = nullptr;
  if (!library || library->by_bus(bus.c_str(), &device) != 0) return std::nullopt;
  unsigned mhz = 0, highest = 0;
  GpuClock clock;
  if (library->clock(device, nvml_sm_clock, &mhz) != 0 || library->highest_clock(device, nvml_sm_clock, &highest) != 0)
    return std::nullopt;
  clock.sm_mhz = static_cast<int>(mhz);
  clock.highest_sm_mhz = static_cast<int>(highest);
  library->reasons(device, &clock.reasons);  // remains 0 if the GPU does not report it
  return clock;
}

}  // namespace conv
