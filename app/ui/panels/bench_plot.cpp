#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <cmath>

#include "app/ui/panels/bench_table.h"
#include "app/ui/widgets/chart_plot.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

// The measured point under the mouse; null if there is none within 14 px.
const BenchRow* hovered_row(const Chart& chart, std::span<const BenchRow> rows) {
  if (!ImPlot::IsPlotHovered()) return nullptr;
  const ImVec2 cursor = ImPlot::PlotToPixels(ImPlot::GetPlotMousePos());
  const BenchRow* nearest = nullptr;
  float distance = 14 * ImGui::GetStyle().FontScaleMain;
  for (const ChartSeries& series : chart.series)
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const ImVec2 at = ImPlot::PlotToPixels(series.x[i], series.y[i]);
      const float away = std::hypot(at.x - cursor.x, at.y - cursor.y);
      if (away >= distance) continue;
      distance = away;
      nearest = &rows[series.rows[i]];
    }
  return nearest;
}

void draw_hovered(PanelContext& context, const BenchRow& row) {
  ImGui::SetTooltip("%s",
                    fmt::format("{}{} · {} ms ({} to {})\nClick: this setting in lane A.", lane_text(row.point.lane),
                                row.shipped.empty() ? "" : " · " + row.shipped, three_digits(row.summary().median),
                                three_digits(row.summary().p10), three_digits(row.summary().p90))
                        .c_str());
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) load_point(context, row.point);
}

}  // namespace

void draw_bench_plot(PanelContext& context, ImVec2 size) {
  const BenchFigures& figures = figures_of(context);
  draw_chart("##bench plot", figures.chart, context.look, context.settings, size, [&] {
    if (const BenchRow* row = hovered_row(figures.chart, figures.rows)) draw_hovered(context, *row);
  });
}

}  // namespace conv
