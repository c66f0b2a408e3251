// Rows of a sweep as the lines of a plot, drawn by the window and in files.
#pragma once
#include "app/measure/bench_rows.h"
#include "kernels/core/error.h"

namespace conv {

struct ChartSeries {
  std::string name, variant;
  std::vector<double> x, y, low, high;  // x: index of the tick; low to high: p10 to p90 if known
  std::vector<std::size_t> rows;        // the row of each point
  std::optional<std::size_t> hue;       // series with the same hue belong together; nothing: its place in the chart
};
struct Chart {
  std::string title, note;  // note: processor, date, how the times were measured
  std::string x_title, y_title;
  std::vector<std::string> ticks;
  bool joined = false;   // lines between the points: the ticks are not just names
  bool grouped = false;  // bars beside each other at each tick, one for each series
  bool log_y = false;
  double least = 0, most = 0;  // over all whiskers
  std::vector<ChartSeries> series;
};
// For rows of one preset, this machine's before shipped ones. Points without a time are left out; there may be no
// series at all.
Chart chart_of(std::span<const BenchRow> rows, const BenchEnvironment& environment, std::string title, BenchValue value,
               BenchClock clock);

// Sets the chart's range from its points, whose logarithms are drawn if they lie far apart.
void set_range(Chart& chart);

// As SVG or PNG by the file's ending, on white.
Result<void> save_plot(const Chart& chart, const std::string& path);

}  // namespace conv
