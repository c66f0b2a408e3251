#include "app/measure/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace conv {

Chart chart_of(std::span<const BenchRow> rows, const BenchEnvironment& environment, std::string title, BenchValue value,
               BenchClock clock) {
  Chart chart{.title = std::move(title)};
  const auto dimensions = dimensions_of(rows);
  // One place on the axis: the variants themselves stand side by side.
  chart.x_title = dimensions.empty() ? "variant" : dimensions.front()->title;
  chart.y_title = bench_values[static_cast<std::size_t>(value)].title;
  const auto speedups = speedups_of(rows, clock);
  if (value == BenchValue::speedup && !rows.empty())
    chart.y_title = "times as fast as " + series_of(rows.front(), dimensions);
  int samples = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const BenchRow& row = rows[i];
    const auto ms = row.time(clock);
    if (!ms) continue;
    double y = *ms, low = *ms, high = *ms;
    if (clock == BenchClock::median) {
      const Summary summary = row.summary();
      low = summary.p10;
      high = summary.p90;
    }
    // What all others are held against would be a line at 1.
    if (value == BenchValue::speedup && series_of(row, dimensions) == series_of(rows.front(), dimensions)) continue;
    if (value != BenchValue::ms) {
      const auto scale = value == BenchValue::megapixels ? std::optional(row.megapixels_per_s(clock) * *ms)
                         : speedups[i]                   ? std::optional(*speedups[i] * *ms)
                                                         : std::nullopt;
      if (!scale) continue;
      y = *scale / y;
      low = *scale / std::exchange(high, *scale / low);
    }
    const std::string tick = dimensions.empty() ? row.point.lane.variant : dimensions.front()->text(row.point);
    auto at = std::find(chart.ticks.begin(), chart.ticks.end(), tick);
    if (at == chart.ticks.end()) at = chart.ticks.insert(at, tick);
    const std::string name = dimensions.empty() ? "" : series_of(row, dimensions);
    auto series = std::find_if(chart.series.begin(), chart.series.end(),
                               [&](const ChartSeries& other) { return other.name == name; });
    if (series == chart.series.end())
      series = chart.series.insert(series, {.name = name, .variant = row.point.lane.variant});
    series->x.push_back(static_cast<double>(at - chart.ticks.begin()));
    series->y.push_back(y);
    series->low.push_back(low);
    series->high.push_back(high);
    series->rows.push_back(i);
    samples = std::max(samples, static_cast<int>(row.ms.size()));
  }
  double least = HUGE_VAL, most = 0;
  chart.least = HUGE_VAL;
  for (const ChartSeries& series : chart.series)
    for (std::size_t i = 0; i < series.y.size(); ++i) {
      least = std::min(least, series.y[i]);
      most = std::max(most, series.y[i]);
      chart.least = std::min(chart.least, series.low[i]);
      chart.most = std::max(chart.most, series.high[i]);
    }
  chart.log_y = most > 12 * least;
  chart.note = fmt::format(
      "{}{}{} · {}{} · {}", environment.processor, environment.driver.empty() ? "" : ", driver " + environment.driver,
      environment.cuda.empty() ? "" : ", CUDA " + environment.cuda, bench_clocks[static_cast<std::size_t>(clock)].title,
      clock == BenchClock::median ? fmt::format(" of up to {}, bars p10 to p90", samples) : "",
      rows.empty() ? "" : rows.front().date.substr(0, 10));
  return chart;
}

}  // namespace conv
