// The GPU's clock as the driver reports it, through NVML, which is loaded at run time.
#pragma once
#include <optional>
#include <string>

namespace conv {

struct GpuClock {
  int sm_mhz = 0, highest_sm_mhz = 0;
  unsigned long long reasons = 0;  // why it is not higher, as NVML numbers the reasons
  // Why the GPU is throttling (heat or power); empty if it is not.
  std::string throttled() const;
};
// bus: as in DeviceInfo. Nothing if NVML is missing or does not know the GPU. Takes about 0.1 ms.
std::optional<GpuClock> gpu_clock(const std::string& bus);

}  // namespace conv
