// Which block shape is the fastest for one variant on one image.
#pragma once
#include "app/measure/bench.h"

namespace conv {

// The point under every block preset, and under its own where that is none of them.
BenchJob tuning_job(const BenchPoint& point);

struct Tuning {
  std::vector<const BenchRow*> rows;  // those with a time, in the order they were measured
  // Those that tie with the fastest by the one rule, itself among them; the block is best only when it is alone.
  std::vector<const BenchRow*> fastest;
  const BenchRow* row_of(Size2 block) const;  // null: no time
};
// What was measured of this point before; nothing when it never was.
std::optional<Tuning> tuning_of(std::span<const BenchRow> rows, const BenchPoint& point);
// "32×8 is the fastest: 1.12× as fast as 16×16." and the like.
std::string tuning_text(const Tuning& tuning, Size2 block);

}  // namespace conv
