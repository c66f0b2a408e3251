// The memory instructions of a block as JSON, for `trace` and `list`.
#pragma once
#include <nlohmann/json.hpp>

#include "kernels/cpu/warp_recording.h"

namespace conv {

// For each kind of access: requests, and their wavefronts, sectors or different words.
nlohmann::json json_of(const MemoryTotals& totals);

}  // namespace conv
