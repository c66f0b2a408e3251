#include "kernels/core/occupancy.h"
#include "kernels/core/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace conv {

namespace {

constexpr int register_step = 256, shared_step = 128, quarters = 4;

int rounded_up(int value, int step) {
  return ceil_div(value, step) * step;
}

}  // namespace

Occupancy occupancy_of(const KernelResources& kernel, const MultiprocessorLimits& limits) {
  const int threads = static_cast<int>(kernel.block.area()), warps = ceil_div(threads, limits.warp_size);
  const int of_warp = rounded_up(std::max(1, kernel.registers) * limits.warp_size, register_step);
  const int warps_by_registers = limits.registers / quarters / of_warp * quarters;
  const int shared = rounded_up(kernel.shared_bytes + limits.reserved_shared_bytes, shared_step);
  struct Limit {
    int blocks;
    std::string words;
  };
  const std::array limits_in_words{
      Limit{limits.threads / (warps * limits.warp_size),
            fmt::format("threads: {} of {} a block", threads, limits.threads)},
      Limit{warps_by_registers / warps, fmt::format("registers: {} per thread, {} per block of {}", kernel.registers,
                                                    of_warp * warps, limits.registers)},
      Limit{limits.shared_bytes / shared,
            fmt::format("shared memory: {} per block of {}", bytes_text(shared), bytes_text(limits.shared_bytes))},
      Limit{limits.blocks, fmt::format("blocks: at most {}", limits.blocks)},
  };
  const Limit& least = *std::min_element(limits_in_words.begin(), limits_in_words.end(),
                                         [](const Limit& a, const Limit& b) { return a.blocks < b.blocks; });
  return {.blocks = least.blocks,
          .warps = least.blocks * warps,
          .most_warps = limits.threads / limits.warp_size,
          .limiter = fmt::format("{}: {} block{} at once", least.words, least.blocks, least.blocks == 1 ? "" : "s")};
}

}  // namespace conv
