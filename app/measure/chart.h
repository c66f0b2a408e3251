// Rows of a sweep as lines of a plot; the window and the files draw the same ones.
#pragma once
#include "app/measure/bench.h"
#include "kernels/core/error.h"

namespace conv {

struct ChartSeries {
  std::string name, variant;
  std::vector<double> x, y, low, high;  // x: index of the tick; low to high: p10 to p90 where that is known
  std::vector<std::size_t> rows;        // of each point, among the rows the chart was made of
};
struct Chart {
  std::string title, note;  // note: processor, date, how the times were taken
  std::string x_title, y_title;
  std::vector<std::string> ticks;
  bool log_y = false;
  double least = 0, most = 0;  // of all whiskers
  std::vector<ChartSeries> series;
};
// Of rows of one preset. Points without a time are left out; none at all: no series.
Chart chart_of(std::span<const BenchRow> rows, const BenchEnvironment& environment, std::string title, BenchValue value,
               BenchClock clock);

// As SVG or PNG by the ending, light on white.
Result<void> save_plot(const Chart& chart, const std::string& path);

}  // namespace conv
