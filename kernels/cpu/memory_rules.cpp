#include "kernels/cpu/memory_rules.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/core/geometry.h"

namespace conv {

namespace {

using Lanes = std::span<const LaneAccess>;

// Calls visit(part) for the accesses of lanes [0, size), [size, 2 * size) and so on, without empty parts.
template <class Visit>
void for_parts(Lanes lanes, int size, Visit visit) {
  std::vector<LaneAccess> part;
  for (int first = 0; first < 32; first += size) {
    part.clear();
    for (const LaneAccess& lane : lanes)
      if (lane.lane >= first && lane.lane < first + size) part.push_back(lane);
    if (!part.empty()) visit(Lanes(part));
  }
}

// The numbers of the different pieces of `size` bytes that are touched, in order.
std::vector<long long> pieces(Lanes lanes, int size) {
  std::vector<long long> touched;
  for (const LaneAccess& lane : lanes)
    for (long long piece = lane.address / size; piece <= (lane.address + lane.bytes - 1) / size; ++piece)
      touched.push_back(piece);
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  return touched;
}

// The largest number of different words in one bank.
int most_in_a_bank(Lanes lanes, int banks) {
  std::array<int, 32> words{};
  for (const long long word : pieces(lanes, 4)) ++words[word % banks];
  return *std::max_element(words.begin(), words.end());
}

int widest(Lanes lanes) {
  int bytes = 1;
  for (const LaneAccess& lane : lanes) bytes = std::max(bytes, lane.bytes);
  return bytes;
}

// As the guide describes it: at each step one word is broadcast, and each other bank serves one lane. Which word is
// broadcast is not specified; here the one that most lanes ask for.
int steps_of_g80(Lanes half_warp, int banks) {
  std::vector<long long> waiting;
  for (const LaneAccess& lane : half_warp) waiting.push_back(lane.address / 4);
  int steps = 0;
  for (; !waiting.empty(); ++steps) {
    const auto lanes_of = [&](long long word) { return std::count(waiting.begin(), waiting.end(), word); };
    const long long broadcast = *std::max_element(waiting.begin(), waiting.end(),
                                                  [&](long long a, long long b) { return lanes_of(a) < lanes_of(b); });
    std::array<bool, 32> busy{};
    busy[broadcast % banks] = true;
    std::erase_if(waiting, [&](long long word) {
      if (word == broadcast) return true;
      return !std::exchange(busy[word % banks], true);
    });
  }
  return steps;
}

// Lane k of the half-warp must access the k-th word of an aligned segment. Otherwise each lane gets its own
// transaction.
GlobalTraffic traffic_of_g80(Lanes half_warp, int least) {
  const int bytes = half_warp.front().bytes;
  const long long begin = half_warp.front().address - static_cast<long long>(half_warp.front().lane % 16) * bytes;
  const bool coalesced =
      bytes >= 4 && begin % (16 * bytes) == 0 && std::ranges::all_of(half_warp, [&](const auto& lane) {
        return lane.bytes == bytes && lane.address == begin + lane.lane % 16 * bytes;
      });
  if (coalesced) return {.transactions = bytes == 16 ? 2 : 1, .moved_bytes = 16 * bytes};
  const int lanes = static_cast<int>(half_warp.size());
  return {.transactions = lanes, .moved_bytes = static_cast<long long>(lanes) * std::max(least, bytes)};
}

}  // namespace

// Calls serve(part) for the lanes that are served together, and adds up what it returns.
template <class Serve>
static int over_parts(Generation generation, Lanes lanes, Serve serve) {
  const MemoryRules& rules = rules_of(generation);
  const int words = std::max(1, widest(lanes) / 4);
  int sum = 0;
  const auto add = [&](Lanes part) { sum += serve(part); };
  if (generation == Generation::today) {
    for_parts(lanes, std::max(1, rules.lanes / words), add);
    return sum;
  }
  // Wider accesses are several instructions of 4 bytes.
  for (int word = 0; word < words; ++word) {
    std::vector<LaneAccess> piece(lanes.begin(), lanes.end());
    for (LaneAccess& lane : piece) lane = {lane.lane, lane.address + 4LL * word, std::min(4, lane.bytes)};
    for_parts(piece, rules.lanes, add);
  }
  return sum;
}

int wavefronts(Generation generation, Lanes lanes) {
  const int banks = rules_of(generation).banks;
  return over_parts(generation, lanes, [&](Lanes part) {
    return generation == Generation::today ? most_in_a_bank(part, banks) : steps_of_g80(part, banks);
  });
}

int least_wavefronts(Generation generation, Lanes lanes) {
  return over_parts(generation, lanes, [](Lanes part) {
    // A row by the copy engine fills all banks several times.
    return ceil_div(part.front().bytes, 128);
  });
}

GlobalTraffic global_traffic(Generation generation, Lanes lanes) {
  const MemoryRules& rules = rules_of(generation);
  GlobalTraffic traffic;
  if (generation == Generation::g80) {
    for_parts(lanes, rules.lanes, [&](Lanes part) {
      const GlobalTraffic of_part = traffic_of_g80(part, rules.transaction_bytes);
      traffic.transactions += of_part.transactions;
      traffic.moved_bytes += of_part.moved_bytes;
    });
  } else {
    traffic.transactions = static_cast<int>(pieces(lanes, rules.transaction_bytes).size());
    traffic.moved_bytes = static_cast<long long>(traffic.transactions) * rules.transaction_bytes;
  }
  // Accesses are aligned to their own size, so two lanes access the same bytes or different ones.
  std::vector<std::pair<long long, int>> different;
  for (const LaneAccess& lane : lanes) different.emplace_back(lane.address, lane.bytes);
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  for (const auto& [address, bytes] : different) traffic.used_bytes += bytes;
  return traffic;
}

int distinct_words(Lanes lanes) {
  return static_cast<int>(pieces(lanes, 4).size());
}

}  // namespace conv
