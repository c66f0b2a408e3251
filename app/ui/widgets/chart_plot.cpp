#include "app/ui/widgets/chart_plot.h"

#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <vector>

namespace conv {

namespace {

// Lanes keep their colours; the other series have none that means something, and differ by their markers.
ImVec4 hue_of(const Look& look, const Settings& settings, const std::string& variant, std::size_t number) {
  const Palette& p = look.colours;
  for (int lane = 0; lane < 2; ++lane)
    if (settings.lanes[lane].variant == variant) return p.lane[lane];
  const ImVec4 others[] = {p.text, p.quiet, {0.8f, 0.47f, 0.65f, 1}, {0.1f, 0.6f, 0.6f, 1}, {0.55f, 0.45f, 0.85f, 1}};
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
  // Many names are below one another, where there is space for that.
  const bool beside = chart.series.size() > 4 && width > 400 * ImGui::GetStyle().FontScaleMain;
  if (beside)
    ImPlot::SetupLegend(ImPlotLocation_East, ImPlotLegendFlags_Outside);
  else
    ImPlot::SetupLegend(ImPlotLocation_North, ImPlotLegendFlags_Outside | ImPlotLegendFlags_Horizontal);
  const ImPlotAxisFlags titles = low ? ImPlotAxisFlags_NoLabel : 0;
  ImPlot::SetupAxes(chart.x_title.c_str(), chart.y_title.c_str(), titles | ImPlotAxisFlags_NoGridLines, titles);
  set_up_names(chart, beside ? 0.65f * width : width);
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

void draw_series(const Look& look, const Settings& settings, const Chart& chart, std::size_t s) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  const ChartSeries& series = chart.series[s];
  ImPlotSpec spec;
  spec.LineColor = spec.MarkerFillColor = spec.MarkerLineColor =
      hue_of(look, settings, series.variant, series.hue.value_or(s));
  spec.LineWeight = 2 * scale;
  spec.Marker = static_cast<ImPlotMarker>(s % 6);
  spec.MarkerSize = 4 * scale;
  const auto points = static_cast<int>(series.x.size());
  const std::string name = series.name.empty() ? chart.y_title : series.name;
  if (chart.grouped) spec.FillColor = spec.LineColor;
  const double bar = 0.8 / static_cast<double>(chart.series.size());
  std::vector<double> x = series.x;
  if (chart.grouped)
    for (double& place : x) place += (static_cast<double>(s) + 0.5) * bar - 0.4;
  if (chart.grouped)
    ImPlot::PlotBars(name.c_str(), x.data(), series.y.data(), points, 0.9 * bar, spec);
  else if (series.name.empty())
    ImPlot::PlotBars(name.c_str(), x.data(), series.y.data(), points, 0.5, spec);
  else if (!chart.joined)
    ImPlot::PlotScatter(name.c_str(), x.data(), series.y.data(), points, spec);
  else
    ImPlot::PlotLine(name.c_str(), x.data(), series.y.data(), points, spec);
  std::vector<double> below, above;  // the whiskers' lengths
  for (std::size_t i = 0; i < series.y.size(); ++i) {
    below.push_back(series.y[i] - series.low[i]);
    above.push_back(series.high[i] - series.y[i]);
  }
  ImPlotSpec whisker;
  whisker.LineColor = series.name.empty() || chart.grouped ? look.colours.text : spec.LineColor;
  ImPlot::PlotErrorBars(name.c_str(), x.data(), series.y.data(), below.data(), above.data(), points, whisker);
}

}  // namespace

void draw_chart(const char* id, const Chart& chart, const Look& look, const Settings& settings, ImVec2 size,
                const std::function<void()>& inside) {
  ImGui::PushFont(nullptr, text_size::caption);
  // A low window has space for the lines only.
  const bool low = size.y < 120 * ImGui::GetStyle().FontScaleMain;
  if (ImPlot::BeginPlot(
          id, size,
          ImPlotFlags_NoMenus | ImPlotFlags_NoBoxSelect | ImPlotFlags_NoMouseText | (low ? ImPlotFlags_NoLegend : 0))) {
    set_up_axes(chart, size.x, low);
    for (std::size_t s = 0; s < chart.series.size(); ++s) draw_series(look, settings, chart, s);
    if (inside) inside();
    ImPlot::EndPlot();
  }
  ImGui::PopFont();
}

}  // namespace conv
