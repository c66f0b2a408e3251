// Which variant is the fastest where: radius to the right, image or block upwards.
#pragma once
#include "app/measure/bench.h"

namespace conv {

// What a map's rows are; each kind is a job of its own.
struct CrossoverKind {
  std::string_view id, title, rows_title;
};
inline constexpr std::array crossover_kinds{
    CrossoverKind{"map-image", "Radius and image", "image"},
    CrossoverKind{"map-block", "Radius and block", "block"},
};

// Many cells, and margins that the noise is told from.
inline constexpr BenchProtocol crossover_protocol{.rounds = 16};

// Every radius with every image, or with every block preset; the rest as in base. A few cells of the whole map come
// first, then those between them. on_gpu false: images a host gets through. No groups where the filter has one size.
BenchJob crossover_job(const CrossoverKind& kind, const BenchPoint& base, const std::vector<std::string>& variants,
                       bool on_gpu);

struct CrossoverCell {
  std::vector<const BenchRow*> ranked;  // correct ones, the fastest first; empty: none, or not measured yet
  // The second one's time over the first one's. A tie, or too few rounds to tell: the margin is within the noise.
  Comparison margin;
  bool clear() const { return ranked.size() == 1 || margin.outcome == Comparison::Outcome::a_faster; }
};
struct CrossoverMap {
  std::vector<int> radii;                                // the columns
  std::vector<std::string> rows;                         // from the top
  std::vector<CrossoverCell> cells;                      // row by row
  std::vector<std::string> variants;                     // all that were in it, in their order; a letter each
  std::string letter(const std::string& variant) const;  // "a", "b", …
};
// Of the rows of such a job, as far as they are there.
CrossoverMap crossover_map(std::span<const BenchRow> rows);

}  // namespace conv
