// How often the pixels of the picture are read from global memory, recorded from the running kernel.
#pragma once
#include <array>
#include <memory>
#include <stop_token>
#include <vector>

#include "app/check/traced_block.h"
#include "app/model/settings.h"
#include "kernels/core/blocks.h"

namespace conv {

// A block and those around it, because neighbours read some of the same pixels. Counts are of all of them together,
// without taps. What a texture unit reads counts as if it were read from global memory.
struct MemoryHeat {
  BlockQuestion question;
  int blocks = 0;        // recorded: 9, fewer at the edge of the grid
  bool complete = true;  // false: a block makes more requests than WarpRecording::most_requests
  PixelRect area;        // in source coordinates: sectors go beyond what is read
  // One number per pixel of the area, row by row. Of pixels that lie in several planes the first plane counts.
  std::vector<int> loads;    // how often a thread reads the pixel
  std::vector<int> sectors;  // how often a warp moves the 32 bytes in which the pixel begins
};

// Of each lane; nothing: not asked for.
using HeatQuestion = std::array<std::optional<BlockQuestion>, max_lanes>;
using HeatAnswer = std::array<std::shared_ptr<const MemoryHeat>, max_lanes>;

// Takes as long as tracing so many blocks. Fails if it is stopped.
Result<MemoryHeat> memory_heat(const BlockQuestion& question, const std::stop_token& stop);
Result<HeatAnswer> memory_heat(const HeatQuestion& question, const std::stop_token& stop);

}  // namespace conv
