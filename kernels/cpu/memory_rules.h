// What the memory accesses of a warp cost: coalescing in global memory, and banks of shared memory.
#pragma once
#include <array>
#include <span>
#include <string_view>

namespace conv {

// The bytes that one lane accesses by one instruction: 1, 2, 4, 8 or 16, aligned to their number; or a whole row by the
// copy engine.
struct LaneAccess {
  int lane;
  long long address;  // in bytes; of global memory since the start of the image, of shared memory since its first byte
  int bytes;
};

enum class Generation { today, g80 };
// How a generation of GPUs serves the accesses of a warp.
struct MemoryRules {
  Generation generation;
  std::string_view id, title;
  int lanes;              // that are served together if each accesses at most 4 bytes
  int banks;              // of shared memory, each one word of 4 bytes wide
  int transaction_bytes;  // the least that is moved to or from global memory
  std::string_view source;
};
// In the order of Generation. Today: lanes that access the same word share it; accesses of 8 and 16 bytes are served in
// 2 and 4 parts of a warp.
inline constexpr std::array<MemoryRules, 2> memory_rules{{
    {.generation = Generation::today,
     .id = "today",
     .title = "Now (compute capability 7.5 and newer)",
     .lanes = 32,
     .banks = 32,
     .transaction_bytes = 32,
     .source = "CUDA C++ Programming Guide 13.0, Compute Capabilities"},
    {.generation = Generation::g80,
     .id = "g80",
     .title = "Then (G80, compute capability 1.0)",
     .lanes = 16,
     .banks = 16,
     .transaction_bytes = 32,
     .source = "CUDA Programming Guide 1.1, sections 5.1.2.1 and 5.1.2.5"},
}};
constexpr const MemoryRules& rules_of(Generation generation) {
  return memory_rules[static_cast<std::size_t>(generation)];
}

// How often shared memory is accessed in turn to serve the instruction: 1 for at most 4 bytes a lane without a
// conflict.
int wavefronts(Generation generation, std::span<const LaneAccess> lanes);

// The same if no two lanes needed different words of one bank: the number of parts that are served one after the other.
int least_wavefronts(Generation generation, std::span<const LaneAccess> lanes);

struct GlobalTraffic {
  int transactions = 0;  // today: sectors
  long long moved_bytes = 0;
  long long used_bytes = 0;  // different bytes that the lanes asked for
};
GlobalTraffic global_traffic(Generation generation, std::span<const LaneAccess> lanes);

// How many different words of 4 bytes the lanes access; 1: one word is broadcast to all.
int distinct_words(std::span<const LaneAccess> lanes);

}  // namespace conv
