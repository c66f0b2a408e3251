#include "app/measure/bench_rows.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/model/settings_json.h"
#include "kernels/core/registry.h"
#include "kernels/ops/peers.h"

namespace conv {

std::string key_of(const BenchPoint& point) {
  return nlohmann::json{{"image", json_of(point.image)},
                        {"filter", json_of(point.filter)},
                        {"padding", json_of(point.border)},
                        {"lane", json_of(point.lane)},
                        {"cold", point.cold}}
      .dump();
}

bool BenchRow::on_cpu() const {
  return processor.starts_with(cpu_processor);
}

Summary BenchRow::summary() const {
  return *summary_of(ms);
}

std::optional<float> BenchRow::time(BenchClock clock) const {
  if (state != RowState::measured) return std::nullopt;
  // Host variants have one clock, and no copies.
  if (clock == BenchClock::median || on_cpu()) return summary().median;
  const float taken = clock == BenchClock::host ? other.host_ms : other.mean_of_10_ms;
  return taken > 0 ? std::optional(taken) : std::nullopt;
}

double BenchRow::megapixels_per_s(BenchClock clock) const {
  return static_cast<double>(point.image.area()) / *time(clock) / 1000;
}

std::optional<double> BenchRow::ns_per_multiply_add(BenchClock clock) const {
  return multiply_adds > 0 ? std::optional(*time(clock) * 1e6 / static_cast<double>(multiply_adds)) : std::nullopt;
}

void put_row(std::vector<BenchRow>& rows, BenchRow row) {
  const auto same = std::find_if(rows.begin(), rows.end(), [&](const BenchRow& old) {
    return old.preset == row.preset && old.point == row.point;
  });
  if (same != rows.end()) {
    *same = std::move(row);
    return;
  }
  const auto last =
      std::find_if(rows.rbegin(), rows.rend(), [&](const BenchRow& old) { return old.preset == row.preset; });
  rows.insert(last == rows.rend() ? rows.end() : last.base(), std::move(row));
}

std::span<const BenchRow> rows_of(std::span<const BenchRow> rows, std::string_view preset) {
  const auto is_of = [&](const BenchRow& row) { return row.preset == preset; };
  const auto first = std::find_if(rows.begin(), rows.end(), is_of);
  return {first, std::find_if_not(first, rows.end(), is_of)};
}

std::vector<std::span<const BenchRow>> by_preset(std::span<const BenchRow> rows) {
  std::vector<std::span<const BenchRow>> parts;
  for (std::size_t begin = 0; begin < rows.size(); begin += parts.back().size())
    parts.push_back(rows_of(rows.subspan(begin), rows[begin].preset));
  return parts;
}

std::string now_utc() {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr)));
}

Size2 taps_size(const FilterSpec& filter) {
  if (info(filter.kind).size == FilterSize::fixed) return matrix_of(filter)->size;
  return {2 * filter.radius + 1, 2 * filter.radius + 1};
}

std::string switches_text(const BenchPoint& point) {
  std::string text;
  for (const auto& [id, value] : point.lane.switches.changed())
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", id, value_text(*find_switch(id), value));
  return text;
}

std::string lane_text(const LaneSettings& lane) {
  const std::string set = switches_text({.lane = lane});
  return set.empty() ? lane.variant : fmt::format("{} {}", lane.variant, set);
}

std::span<const BenchDimension> bench_dimensions() {
  static constexpr std::array dimensions{
      BenchDimension{"kernel", [](const BenchRow& row) { return size_text(taps_size(row.point.filter)); }, true},
      BenchDimension{"sigma",
                     [](const BenchRow& row) {
                       const FilterSpec& filter = row.point.filter;
                       return has_sigma(filter.kind) ? fmt::format("{:.4g} px", filter.sigma) : std::string();
                     },
                     true},
      BenchDimension{"image", [](const BenchRow& row) { return size_text(row.point.image); }, true},
      BenchDimension{"block", [](const BenchRow& row) { return size_text(row.point.lane.block); }},
      BenchDimension{"format", [](const BenchRow& row) { return std::string(info(row.point.lane.format).title); }},
      BenchDimension{"switches", [](const BenchRow& row) { return switches_text(row.point); }},
      BenchDimension{"filter", [](const BenchRow& row) { return std::string(info(row.point.filter.kind).title); }},
      BenchDimension{"padding", [](const BenchRow& row) { return std::string(info(row.point.border).title); }},
      BenchDimension{"memory", [](const BenchRow& row) { return std::string(row.point.cold ? "cold" : "warm"); }},
      BenchDimension{"machine",
                     [](const BenchRow& row) { return row.elsewhere.empty() ? "this machine" : row.elsewhere; }},
  };
  return dimensions;
}

std::vector<const BenchDimension*> dimensions_of(std::span<const BenchRow> rows) {
  std::vector<const BenchDimension*> list;
  if (rows.empty()) return list;
  for (const BenchDimension& dimension : bench_dimensions()) {
    const auto differs = [&](const BenchRow& row) { return dimension.text(row) != dimension.text(rows.front()); };
    // By default sigma follows the radius; it distinguishes rows only if they have the same filter size.
    const auto of_first_size = [&](const BenchRow& row) {
      return taps_size(row.point.filter) == taps_size(rows.front().point.filter);
    };
    const bool is_sigma = dimension.title == "sigma";
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const BenchRow& row) { return differs(row) && (!is_sigma || of_first_size(row)); }))
      list.push_back(&dimension);
  }
  return list;
}

std::string series_of(const BenchRow& row, std::span<const BenchDimension* const> dimensions) {
  std::string name = row.point.lane.variant;
  for (std::size_t i = 1; i < dimensions.size(); ++i)
    if (const std::string text = dimensions[i]->text(row); !text.empty()) name += fmt::format(" · {}", text);
  return name;
}

std::vector<bool> baselines_of(std::span<const BenchRow> rows) {
  const auto dimensions = dimensions_of(rows);
  std::map<std::string, std::string> firsts;  // by machine
  std::vector<bool> are;
  for (const BenchRow& row : rows) {
    const std::string series = series_of(row, dimensions);
    are.push_back(series == firsts.try_emplace(row.elsewhere, series).first->second);
  }
  return are;
}

std::vector<std::optional<double>> speedups_of(std::span<const BenchRow> rows, BenchClock clock) {
  std::vector<std::optional<double>> speedups(rows.size());
  const auto dimensions = dimensions_of(rows);
  const auto place = [&](const BenchRow& row) {
    return std::pair(row.elsewhere, dimensions.empty() ? std::string() : dimensions.front()->text(row));
  };
  const std::vector<bool> is_baseline = baselines_of(rows);
  std::map<std::pair<std::string, std::string>, float> baselines;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (const auto ms = rows[i].time(clock); ms && is_baseline[i]) baselines[place(rows[i])] = *ms;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto own = rows[i].time(clock);
    const auto baseline = baselines.find(place(rows[i]));
    if (own && baseline != baselines.end()) speedups[i] = baseline->second / *own;
  }
  return speedups;
}

bool is_faster(const BenchRow* a, const BenchRow* b) {
  return a->summary().median < b->summary().median;
}

void compare_with_baselines(std::span<BenchRow> group) {
  for (BenchRow& row : group) {
    if (row.state != RowState::measured) continue;
    const auto baseline = std::find_if(group.begin(), group.end(), [&](const BenchRow& other) {
      return other.state == RowState::measured && other.on_cpu() == row.on_cpu() && other.transfers == row.transfers &&
             (other.less_exact == row.less_exact || is_copy(other.point.lane.variant));
    });
    if (&*baseline == &row) continue;
    // Host variants may have stopped in an earlier round: compares from the first round both have.
    const std::size_t both = std::min(baseline->ms.size(), row.ms.size());
    row.against = compare_lanes(std::span(baseline->ms).first(both), std::span(row.ms).first(both));
    if (row.against.outcome != Comparison::Outcome::measuring) row.baseline = lane_text(baseline->point.lane);
  }
}

}  // namespace conv
