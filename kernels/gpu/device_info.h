// What is known of the GPU, in words and numbers for the screen and as limits for plans.
#pragma once
#include <string>

#include "kernels/core/occupancy.h"
#include "kernels/core/plan.h"

namespace conv {

struct DeviceInfo {
  std::string name;
  long long memory_bytes = 0, cache_bytes = 0;  // cache: L2
  int driver_version = 0, runtime_version = 0;  // 13000 for 13.0
  std::string driver;                           // "580.159.03"; empty where it cannot be read
  std::string bus;                              // PCI bus id, by which NVML knows it
  double bandwidth_gb_per_s = 0;                // of its memory by clock and bus; 0: unknown
  DeviceLimits limits;
  MultiprocessorLimits multiprocessor;
};

// Device 0. The error is a sentence for the user: no driver, driver too old, no device.
Result<DeviceInfo> query_device();

}  // namespace conv
