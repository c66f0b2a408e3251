// Explains a measured time: what each part of the GPU needs at least for the counted work, and which part that makes
// the time what it is.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/check/step_counts.h"
#include "app/measure/bench_rows.h"

namespace conv {

// What a kernel may wait for. They work at the same time, so the slowest decides. Tail and launch come on top.
enum class Limit { memory, cache, wavefronts, instructions, tail, launch };
struct LimitInfo {
  Limit limit;
  std::string_view title, what;
};
// In the order of Limit.
inline constexpr std::array limits_of_speed{
    LimitInfo{Limit::memory, "memory", "Each byte of source and target once, at the rate of a large copy."},
    LimitInfo{Limit::cache, "L2 cache",
              "The sectors of 32 bytes that a block needs from global memory, each once, at the rate of a copy in the "
              "L2 cache."},
    LimitInfo{Limit::wavefronts, "shared memory and L1",
              "The wavefronts of shared memory, bank conflicts included, and of global memory at least one per request "
              "and one per 4 sectors, at the rate of the shared memory."},
    LimitInfo{Limit::instructions, "instructions",
              "All instructions that the warps issue, at the rate of the fastest one, the multiply-add. Counted from "
              "the machine code and a traced block."},
    LimitInfo{Limit::tail, "last wave",
              "The blocks of the last wave do not fill the GPU, but take as long as a full wave."},
    LimitInfo{Limit::launch, "launch", "The launch of each kernel."},
};

struct LimitTime {
  Limit limit;
  std::optional<double> ms;  // at least; nothing: not counted
  bool decides = false;      // in a step, the longest of those that work at the same time; tail and launch always do
};
struct StepExplanation {
  std::string title;
  std::vector<LimitTime> times;  // one per Limit
  double ms() const;             // the sum of those that decide
};

// What could make it faster: never more than `at_most_ms`, because other parts still take their time.
struct SpeedHint {
  std::string counted;  // "2.00 wavefronts per request of shared memory, 1.00 without bank conflicts"
  double at_most_ms = 0;
  std::string measured;  // "32×8 has 1.00 and takes 0.0722 ms: 2 % slower", or that nothing was measured
};

struct Explanation {
  std::vector<StepExplanation> steps;
  double measured_ms = 0, counted_ms = 0;  // counted: the sum over the steps
  bool explains = false;                   // they differ by at most a quarter of the measured time
  std::string verdict;                     // one sentence
  std::vector<SpeedHint> hints;            // the one that could gain most first; none below 2 % of the time
};

// The bytes that the kernels of a plan move, from the threads to memory. Counted in the middle block of each, times its
// blocks.
struct Traffic {
  double shared = 0;             // in wavefronts of 128 bytes
  double l1 = 0;                 // in sectors of 32 bytes, for each request of a warp those that it needs
  double l2 = 0;                 // the same, each sector once for a block
  double memory = 0;             // each byte of the source and of the target once
  bool through_texture = false;  // a kernel reads its source through a texture: that is in `memory` only
};
Traffic traffic_of(std::span<const StepCounts> steps);

// The same kernel with another block.
struct OtherBlock {
  Size2 block;
  double ms = 0;                      // measured
  double wavefronts_per_request = 0;  // of shared memory, in one traced block
};

// with_launch: the time is that of a launch that the GPU waited for, not of launches that follow each other.
Explanation explain(std::span<const StepCounts> steps, const Ceilings& ceilings, double measured_ms, bool with_launch,
                    std::span<const OtherBlock> others = {});

}  // namespace conv
