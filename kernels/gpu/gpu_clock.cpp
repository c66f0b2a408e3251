#include "kernels/gpu/gpu_clock.h"

#include "kernels/core/library_loader.h"

namespace conv {

namespace {

// As NVML's reference declares them; 0 is success.
struct Library {
  int (*init)() = nullptr;
  int (*by_bus)(const char* bus, void** device) = nullptr;
  int (*clock)(void* device, int which, unsigned* mhz) = nullptr;
  int (*highest_clock)(void* device, int which, unsigned* mhz) = nullptr;
  int (*reasons)(void* device, unsigned long long* reasons) = nullptr;
  bool usable = false;
};
constexpr int sm_clock = 1;

Library load() {
  Library library;
  LibraryLoader loader;
  loader.open("libnvidia-ml.so.1");
  loader.find("nvmlInit_v2", library.init);
  loader.find("nvmlDeviceGetHandleByPciBusId_v2", library.by_bus);
  loader.find("nvmlDeviceGetClockInfo", library.clock);
  loader.find("nvmlDeviceGetMaxClockInfo", library.highest_clock);
  loader.find("nvmlDeviceGetCurrentClocksThrottleReasons", library.reasons);
  library.usable = loader.missing().empty() && library.init() == 0;
  return library;
}

}  // namespace

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
  static const Library library = load();
  if (!library.usable) return std::nullopt;
  void* device = nullptr;
  if (library.by_bus(bus.c_str(), &device) != 0) return std::nullopt;
  unsigned mhz = 0, highest = 0;
  GpuClock clock;
  if (library.clock(device, sm_clock, &mhz) != 0 || library.highest_clock(device, sm_clock, &highest) != 0)
    return std::nullopt;
  clock.sm_mhz = static_cast<int>(mhz);
  clock.highest_sm_mhz = static_cast<int>(highest);
  library.reasons(device, &clock.reasons);  // remains 0 if the GPU does not report it
  return clock;
}

}  // namespace conv
