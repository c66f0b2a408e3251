#include "app/measure/bench_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/registry.h"
#include "kernels/ops/peers.h"

namespace conv {

namespace {

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
    {"execution_type", CONV_TEXT(!r.on_cpu()                     ? "parallel_gpu"
                                 : r.processor == cpu_one_thread ? "sequential"
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
       return std::string(r.baseline.empty() ? "" : outcome_words[static_cast<int>(r.against.outcome)]);
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

std::string verdict_text(const BenchRow& row) {
  std::vector<std::string> parts;
  if (is_copy(row.baseline))
    parts.push_back(
        fmt::format("{:.3f} copies ({:.3f} to {:.3f})", row.against.ratio, row.against.low, row.against.high));
  else if (!row.baseline.empty())
    parts.push_back(fmt::format("{} {} {}", outcome_words[static_cast<int>(row.against.outcome)],
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
      for (const BenchDimension* dimension : dimensions) text += fmt::format(" {} |", dimension->text(row));
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
