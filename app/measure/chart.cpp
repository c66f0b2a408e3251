#include "app/measure/chart.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace conv {

namespace {

struct Interval {
  double middle, low, high;
};

// What the chart shows of a row that took this long; none where the value is unknown. speedup: of the row.
std::optional<Interval> shown_value(const BenchRow& row, BenchValue value, BenchClock clock, double ms,
                                    std::optional<double> speedup) {
  Interval time{ms, ms, ms};
  if (clock == BenchClock::median) {
    const Summary summary = row.summary();
    time.low = summary.p10;
    time.high = summary.p90;
  }
  if (value == BenchValue::ms) return time;
  if (value == BenchValue::speedup && !speedup) return std::nullopt;
  const double scale = ms * (value == BenchValue::megapixels ? row.megapixels_per_s(clock) : *speedup);
  return Interval{scale / time.middle, scale / time.high, scale / time.low};
}

ChartSeries& series_named(Chart& chart, const std::string& name, const std::string& variant) {
  for (ChartSeries& series : chart.series)
    if (series.name == name) return series;
  return chart.series.emplace_back(ChartSeries{.name = name, .variant = variant});
}

double tick_named(Chart& chart, const std::string& name) {
  auto at = std::find(chart.ticks.begin(), chart.ticks.end(), name);
  if (at == chart.ticks.end()) at = chart.ticks.insert(at, name);
  return static_cast<double>(at - chart.ticks.begin());
}

std::string machines_of(std::span<const BenchRow> rows, const BenchEnvironment& environment) {
  std::vector<std::string> machines;
  if (rows.empty() || rows.front().elsewhere.empty())
    machines.push_back(fmt::format("{}{}{}", environment.processor,
                                   environment.driver.empty() ? "" : ", driver " + environment.driver,
                                   environment.cuda.empty() ? "" : ", CUDA " + environment.cuda));
  for (const BenchRow& row : rows)
    if (!row.elsewhere.empty() && std::ranges::find(machines, row.elsewhere) == machines.end())
      machines.push_back(row.elsewhere);
  return fmt::format("{}", fmt::join(machines, " and "));
}

std::string note_of(const std::string& machines, BenchClock clock, int samples, const std::string& date) {
  return fmt::format("{} · {}{} · {}", machines, bench_clocks[static_cast<std::size_t>(clock)].title,
                     clock == BenchClock::median ? fmt::format(" of up to {}, bars p10 to p90", samples) : "",
                     date.substr(0, 10));
}

}  // namespace

void set_range(Chart& chart) {
  double least = HUGE_VAL, most = 0;
  chart.least = HUGE_VAL;
  for (const ChartSeries& series : chart.series)
    for (std::size_t i = 0; i < series.y.size(); ++i) {
      least = std::min(least, series.y[i]);
      most = std::max(most, series.y[i]);
      chart.least = std::min(chart.least, series.low[i]);
      chart.most = std::max(chart.most, series.high[i]);
    }
  chart.log_y = least > 0 && most > 12 * least;
}

Chart chart_of(std::span<const BenchRow> rows, const BenchEnvironment& environment, std::string title, BenchValue value,
               BenchClock clock) {
  Chart chart{.title = std::move(title)};
  const auto dimensions = dimensions_of(rows);
  const bool one_place = dimensions.empty();  // the variants themselves are the ticks
  const bool speedup = value == BenchValue::speedup && !rows.empty();
  const std::vector<bool> is_baseline = baselines_of(rows);
  chart.x_title = one_place ? "variant" : dimensions.front()->title;
  chart.joined = !one_place && dimensions.front()->grows;
  const bool machines = !rows.empty() && rows.front().elsewhere != rows.back().elsewhere;
  chart.y_title = speedup && machines ? "times as fast as the first of the same machine"
                  : speedup           ? "times as fast as " + series_of(rows.front(), dimensions)
                                      : bench_values[static_cast<std::size_t>(value)].title;
  const auto speedups = speedups_of(rows, clock);
  int samples = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const BenchRow& row = rows[i];
    const auto ms = row.time(clock);
    if (!ms || (speedup && is_baseline[i])) continue;  // the baseline would be a line at 1
    const auto shown = shown_value(row, value, clock, *ms, speedups[i]);
    if (!shown) continue;
    const std::string& variant = row.point.lane.variant;
    ChartSeries& series = series_named(chart, one_place ? "" : series_of(row, dimensions), variant);
    series.x.push_back(tick_named(chart, one_place ? variant : dimensions.front()->text(row)));
    series.y.push_back(shown->middle);
    series.low.push_back(shown->low);
    series.high.push_back(shown->high);
    series.rows.push_back(i);
    samples = std::max(samples, static_cast<int>(row.ms.size()));
  }
  set_range(chart);
  chart.note = note_of(machines_of(rows, environment), clock, samples, rows.empty() ? "" : rows.front().date);
  return chart;
}

}  // namespace conv
