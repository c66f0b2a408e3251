// What the driver says of a GPU's clock, by NVML loaded at run time.
#pragma once
#include <optional>
#include <string>

namespace conv {

struct GpuClock {
  int sm_mhz = 0, highest_sm_mhz = 0;
  unsigned long long reasons = 0;  // why it is not higher, as NVML numbers them
  // Slower than it could be for heat or power: words; empty while it is not.
  std::string throttled() const;
};
// bus: as in DeviceInfo. Nothing where NVML is missing or does not know the GPU. Takes some 0.1 ms.
std::optional<GpuClock> gpu_clock(const std::string& bus);

}  // namespace conv
