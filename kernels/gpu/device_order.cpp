#include "kernels/gpu/device_order.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "kernels/gpu/nvml.h"

namespace conv {

// NVML can take a second to start, and far longer after a GPU has crashed. With one GPU nobody waits for it.
static bool has_several_gpus() {
  std::error_code error;
  const std::filesystem::directory_iterator gpus("/proc/driver/nvidia/gpus", error);
  return std::distance(begin(gpus), end(gpus)) > 1;
}

// Empty if NVML cannot tell the UUID of one of them: CUDA would not see that GPU any more.
static std::vector<std::string> all_gpus() {
  std::vector<std::string> uuids;
  const Nvml* library = nvml();
  unsigned count = 0;
  if (!library || library->count(&count) != 0) return uuids;
  for (unsigned i = 0; i < count; ++i) {
    void* device = nullptr;
    char uuid[96] = "";
    if (library->by_index(i, &device) != 0 || library->uuid(device, uuid, sizeof uuid) != 0) return {};
    uuids.emplace_back(uuid);
  }
  return uuids;
}

std::string order_with_first(const std::string& uuid, const std::vector<std::string>& all) {
  if (all.size() < 2 || std::ranges::find(all, uuid) == all.end()) return {};
  std::string order = uuid;
  for (const std::string& other : all)
    if (other != uuid) order += "," + other;
  return order;
}

void put_gpu_first(const std::string& uuid) {
  if (uuid.empty() || std::getenv("CUDA_VISIBLE_DEVICES") || !has_several_gpus()) return;
  if (const std::string order = order_with_first(uuid, all_gpus()); !order.empty())
    ::setenv("CUDA_VISIBLE_DEVICES", order.c_str(), 0);
}

}  // namespace conv
