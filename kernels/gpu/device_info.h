// What is known about the GPU: text and numbers for the screen, and limits for plans.
#pragma once
#include <string>

#include "kernels/core/occupancy.h"
#include "kernels/core/plan.h"

namespace conv {

struct DeviceInfo {
  std::string name;
  long long memory_bytes = 0, cache_bytes = 0;  // cache: L2
  int driver_version = 0, runtime_version = 0;  // 13000 for 13.0
  std::string driver;                           // "580.159.03"; empty if unknown
  std::string bus;                              // PCI bus id, which NVML uses
  double bandwidth_gb_per_s = 0;                // of its memory, from clock and bus width; 0: unknown
  DeviceLimits limits;
  MultiprocessorLimits multiprocessor;
};

// Device 0. The error is a sentence for the user: no driver, driver too old, no device.
Result<DeviceInfo> query_device();

}  // namespace conv
