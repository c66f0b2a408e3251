// Shared by the programs that drive the real window: the benchmark and the GPU tests.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "app/shell/app.h"

namespace conv {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point start);

// Memory of the whole GPU that is in use; 0 without a GPU.
long long device_bytes();

struct WindowChoice {
  std::optional<Size2> window_size = {};
  DeviceChoice device = DeviceChoice::automatic;
  bool interop = true;
  int restart_state = -1;  // as Options::restart_state
};

// Noise of 1920x1080 in a window without VSync; remembers nothing. Ends the program if there is no display or device.
std::unique_ptr<App> make_window(const WindowChoice& choice = {});

// Runs frames until the picture shows the chosen settings by the exact kernel, at most a minute.
void settle(App& app);

// Compares the picture in lane A's texture with the host variant, for the radius in its label. Tolerances: 2e-5, one
// level, or 1.5e-3 for half floats. Returns an error text, or nothing.
std::string mismatch(App& app);

}  // namespace conv
