#include "kernels/gpu/nvml.h"

#include <optional>

#include "kernels/core/library_loader.h"

namespace conv {

static std::optional<Nvml> load() {
  Nvml library;
  LibraryLoader loader;
  loader.open("libnvidia-ml.so.1");
  loader.find("nvmlInit_v2", library.init);
  loader.find("nvmlDeviceGetCount_v2", library.count);
  loader.find("nvmlDeviceGetHandleByIndex_v2", library.by_index);
  loader.find("nvmlDeviceGetHandleByPciBusId_v2", library.by_bus);
  loader.find("nvmlDeviceGetUUID", library.uuid);
  loader.find("nvmlDeviceGetClockInfo", library.clock);
  loader.find("nvmlDeviceGetMaxClockInfo", library.highest_clock);
  loader.find("nvmlDeviceGetCurrentClocksThrottleReasons", library.reasons);
  if (!loader.missing().empty() || library.init() != 0) return std::nullopt;
  return library;
}

const Nvml* nvml() {
  static const std::optional<Nvml> library = load();
  return library ? &*library : nullptr;
}

}  // namespace conv
