#include "app/measure/tuning.h"

#include <fmt/format.h>

#include <algorithm>

namespace conv {

static constexpr std::string_view tuning_id = "tune";

BenchJob tuning_job(const BenchPoint& point) {
  BenchGroup group{point};
  for (const Size2 block : block_presets)
    if (block != point.lane.block) group.emplace_back(point).lane.block = block;
  return {.id = std::string(tuning_id), .groups = {std::move(group)}, .adds = true};
}

const BenchRow* Tuning::row_of(Size2 block) const {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const BenchRow* row) { return row->point.lane.block == block; });
  return found == rows.end() ? nullptr : *found;
}

std::optional<Tuning> tuning_of(std::span<const BenchRow> rows, const BenchPoint& point) {
  Tuning tuning;
  for (const BenchRow& row : rows_of(rows, tuning_id)) {
    BenchPoint same = row.point;
    same.lane.block = point.lane.block;
    const Size2 block = row.point.lane.block;
    const bool preset = std::find(std::begin(block_presets), std::end(block_presets), block) != std::end(block_presets);
    // The user's own shape may have been measured at another time.
    if (same == point && row.state == RowState::measured && (preset || block == point.lane.block))
      tuning.rows.push_back(&row);
  }
  if (tuning.rows.empty()) return std::nullopt;
  const BenchRow* first = *std::min_element(tuning.rows.begin(), tuning.rows.end(), is_faster);
  for (const BenchRow* row : tuning.rows)
    if (row == first || compare_lanes(first->ms, row->ms).outcome != Comparison::Outcome::a_faster)
      tuning.fastest.push_back(row);
  return tuning;
}

std::string tuning_text(const Tuning& tuning, Size2 block) {
  std::vector<std::string> names;
  for (const BenchRow* row : tuning.fastest) names.push_back(size_text(row->point.lane.block));
  const BenchRow* present = tuning.row_of(block);
  const bool among = std::find(tuning.fastest.begin(), tuning.fastest.end(), present) != tuning.fastest.end();
  const std::string gain =
      present && !among
          ? fmt::format(": {:.2f}× as fast as {}", present->summary().median / tuning.fastest.front()->summary().median,
                        size_text(block))
          : "";
  if (names.size() == 1) return fmt::format("{} is the fastest{}.", names[0], gain);
  return fmt::format("{} tie as the fastest{}.", fmt::join(names, ", "), gain);
}

}  // namespace conv
