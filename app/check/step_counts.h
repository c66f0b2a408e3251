// What one kernel of a plan does, counted: the work of the whole image, and of one traced block what its warps do to
// memory and how many instructions they issue.
#pragma once
#include <optional>
#include <string>

#include "app/check/issued_instructions.h"
#include "kernels/core/cost.h"

namespace conv {

struct StepCounts {
  std::string title;
  Cost cost;
  long long blocks = 0;
  double waves = 0;              // of all multiprocessors; 0: unknown
  double writing_threads = 1;    // share of the threads that write a pixel
  bool through_texture = false;  // its reads of the image are not counted below
  // Of the middle block, by the rules of today's GPUs.
  int warps = 0;
  MemoryTotals totals;
  long long least_wavefronts = 0;  // of shared memory, if there were no bank conflicts
  long long sectors = 0;           // of global memory, each counted once: the L1 cache keeps them for the block
  std::optional<IssuedInstructions> issued;

  // Requests of shared memory, read and write together, and what they take.
  long long shared_requests() const { return totals.shared_read.requests + totals.shared_write.requests; }
  long long shared_wavefronts() const { return totals.shared_read.wavefronts + totals.shared_write.wavefronts; }
};

// Traces the middle block, which takes some milliseconds. code: the machine code of the step's kernel, with lines;
// null: no instructions are counted.
StepCounts counts_of(const LaunchPlan& plan, const KernelStep& step, const CompiledText* code);

}  // namespace conv
