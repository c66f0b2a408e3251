// A recorded block with everything counted, so that a panel only has to draw it.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/warp_recording.h"

namespace conv {

// Which block of which step to record; the step belongs to the plan.
struct BlockQuestion {
  std::shared_ptr<const LaunchPlan> plan;
  const KernelStep* step = nullptr;
  Point2 block;
  friend bool operator==(const BlockQuestion&, const BlockQuestion&) = default;
};

// What the block does between barriers; intervals of the same kind are added up.
struct TracedPhase {
  std::string_view title;
  MemoryTotals totals;
};

struct TracedBlock {
  BlockQuestion question;
  WarpRecording recording;
  std::vector<int> first_requests;  // of each warp, and the number of all requests
  // By the rules of one generation of GPUs.
  struct Counts {
    std::vector<RequestTotals> requests;
    std::vector<RequestTotals> sites;  // of the whole block, for each of the recording's sites
    std::vector<TracedPhase> phases;
  };
  std::array<Counts, memory_rules.size()> counts;

  const Counts& by(Generation generation) const { return counts[static_cast<std::size_t>(generation)]; }
  int requests_of(int warp) const { return first_requests[warp + 1] - first_requests[warp]; }
};

// Records and counts. Takes some milliseconds, for large blocks and radii up to a second.
TracedBlock traced_block(const BlockQuestion& question);

// A row of the tile in shared memory: "5 | 16 | 5 = 26 pixels = 104 bytes". Without bytes if the step has no such tile.
std::string tile_row_text(const KernelStep& step);

// "load", "stage", "compute" or "compute and store": what threads do between two barriers, by what they access.
std::string_view phase_title(const MemoryTotals& totals);

// The first `count` requests of a warp, added up.
MemoryTotals totals_until(const TracedBlock& block, int warp, int count, Generation generation);

}  // namespace conv
