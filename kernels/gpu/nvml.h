// NVIDIA's management library, which comes with the driver and is loaded at run time.
#pragma once

namespace conv {

// As NVML's reference declares them; 0 is success. Clocks are in MHz; `which` is nvml_sm_clock. length: of the text, in
// bytes, with its final 0.
struct Nvml {
  int (*init)() = nullptr;
  int (*count)(unsigned* devices) = nullptr;
  int (*by_index)(unsigned index, void** device) = nullptr;
  int (*by_bus)(const char* bus, void** device) = nullptr;
  int (*uuid)(void* device, char* text, unsigned length) = nullptr;
  int (*clock)(void* device, int which, unsigned* mhz) = nullptr;
  int (*highest_clock)(void* device, int which, unsigned* mhz) = nullptr;
  int (*reasons)(void* device, unsigned long long* reasons) = nullptr;
};

inline constexpr int nvml_sm_clock = 1;

// Loaded by the first call, which can take a second. Null if it is missing, lacks one of these functions, or finds no
// driver.
const Nvml* nvml();

}  // namespace conv
