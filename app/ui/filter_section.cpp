// What the image is filtered with, and what stands outside it.
#include <fmt/format.h>
#include <implot.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/ui/panels.h"
#include "app/ui/widgets.h"

namespace {

void draw_matrix_editor(PanelContext& context) {
  FilterSpec& filter = context.settings.filter;
  UiState& ui = context.ui;
  if (!ui.matrix_editing) {
    ui.matrix_text = to_text(filter.matrix);
    std::replace(ui.matrix_text.begin(), ui.matrix_text.end(), ';', '\n');
    ui.matrix_error.clear();
  }
  ImGui::PushFont(context.look.fonts.numbers, text_size::base);
  const int rows = std::clamp(filter.matrix.size.height, 3, 9);
  if (ImGui::InputTextMultiline("##matrix", &ui.matrix_text,
                                {-FLT_MIN, ImGui::GetTextLineHeight() * (static_cast<float>(rows) + 0.8f)})) {
    Result<Matrix> matrix = parse_matrix(ui.matrix_text);
    if (matrix && (matrix->size.width % 2 == 0 || matrix->size.height % 2 == 0))
      matrix = failure(fmt::format("{}x{}: both sides must be odd", matrix->size.width, matrix->size.height));
    ui.matrix_error = matrix ? "" : matrix.error().text;
    if (matrix) filter.matrix = std::move(*matrix);
  }
  ui.matrix_editing = ImGui::IsItemActive() || !ui.matrix_error.empty();
  ImGui::PopFont();
  tooltip("Odd by odd numbers, a row a line; rows may differ in number from columns. Paste a table as it is.");
  if (!ui.matrix_error.empty()) complaint(context.look.colours, ui.matrix_error);
  if (ImGui::SmallButton("Transpose")) {
    Matrix turned{{filter.matrix.size.height, filter.matrix.size.width}, {}};
    for (int x = 0; x < filter.matrix.size.width; ++x)
      for (int y = 0; y < filter.matrix.size.height; ++y)
        turned.values.push_back(filter.matrix.values[static_cast<std::size_t>(y) * filter.matrix.size.width + x]);
    filter.matrix = std::move(turned);
    ui.matrix_editing = false;
  }
  ImGui::SameLine();
  if (ImGui::SmallButton("Rotate 180°")) {
    std::reverse(filter.matrix.values.begin(), filter.matrix.values.end());
    ui.matrix_editing = false;
  }
  ImGui::SameLine();
  const double sum = std::accumulate(filter.matrix.values.begin(), filter.matrix.values.end(), 0.0);
  ImGui::BeginDisabled(sum == 0);
  if (ImGui::SmallButton("Divide by sum")) filter.divisor = sum;
  ImGui::EndDisabled();
}

// The row factor as bars, with its sum.
void draw_bell(PanelContext& context) {
  const std::vector<float>& bell = context.status.bell;
  if (bell.size() < 2) return;
  const float scale = ImGui::GetStyle().FontScaleMain;
  constexpr ImPlotAxisFlags bare = ImPlotAxisFlags_NoDecorations | ImPlotAxisFlags_AutoFit;
  if (ImPlot::BeginPlot("##bell", {-1, 64 * scale}, ImPlotFlags_CanvasOnly | ImPlotFlags_NoInputs)) {
    ImPlot::SetupAxes(nullptr, nullptr, bare, bare);
    ImPlotSpec spec;
    spec.FillColor = spec.LineColor = context.look.colours.quiet;
    ImPlot::PlotBars("##taps", bell.data(), static_cast<int>(bell.size()), 0.7, 0, spec);
    ImPlot::EndPlot();
  }
  const double sum = std::accumulate(bell.begin(), bell.end(), 0.0);
  caption(fmt::format("Σ = {:.4f}, a row of {} taps", sum, bell.size()), context.look.colours.quiet);
}

void draw_radius(PanelContext& context) {
  FilterSpec& filter = context.settings.filter;
  const bool small = info(filter.kind).size == FilterSize::small;
  const bool follows_sigma = context.settings.auto_radius && has_sigma(filter.kind);
  int fits = max_radius;
  for (const LaneStatus& lane : context.status.lanes)
    if (lane.active) fits = std::min(fits, lane.max_radius);
  property("Radius", fits < max_radius
                         ? "Pixels on each side of the centre. The hatched part is more than a chosen variant can do."
                         : "Pixels on each side of the centre: the window is 2R+1 wide. Keys [ and ]");
  ImGui::BeginDisabled(follows_sigma);
  const int least = small ? 1 : 0, most = small ? 4 : max_radius;
  ImGui::SliderInt("##radius", &filter.radius, least, most, "%d px", ImGuiSliderFlags_AlwaysClamp);
  resettable(filter.radius, std::min(5, most));
  shade_beyond(fits, least, most, context.look.colours);
  ImGui::EndDisabled();
}

void draw_parameters(PanelContext& context) {
  FilterSpec& filter = context.settings.filter;
  bool& auto_radius = context.settings.auto_radius;
  if (has_sigma(filter.kind)) {
    property("Sigma", "Width of the bell. Notice how little is left of it beyond 3 σ. Keys - and =");
    ImGui::SliderScalar("##sigma", ImGuiDataType_Double, &filter.sigma, &min_sigma, &max_sigma, "%.2f px",
                        ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    resettable(filter.sigma, 2.0);
  }
  if (info(filter.kind).size != FilterSize::fixed) draw_radius(context);
  if (has_sigma(filter.kind)) {
    property("", "");
    ImGui::Checkbox("Auto R = ceil(3 σ)", &auto_radius);
    tooltip("Follow sigma: three sigmas hold 99.7 % of the bell's area along a line.");
    if (auto_radius) filter.radius = effective_radius(filter.sigma);
  }
  if (has_strength(filter.kind)) {
    property("Strength", "0 leaves the image alone, 1 is the matrix of the table.");
    constexpr double least = 0, most = 4;
    ImGui::SliderScalar("##strength", ImGuiDataType_Double, &filter.strength, &least, &most, "%.2f",
                        ImGuiSliderFlags_AlwaysClamp);
    resettable(filter.strength, 1.0);
  }
  if (filter.kind == FilterKind::motion) {
    property("Angle", "From the x axis towards the top. Level and upright lines are separable, others are not.");
    constexpr double least = 0, most = 180;
    ImGui::SliderScalar("##angle", ImGuiDataType_Double, &filter.angle, &least, &most, "%.0f°",
                        ImGuiSliderFlags_AlwaysClamp);
    resettable(filter.angle, 30.0);
  }
  if (filter.kind == FilterKind::random) {
    property("Seed", "The same seed gives the same matrix on every machine.");
    ImGui::InputScalar("##filter seed", ImGuiDataType_U32, &filter.seed);
    resettable(filter.seed, 42u);
  }
}

void draw_taps(PanelContext& context) {
  const Palette& p = context.look.colours;
  property("Taps", "Size of the matrix, and whether a row and a column can take its place.");
  ImGui::AlignTextToFramePadding();
  const Size2 size = context.status.taps ? context.status.taps->size : Size2{};
  number(context.look.fonts, fmt::format("{}×{}", size.width, size.height), p.text);
  ImGui::SameLine();
  const int rank = context.status.rank;
  if (context.status.taps && !context.status.taps->chain.empty())
    ImGui::TextColored(p.pass, "then 3×3 twice");
  else
    ImGui::TextColored(rank <= 1 ? p.pass : p.quiet, "%s",
                       rank <= 1 ? "rank 1, separable" : fmt::format("rank {}", rank).c_str());
  if (rank > 1)
    tooltip(
        fmt::format("A row times a column comes no closer than {:.3g} of the largest tap. The switch \"Sum of rank r\" "
                    "of a separable variant adds up {} pairs of passes.",
                    context.status.rank_1_error, rank));
}

void draw_outcome(PanelContext& context) {
  FilterSpec& filter = context.settings.filter;
  Settings& settings = context.settings;
  property("Mode", "Convolution turns the matrix by 180° before it meets the image; correlation does not.");
  int mode = static_cast<int>(filter.mode);
  if (ImGui::Combo("##mode", &mode, "Convolution\0Correlation\0")) filter.mode = static_cast<FilterMode>(mode);
  property("Offset", "Added to every result; 1 is full scale. 0.5 keeps negative values visible in 8 bits.");
  ImGui::InputDouble("##offset", &filter.offset, 0, 0, "%.6g");
  resettable(filter.offset, 0.0);
  property("Iterations", "How often the filter is applied, each time to its own result.");
  ImGui::SliderInt("##iterations", &settings.iterations, 1, 16, "%d", ImGuiSliderFlags_AlwaysClamp);
  resettable(settings.iterations, 1);
  property("Shown", "How values become light. The data stay as they are: only the drawing changes.");
  combo("##shown", display_ranges, settings.display.range, [](const DisplayRangeInfo& row) { return row.range; });
  property("Gain", "Values are multiplied by it for the drawing.");
  ImGui::SliderFloat("##gain", &settings.display.gain, 0.1f, 100, "%.2f×",
                     ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
  resettable(settings.display.gain, 1.0f);
}

// The corner of the image with what the rule puts around it, in the image's own pixels.
void draw_corner(PanelContext& context) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const float cell = std::floor(std::min(44 * scale, ImGui::GetContentRegionAvail().x / 4));
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) {
      const CornerCell& c = context.status.corner[static_cast<std::size_t>(y) * 4 + x];
      const ImVec2 min{from.x + static_cast<float>(x) * cell, from.y + static_cast<float>(y) * cell};
      const ImVec2 max{min.x + cell - scale, min.y + cell - scale};
      if (!c.exists) {
        list->AddRect(min, max, ImGui::GetColorU32(p.hairline));
        continue;
      }
      list->AddRectFilled(min, max, IM_COL32(c.r, c.g, c.b, 255));
      const int luma = (2126 * c.r + 7152 * c.g + 722 * c.b) / 10000;
      const std::string text = std::to_string(luma);
      const ImVec2 size = ImGui::CalcTextSize(text.c_str());
      list->AddText({(min.x + max.x - size.x) / 2, (min.y + max.y - size.y) / 2},
                    luma > 127 ? IM_COL32(0, 0, 0, 255) : IM_COL32(255, 255, 255, 255), text.c_str());
    }
  ImGui::PopFont();
  // The edge of the image: what is left of it and above it is padding.
  const float edge_x = from.x + cell - scale / 2, edge_y = from.y + cell - scale / 2;
  list->AddLine({edge_x, edge_y}, {from.x + 4 * cell, edge_y}, ImGui::GetColorU32(p.fault), 2 * scale);
  list->AddLine({edge_x, edge_y}, {edge_x, from.y + 4 * cell}, ImGui::GetColorU32(p.fault), 2 * scale);
  ImGui::Dummy({4 * cell, 4 * cell});
  tooltip("Top left corner of this image, as levels of luma. Beyond the line: what the window meets there.");
}

}  // namespace

void draw_filter_section(PanelContext& context) {
  FilterSpec& filter = context.settings.filter;
  const Palette& p = context.look.colours;
  if (begin_properties("filter")) {
    property("Filter", "What the window is weighted with. K takes the next one.");
    FilterKind kind = filter.kind;
    if (combo("##filter", filters, kind, [](const FilterInfo& row) { return row.kind; })) choose_kind(filter, kind);
    draw_parameters(context);
    draw_taps(context);
    end_properties();
  }
  if (filter.kind == FilterKind::custom) {
    draw_matrix_editor(context);
    if (begin_properties("custom")) {
      property("Divisor", "The matrix is divided by it.");
      ImGui::InputDouble("##divisor", &filter.divisor, 0, 0, "%.6g");
      end_properties();
    }
  }
  // Seldom touched: folded, so that the sections below stay in sight.
  if (ImGui::TreeNodeEx("Mode, offset, iterations, display", ImGuiTreeNodeFlags_NoTreePushOnOpen) &&
      begin_properties("outcome")) {
    draw_outcome(context);
    end_properties();
  }
  if (!context.status.filter_error.empty()) complaint(p, context.status.filter_error);
  const bool clips = context.status.taps && context.status.taps->negative() && filter.offset == 0;
  if (clips && is_8_bit(context.settings.lanes[0].format))
    caption("8-bit formats cannot hold negative results: they become 0. Raise Offset, or take a float format.",
            p.quiet);
  draw_bell(context);
}

void draw_boundary_section(PanelContext& context) {
  Settings& settings = context.settings;
  if (!begin_properties("boundary")) return;
  property("Padding", "What the window meets beyond the edge of the image. N takes the next one.");
  combo("##padding", borders, settings.border, [](const BorderInfo& row) { return row.border; });
  if (settings.border == Border::constant) {
    property("Value", "Of every channel outside the image: 0 is black, 1 is white.");
    ImGui::SliderFloat("##padding value", &settings.border_value, 0, 1, "%.3f", ImGuiSliderFlags_AlwaysClamp);
    resettable(settings.border_value, 0.0f);
  }
  property("Corner", "What the rule makes of the top left corner.");
  draw_corner(context);
  end_properties();
  const Size2 size = context.status.source_size;
  const Size2 radius = context.status.taps ? context.status.taps->radius() : Size2{};
  if (radius.width >= size.width || radius.height >= size.height)
    caption("window larger than image", context.look.colours.quiet);
}
