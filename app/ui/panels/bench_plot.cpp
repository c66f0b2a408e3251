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

// All samples of this configuration, from each machine that measured it, on one axis.
void draw_samples(const PanelContext& context, std::span<const BenchRow> rows, const BenchPoint& point) {
  std::vector<const BenchRow*> same;
  float least = HUGE_VALF, most = 0;
  for (const BenchRow& row : rows) {
    if (row.point != point || row.state != RowState::measured || row.ms.size() < 2) continue;
    same.push_back(&row);
    least = std::min(least, *std::ranges::min_element(row.ms));
    most = std::max(most, *std::ranges::max_element(row.ms));
  }
  if (same.empty() || most <= least) return;
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const ImVec2 size{260 * scale, 14 * scale};
  for (const BenchRow* row : same) {
    ImGui::TextUnformatted(row->elsewhere.empty() ? "this machine" : row->elsewhere.c_str());
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::Dummy(size);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto draw_line = [&](float ms, const ImVec4& colour, float width) {
      const float x = at.x + (ms - least) / (most - least) * (size.x - width);
      list->AddRectFilled({x, at.y}, {x + width, at.y + size.y}, ImGui::GetColorU32(colour));
    };
    ImVec4 faint = p.text;
    faint.w = 0.3f;
    for (const float ms : row->ms) draw_line(ms, faint, 2 * scale);
    draw_line(static_cast<float>(row->summary().median), p.lane[0], 3 * scale);
  }
  ImGui::TextUnformatted(
      fmt::format("{} to {} ms: all samples, and the median", three_digits(least), three_digits(most)).c_str());
}

void draw_hovered(PanelContext& context, std::span<const BenchRow> rows, const BenchRow& row) {
  if (ImGui::BeginTooltip()) {
    ImGui::TextUnformatted(fmt::format("{}{} · {} ms ({} to {})", lane_text(row.point.lane),
                                       row.elsewhere.empty() ? "" : " · " + row.elsewhere,
                                       three_digits(row.summary().median), three_digits(row.summary().p10),
                                       three_digits(row.summary().p90))
                               .c_str());
    draw_samples(context, rows, row.point);
    ImGui::TextUnformatted("Click: this setting in lane A.");
    ImGui::EndTooltip();
  }
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) load_point(context, row.point);
}

}  // namespace

void draw_bench_plot(PanelContext& context, ImVec2 size) {
  const BenchFigures& figures = figures_of(context);
  draw_chart("##bench plot", figures.chart, context.look, context.settings, size, [&] {
    if (const BenchRow* row = hovered_row(figures.chart, figures.rows)) draw_hovered(context, figures.rows, *row);
  });
}

}  // namespace conv
