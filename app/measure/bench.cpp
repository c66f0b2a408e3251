#include "app/measure/bench.h"

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
  return processor.starts_with("CPU");
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

static std::string switches_text(const BenchPoint& point) {
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
      BenchDimension{"kernel", [](const BenchPoint& p) { return size_text(taps_size(p.filter)); }},
      BenchDimension{"sigma",
                     [](const BenchPoint& p) {
                       return has_sigma(p.filter.kind) ? fmt::format("{:.4g} px", p.filter.sigma) : std::string();
                     }},
      BenchDimension{"image", [](const BenchPoint& p) { return size_text(p.image); }},
      BenchDimension{"block", [](const BenchPoint& p) { return size_text(p.lane.block); }},
      BenchDimension{"format", [](const BenchPoint& p) { return std::string(info(p.lane.format).title); }},
      BenchDimension{"switches", switches_text},
      BenchDimension{"filter", [](const BenchPoint& p) { return std::string(info(p.filter.kind).title); }},
      BenchDimension{"padding", [](const BenchPoint& p) { return std::string(info(p.border).title); }},
      BenchDimension{"memory", [](const BenchPoint& p) { return std::string(p.cold ? "cold" : "warm"); }},
  };
  return dimensions;
}

std::vector<const BenchDimension*> dimensions_of(std::span<const BenchRow> rows) {
  std::vector<const BenchDimension*> list;
  for (const BenchDimension& dimension : bench_dimensions()) {
    const auto differs = [&](const BenchRow& row) {
      return dimension.text(row.point) != dimension.text(rows.front().point);
    };
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
    if (const std::string text = dimensions[i]->text(row.point); !text.empty()) name += fmt::format(" · {}", text);
  return name;
}

std::vector<std::optional<double>> speedups_of(std::span<const BenchRow> rows, BenchClock clock) {
  std::vector<std::optional<double>> speedups(rows.size());
  if (rows.empty()) return speedups;
  const auto dimensions = dimensions_of(rows);
  const std::string first = series_of(rows.front(), dimensions);
  const auto place = [&](const BenchRow& row) {
    return dimensions.empty() ? std::string() : dimensions.front()->text(row.point);
  };
  std::map<std::string, float> baselines;
  for (const BenchRow& row : rows)
    if (const auto ms = row.time(clock); ms && series_of(row, dimensions) == first) baselines[place(row)] = *ms;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto own = rows[i].time(clock);
    const auto baseline = baselines.find(place(rows[i]));
    if (own && baseline != baselines.end()) speedups[i] = baseline->second / *own;
  }
  return speedups;
}

namespace {

std::string_view id_of(Comparison::Outcome outcome) {
  constexpr std::string_view ids[] = {"", "tie", "slower", "faster"};
  return ids[static_cast<int>(outcome)];
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string safe;
  for (const char c : text) {
    if (c == '"') safe += c;
    safe += c == '\n' ? ' ' : c;
  }
  return fmt::format("\"{}\"", safe);
}

// 0 if unknown: the field is empty.
std::string known(double value) {
  return value > 0 ? fmt::format("{:.6g}", value) : "";
}

struct Column {
  std::string_view name;
  std::string (*text)(const BenchRow&, const BenchEnvironment&);
};

#define CONV_TEXT(expression) \
  [](const BenchRow& r, const BenchEnvironment&) -> std::string { return fmt::format("{}", expression); }
#define CONV_TIME(expression)                                                 \
  [](const BenchRow& r, const BenchEnvironment&) -> std::string {             \
    return r.state == RowState::measured ? known(expression) : std::string(); \
  }
#define CONV_OF_RUN(expression) \
  [](const BenchRow&, const BenchEnvironment& e) -> std::string { return fmt::format("{}", expression); }
constexpr Column columns[] = {
    {"preset", CONV_TEXT(r.preset)},
    {"variant", CONV_TEXT(r.point.lane.variant)},
    {"switches", [](const BenchRow& r, const BenchEnvironment&) { return switches_text(r.point); }},
    {"state", CONV_TEXT(row_states[static_cast<int>(r.state)])},
    {"execution_type", CONV_TEXT(!r.on_cpu()                        ? "parallel_gpu"
                                 : r.processor == "CPU, one thread" ? "sequential"
                                                                    : "parallel_cpu")},
    {"width", CONV_TEXT(r.point.image.width)},
    {"height", CONV_TEXT(r.point.image.height)},
    {"channels", CONV_TEXT(info(r.point.lane.format).channels)},
    {"architecture", CONV_TEXT(is_planar(r.point.lane.format) ? "SoA" : "AoS")},
    {"kw", CONV_TEXT(r.taps.width)},
    {"kh", CONV_TEXT(r.taps.height)},
    {"time", CONV_TIME(r.summary().median)},
    {"iterations", CONV_TEXT(r.ms.size() * r.launches)},
    {"median_ms", CONV_TIME(r.summary().median)},
    {"p10_ms", CONV_TIME(r.summary().p10)},
    {"p90_ms", CONV_TIME(r.summary().p90)},
    {"median_low_ms", CONV_TIME(median_interval(r.ms).low)},
    {"median_high_ms", CONV_TIME(median_interval(r.ms).high)},
    {"samples", CONV_TEXT(r.ms.size())},
    {"launches_per_sample", CONV_TEXT(r.launches)},
    {"first_launch_ms", CONV_TIME(r.other.first_ms)},
    {"single_launch_ms", CONV_TIME(r.other.single_ms)},
    {"mean_of_10_ms", CONV_TIME(r.other.mean_of_10_ms)},
    {"host_clock_with_copies_ms", CONV_TIME(r.other.host_ms)},
    {"megapixels_per_s", CONV_TIME(r.megapixels_per_s())},
    {"ns_per_multiply_add", CONV_TIME(r.ns_per_multiply_add().value_or(0))},
    {"multiply_adds", CONV_TEXT(r.multiply_adds)},
    {"compulsory_bytes", CONV_TEXT(r.compulsory_bytes)},
    {"transfer_bytes", CONV_TEXT(r.transfer_bytes)},
    {"compulsory_gb_per_s", CONV_TIME(static_cast<double>(r.compulsory_bytes) / r.summary().median / 1e6)},
    {"includes_transfers", CONV_TEXT(r.transfers ? "yes" : "no")},
    {"baseline", CONV_TEXT(r.baseline)},
    {"time_over_baseline",
     [](const BenchRow& r, const BenchEnvironment&) { return r.baseline.empty() ? "" : known(r.against.ratio); }},
    {"ratio_low",
     [](const BenchRow& r, const BenchEnvironment&) { return r.baseline.empty() ? "" : known(r.against.low); }},
    {"ratio_high",
     [](const BenchRow& r, const BenchEnvironment&) { return r.baseline.empty() ? "" : known(r.against.high); }},
    {"verdict",
     [](const BenchRow& r, const BenchEnvironment&) {
       return std::string(r.baseline.empty() ? "" : id_of(r.against.outcome));
     }},
    {"less_exact", CONV_TEXT(r.less_exact ? "yes" : "no")},
    {"max_error", CONV_TIME(r.max_error)},
    {"checked_share", CONV_TIME(r.checked_share)},
    {"format", CONV_TEXT(info(r.point.lane.format).id)},
    {"filter", CONV_TEXT(info(r.point.filter.kind).id)},
    {"sigma_px",
     CONV_TEXT(has_sigma(r.point.filter.kind) ? fmt::format("{:.4g}", r.point.filter.sigma) : std::string())},
    {"padding", CONV_TEXT(info(r.point.border).id)},
    {"block_x", CONV_TEXT(r.point.lane.block.width)},
    {"block_y", CONV_TEXT(r.point.lane.block.height)},
    {"memory", CONV_TEXT(r.point.cold ? "cold" : "warm")},
    {"sm_clock_before_mhz", [](const BenchRow& r, const BenchEnvironment&) { return known(r.sm_clock.mhz_before); }},
    {"sm_clock_after_mhz", [](const BenchRow& r, const BenchEnvironment&) { return known(r.sm_clock.mhz_after); }},
    {"rounds_thrown_away", CONV_TEXT(r.sm_clock.rounds_thrown_away)},
    {"throttled", CONV_TEXT(r.sm_clock.throttled)},
    {"processor", CONV_TEXT(r.processor)},
    {"driver", CONV_OF_RUN(e.driver)},
    {"cuda", CONV_OF_RUN(e.cuda)},
    {"date", CONV_TEXT(r.date)},
    {"version", CONV_OF_RUN(e.version)},
    {"note", CONV_TEXT(r.text)},
};
#undef CONV_TEXT
#undef CONV_TIME
#undef CONV_OF_RUN

}  // namespace

bool is_faster(const BenchRow* a, const BenchRow* b) {
  return a->summary().median < b->summary().median;
}

void hold_against_baselines(std::span<BenchRow> group) {
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

std::string verdict_text(const BenchRow& row) {
  std::vector<std::string> parts;
  if (is_copy(row.baseline))
    parts.push_back(
        fmt::format("{:.3f} copies ({:.3f} to {:.3f})", row.against.ratio, row.against.low, row.against.high));
  else if (!row.baseline.empty())
    parts.push_back(fmt::format("{} {} {}", id_of(row.against.outcome),
                                row.against.outcome == Comparison::Outcome::tie ? "with" : "than", row.baseline));
  if (row.less_exact) parts.emplace_back("less exact");
  if (!row.sm_clock.throttled.empty()) parts.push_back(fmt::format("GPU throttling: {}", row.sm_clock.throttled));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string csv_header() {
  std::string line;
  for (const Column& column : columns) line += fmt::format("{}{}", line.empty() ? "" : ",", column.name);
  return line + "\n";
}

std::string csv_line(const BenchRow& row, const BenchEnvironment& environment) {
  std::string line;
  for (const Column& column : columns)
    line += fmt::format("{}{}", &column == columns ? "" : ",", quoted(column.text(row, environment)));
  return line + "\n";
}

std::string markdown_table(std::span<const BenchRow> rows, const BenchEnvironment& environment, BenchClock clock) {
  std::string text;
  for (const auto& part : by_preset(rows)) {
    const auto dimensions = dimensions_of(part);
    const auto speedups = speedups_of(part, clock);
    text += fmt::format("{}{} · {} · {}\n\n|", text.empty() ? "" : "\n", part.front().preset, environment.processor,
                        bench_clocks[static_cast<std::size_t>(clock)].title);
    for (const BenchDimension* dimension : dimensions) text += fmt::format(" {} |", dimension->title);
    text +=
        " variant | ms | p10 to p90 | single launch, ms | Mpx/s | ns per multiply-add | times the first | verdict |\n|";
    for (std::size_t i = 0; i < dimensions.size() + 8; ++i) text += "---|";
    text += "\n";
    for (const BenchRow& row : part) {
      text += "|";
      for (const BenchDimension* dimension : dimensions) text += fmt::format(" {} |", dimension->text(row.point));
      text += fmt::format(" {} |", row.point.lane.variant);
      const auto ms = row.time(clock);
      if (!ms) {
        text += fmt::format(" – | – | – | – | – | – | {} |\n", row.text.empty() ? "not taken" : row.text);
        continue;
      }
      const Summary summary = row.summary();
      const auto& speedup = speedups[&row - part.data()];
      const auto each = row.ns_per_multiply_add(clock);
      text += fmt::format(" {:.4g} | {} | {} | {:.0f} | {} | {} | {} |\n", *ms,
                          clock == BenchClock::median ? fmt::format("{:.4g} to {:.4g}", summary.p10, summary.p90) : "–",
                          row.other.single_ms > 0 ? fmt::format("{:.4g}", row.other.single_ms) : "–",
                          row.megapixels_per_s(clock), each ? fmt::format("{:.3g}", *each) : "–",
                          speedup ? fmt::format("{:.2f}", *speedup) : "–", verdict_text(row));
    }
  }
  return text;
}

}  // namespace conv
