#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <cmath>

#include "app/ui/panels/bench_table.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

// Lanes keep their colours; the other series have none that means something, and differ by their markers.
ImVec4 hue_of(const PanelContext& context, const std::string& variant, std::size_t number) {
  const Palette& p = context.look.colours;
  for (int lane = 0; lane < 2; ++lane)
    if (context.settings.lanes[lane].variant == variant) return p.lane[lane];
  const ImVec4 others[] = {p.text, p.quiet, {0.8f, 0.47f, 0.65f, 1}};
  return others[number % std::size(others)];
}

// As many names as fit.
void set_up_names(const Chart& chart, float width) {
  float widest = 1;
  for (const std::string& tick : chart.ticks) widest = std::max(widest, ImGui::CalcTextSize(tick.c_str()).x);
  const auto count = static_cast<int>(chart.ticks.size());
  const int step = 1 + static_cast<int>(1.2f * widest * static_cast<float>(count) / width);
  std::vector<double> places;
  std::vector<const char*> names;
  for (int i = 0; i < count; i += step) {
    places.push_back(i);
    names.push_back(chart.ticks[i].c_str());
  }
  if (count > 0) ImPlot::SetupAxisTicks(ImAxis_X1, places.data(), static_cast<int>(places.size()), names.data());
  ImPlot::SetupAxisLimits(ImAxis_X1, -0.5, std::max(1, count) - 0.5, ImPlotCond_Always);
}

// low: without titles.
void set_up_axes(const Chart& chart, float width, bool low) {
  ImPlot::SetupLegend(ImPlotLocation_North, ImPlotLegendFlags_Outside | ImPlotLegendFlags_Horizontal);
  const ImPlotAxisFlags titles = low ? ImPlotAxisFlags_NoLabel : 0;
  ImPlot::SetupAxes(chart.x_title.c_str(), chart.y_title.c_str(), titles | ImPlotAxisFlags_NoGridLines, titles);
  set_up_names(chart, width);
  if (chart.log_y) ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  if (chart.most > 0)
    ImPlot::SetupAxisLimits(ImAxis_Y1, chart.log_y ? chart.least / 1.4 : 0, chart.most * (chart.log_y ? 1.4 : 1.1),
                            ImPlotCond_Always);
  ImPlot::SetupAxisFormat(ImAxis_Y1, [](double value, char* into, int room, void*) {
    const auto end = fmt::format_to_n(into, room - 1, "{:.6g}", value);
    *end.out = 0;
    return static_cast<int>(end.size);
  });
}

void draw_series(const PanelContext& context, const Chart& chart, std::size_t s) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  const ChartSeries& series = chart.series[s];
  ImPlotSpec spec;
  spec.LineColor = spec.MarkerFillColor = spec.MarkerLineColor = hue_of(context, series.variant, s);
  spec.LineWeight = 2 * scale;
  spec.Marker = static_cast<ImPlotMarker>(s % 6);
  spec.MarkerSize = 4 * scale;
  const auto points = static_cast<int>(series.x.size());
  const std::string name = series.name.empty() ? chart.y_title : series.name;
  if (series.name.empty())
    ImPlot::PlotBars(name.c_str(), series.x.data(), series.y.data(), points, 0.5, spec);
  else if (!chart.joined)
    ImPlot::PlotScatter(name.c_str(), series.x.data(), series.y.data(), points, spec);
  else
    ImPlot::PlotLine(name.c_str(), series.x.data(), series.y.data(), points, spec);
  std::vector<double> below, above;  // the whiskers' lengths
  for (std::size_t i = 0; i < series.y.size(); ++i) {
    below.push_back(series.y[i] - series.low[i]);
    above.push_back(series.high[i] - series.y[i]);
  }
  ImPlotSpec whisker;
  whisker.LineColor = series.name.empty() ? context.look.colours.text : spec.LineColor;
  ImPlot::PlotErrorBars(name.c_str(), series.x.data(), series.y.data(), below.data(), above.data(), points, whisker);
}

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
  const Chart& chart = figures.chart;
  ImGui::PushFont(nullptr, text_size::caption);
  // A low window has space for the lines only.
  const bool low = size.y < 150 * ImGui::GetStyle().FontScaleMain;
  if (ImPlot::BeginPlot(
          "##bench plot", size,
          ImPlotFlags_NoMenus | ImPlotFlags_NoBoxSelect | ImPlotFlags_NoMouseText | (low ? ImPlotFlags_NoLegend : 0))) {
    set_up_axes(chart, size.x, low);
    for (std::size_t s = 0; s < chart.series.size(); ++s) draw_series(context, chart, s);
    if (const BenchRow* row = hovered_row(chart, figures.rows)) draw_hovered(context, *row);
    ImPlot::EndPlot();
  }
  ImGui::PopFont();
}

}  // namespace conv
