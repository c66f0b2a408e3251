// Which block shape is fastest for one variant and image.
#pragma once
#include "app/measure/bench_rows.h"

namespace conv {

// The point with every block preset, and with its own block if that is not one of them.
BenchJob tuning_job(const BenchPoint& point);

struct Tuning {
  std::vector<const BenchRow*> rows;  // those with a time, in the order of measurement
  // The shapes that tie with the fastest, including the fastest itself. The block is best only if there is no other.
  std::vector<const BenchRow*> fastest;
  const BenchRow* row_of(Size2 block) const;  // null: no time
};
// Earlier measurements of this point; nothing if there are none.
std::optional<Tuning> tuning_of(std::span<const BenchRow> rows, const BenchPoint& point);
// A sentence like "32×8 is the fastest: 1.12× as fast as 16×16."
std::string tuning_text(const Tuning& tuning, Size2 block);

}  // namespace conv
