// Which variant is fastest where: radius along x, image or block along y.
#pragma once
#include "app/measure/bench_rows.h"

namespace conv {

// What the rows of a map are; each kind is a separate job.
struct CrossoverKind {
  std::string_view id, title, rows_title;
};
inline constexpr std::array crossover_kinds{
    CrossoverKind{"map-image", "Radius and image", "image"},
    CrossoverKind{"map-block", "Radius and block", "block"},
};

// The protocol: a map has many cells, and margins must be distinguishable from noise.
inline constexpr BenchProtocol crossover_protocol{.rounds = 16};

// Every radius with every image, or with every block preset; everything else as in base. A coarse grid of cells comes
// first, then the cells between them. on_gpu false: image sizes that a host can process. No groups if the filter has
// only one size.
BenchJob crossover_job(const CrossoverKind& kind, const BenchPoint& base, const std::vector<std::string>& variants,
                       bool on_gpu);

struct CrossoverCell {
  std::vector<const BenchRow*> ranked;  // correct ones, the fastest first; empty: none, or not measured yet
  // Time of the second / time of the first. With a tie or too few rounds the margin is within the noise.
  Comparison margin;
  bool clear() const { return ranked.size() == 1 || margin.outcome == Comparison::Outcome::a_faster; }
};
struct CrossoverMap {
  std::vector<int> radii;                                // the columns
  std::vector<std::string> rows;                         // from the top
  std::vector<CrossoverCell> cells;                      // row by row
  std::vector<std::string> variants;                     // all that were measured, in their order; each has a letter
  std::string letter(const std::string& variant) const;  // "a", "b", …
};
// The map of such a job's rows, as far as they exist.
CrossoverMap crossover_map(std::span<const BenchRow> rows);

}  // namespace conv
