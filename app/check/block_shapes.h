// What the shape of a block does to memory: one block of each preset, traced.
#pragma once
#include <array>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/model/settings.h"
#include "kernels/cpu/warp_recording.h"

namespace conv {

struct ShapesQuestion {
  std::array<std::optional<PlanInputs>, 2> lanes;  // A and B; nothing: not asked for
  Size2 image;
  std::shared_ptr<const Taps> taps;
  friend bool operator==(const ShapesQuestion&, const ShapesQuestion&) = default;
};

// One kernel of the plan that the variant makes for this block.
struct ShapeCost {
  Size2 block;            // as asked for; some variants launch another one
  std::string kernel;     // the title of its step; may be empty
  MemoryTotals totals;    // of its middle block, by the rules of today's GPUs
  long long written = 0;  // pixels that this block writes

  // Wavefronts of shared memory and sectors of global memory, read and written, taps included, per pixel that the block
  // writes.
  double wavefronts() const;
  double sectors() const;
};

struct BlockShapes {
  ShapesQuestion question;
  std::array<std::vector<ShapeCost>, 2> lanes;  // preset by preset; without those that the variant refuses
};

// Takes a tenth of a second to some seconds. Fails if it is stopped.
Result<BlockShapes> block_shapes(const ShapesQuestion& question, const std::stop_token& stop);

}  // namespace conv
