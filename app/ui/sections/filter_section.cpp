// The filter and its parameters.
#include <fmt/format.h>
#include <implot.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

// The matrix of a pasted or typed table. On an error the text is kept for the screen, and the filter is unchanged.
void take_matrix(UiState& ui, FilterSpec& filter, std::string_view text) {
  Result<Matrix> matrix = parse_matrix(text);
  if (matrix && (matrix->size.width % 2 == 0 || matrix->size.height % 2 == 0))
    matrix = failure(fmt::format("{}x{}: both sides must be odd", matrix->size.width, matrix->size.height));
  ui.matrix.error = matrix ? "" : matrix.error().text;
  if (matrix) filter.matrix = std::move(*matrix);
}

// The same matrix around its centre, cut off or extended with zeros.
Matrix resized(const Matrix& matrix, Size2 size) {
  Matrix result{size, std::vector<double>(static_cast<std::size_t>(size.area()))};
  const int shift_x = (matrix.size.width - size.width) / 2, shift_y = (matrix.size.height - size.height) / 2;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const int from_x = x + shift_x, from_y = y + shift_y;
      if (from_x < 0 || from_x >= matrix.size.width || from_y < 0 || from_y >= matrix.size.height) continue;
      result.values[static_cast<std::size_t>(y) * size.width + x] =
          matrix.values[static_cast<std::size_t>(from_y) * matrix.size.width + from_x];
    }
  return result;
}

Matrix transposed(const Matrix& matrix) {
  Matrix turned{{matrix.size.height, matrix.size.width}, {}};
  for (int x = 0; x < matrix.size.width; ++x)
    for (int y = 0; y < matrix.size.height; ++y)
      turned.values.push_back(matrix.values[static_cast<std::size_t>(y) * matrix.size.width + x]);
  return turned;
}

constexpr int most_cells = 9;  // per side; larger matrices are edited as text

void draw_cells(PanelContext& context, Matrix& matrix) {
  const float gap = 3 * ImGui::GetStyle().FontScaleMain;
  const float width = (ImGui::GetContentRegionAvail().x - gap * static_cast<float>(matrix.size.width - 1)) /
                      static_cast<float>(matrix.size.width);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {gap, gap});
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {gap, ImGui::GetStyle().FramePadding.y});
  ImGui::PushFont(context.look.fonts.numbers, matrix.size.width > 5 ? text_size::caption : text_size::base);
  for (int i = 0; i < matrix.size.area(); ++i) {
    if (i % matrix.size.width != 0) ImGui::SameLine();
    const bool centre = i == matrix.size.area() / 2;
    ImGui::SetNextItemWidth(width);
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, centre ? ImGui::GetStyle().FontScaleMain : 0);
    ImGui::PushStyleColor(ImGuiCol_Border, context.look.colours.quiet);
    double value = matrix.values[i];
    if (ImGui::InputDouble(fmt::format("##cell {}", i).c_str(), &value, 0, 0, "%.4g") && std::isfinite(value))
      matrix.values[i] = value;
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
  }
  ImGui::PopFont();
  ImGui::PopStyleVar(2);
}

void draw_matrix_text(PanelContext& context, FilterSpec& filter) {
  UiState& ui = context.ui;
  if (!ui.matrix.editing) {
    ui.matrix.text = to_text(filter.matrix);
    std::replace(ui.matrix.text.begin(), ui.matrix.text.end(), ';', '\n');
  }
  ImGui::PushFont(context.look.fonts.numbers, text_size::base);
  const int rows = std::clamp(filter.matrix.size.height, 3, 9);
  if (ImGui::InputTextMultiline("##matrix", &ui.matrix.text,
                                {-FLT_MIN, ImGui::GetTextLineHeight() * (static_cast<float>(rows) + 0.8f)}))
    take_matrix(ui, filter, ui.matrix.text);
  ui.matrix.editing = ImGui::IsItemActive();
  ImGui::PopFont();
  tooltip("Odd numbers of rows and columns, one row per line. The two numbers may differ.");
}

void draw_matrix_editor(PanelContext& context) {
  FilterSpec& filter = context.settings.filter;
  UiState& ui = context.ui;
  Matrix& matrix = filter.matrix;
  if (begin_properties("matrix size")) {
    const Size2 before = matrix.size;
    Size2 size = before;
    property("Columns", "An odd number, so that the window has a centre. The existing values stay around it.");
    ImGui::InputInt("##columns", &size.width, 2);
    property("Rows", "An odd number; it may differ from the other.");
    ImGui::InputInt("##rows", &size.height, 2);
    const auto odd = [](int side) { return std::clamp(side - (side % 2 == 0), 1, 2 * max_radius + 1); };
    size = {odd(size.width), odd(size.height)};
    if (size != before) matrix = resized(matrix, size);
    end_properties();
  }
  if (std::max(matrix.size.width, matrix.size.height) <= most_cells)
    draw_cells(context, matrix);
  else
    caption(fmt::format("{}×{}: too large for cells", matrix.size.width, matrix.size.height),
            context.look.colours.quiet);
  ImGui::Spacing();
  if (ImGui::Button("Paste"))
    if (const char* text = ImGui::GetClipboardText()) take_matrix(ui, filter, text);
  tooltip("A table from a spreadsheet, CSV or text: one row per line.");
  flow("Transpose");
  if (ImGui::Button("Transpose")) matrix = transposed(matrix);
  flow("Rotate 180°");
  if (ImGui::Button("Rotate 180°")) std::reverse(matrix.values.begin(), matrix.values.end());
  const double sum = std::accumulate(matrix.values.begin(), matrix.values.end(), 0.0);
  ImGui::BeginDisabled(sum == 0);
  if (ImGui::Button("Divide by sum")) filter.divisor = sum;
  ImGui::EndDisabled();
  caption(fmt::format("sum {:.6g}", sum), context.look.colours.quiet);
  if (!ui.matrix.error.empty()) complaint(context.look.colours, ui.matrix.error);
  if (ImGui::TreeNodeEx("As text", ImGuiTreeNodeFlags_NoTreePushOnOpen)) draw_matrix_text(context, filter);
}

// Every filter with its effect on this picture.
void draw_filter_list(PanelContext& context) {
  FilterSpec& filter = context.settings.filter;
  if (!begin_combo("##filter", info(filter.kind).title)) return;
  context.ui.wants.thumbnails = true;
  const ImVec2 size = ImVec2(60, 40) * ImGui::GetStyle().FontScaleMain;
  ImGui::PushStyleVar(ImGuiStyleVar_SelectableTextAlign, {0, 0.5f});
  for (const FilterInfo& row : filters) {
    if (const unsigned texture = context.textures.thumbnails[static_cast<std::size_t>(row.kind)])
      ImGui::Image(static_cast<ImTextureID>(texture), size);
    else
      ImGui::Dummy(size);
    ImGui::SameLine();
    if (ImGui::Selectable(std::string(row.title).c_str(), row.kind == filter.kind, 0, {0, size.y}))
      choose_kind(filter, row.kind);
    tooltip(std::string(row.source) + ". " + std::string(row.notice));
  }
  ImGui::PopStyleVar();
  ImGui::EndCombo();
}

// The row factor as bars.
void draw_bell(PanelContext& context) {
  const std::vector<float>& bell = context.status.filter.bell;
  if (bell.size() < 2) return;
  const float scale = ImGui::GetStyle().FontScaleMain;
  constexpr ImPlotAxisFlags bare = ImPlotAxisFlags_NoDecorations | ImPlotAxisFlags_AutoFit;
  if (ImPlot::BeginPlot("##bell", {-1, 40 * scale}, ImPlotFlags_CanvasOnly | ImPlotFlags_NoInputs)) {
    ImPlot::SetupAxes(nullptr, nullptr, bare, bare);
    ImPlotSpec spec;
    spec.FillColor = spec.LineColor = context.look.colours.quiet;
    ImPlot::PlotBars("##taps", bell.data(), static_cast<int>(bell.size()), 0.7, 0, spec);
    ImPlot::EndPlot();
  }
  tooltip("The row of taps of the first pass of a separable variant.");
}

}  // namespace

void draw_filter_row(PanelContext& context) {
  property("Filter", "The weights of the window. K chooses the next filter.");
  draw_filter_list(context);
}

void draw_sigma_row(PanelContext& context) {
  FilterSpec& filter = context.settings.filter;
  if (!has_sigma(filter.kind)) return;
  property("Sigma", "Width of the Gaussian. Notice how little of it is beyond 3 σ. Keys - and =");
  slider("##sigma", filter.sigma, min_sigma, max_sigma, "%.2f px",
         ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
  resettable(filter.sigma, 2.0);
}

void draw_radius_row(PanelContext& context) {
  FilterSpec& filter = context.settings.filter;
  if (info(filter.kind).size == FilterSize::fixed) return;
  const bool follows_sigma = context.settings.auto_radius && has_sigma(filter.kind);
  int fits = max_radius;
  for (const LaneStatus& lane : context.status.lanes)
    if (lane.active) fits = std::min(fits, lane.max_radius);
  property("Radius", fits < max_radius
                         ? "Pixels on each side of the centre. The variant cannot run in the hatched range."
                         : "Pixels on each side of the centre: the window is 2R+1 wide. Keys [ and ]");
  ImGui::BeginDisabled(follows_sigma);
  const auto [least, most] = radius_range(filter.kind);
  slider("##radius", filter.radius, least, most, "%d px");
  resettable(filter.radius, std::min(5, most));
  shade_beyond(fits, least, most, context.look.colours);
  ImGui::EndDisabled();
  for (int i = 0; i < 2; ++i) {
    const LaneStatus& lane = context.status.lanes[i];
    if (!lane.active || !lane.refused_by_radius(filter.radius)) continue;
    complaint(context.look.colours, fmt::format("{}: at most radius {}", static_cast<char>('A' + i), lane.max_radius));
    tooltip(lane.refusal);
  }
}

void draw_iterations_row(PanelContext& context) {
  int& iterations = context.settings.iterations;
  property("Iterations", "How often the filter is applied, each time to its own result.");
  slider("##iterations", iterations, 1, max_iterations, "%d");
  resettable(iterations, 1);
}

namespace {

void draw_parameters(PanelContext& context) {
  FilterSpec& filter = context.settings.filter;
  bool& auto_radius = context.settings.auto_radius;
  draw_sigma_row(context);
  draw_radius_row(context);
  if (has_sigma(filter.kind)) {
    property("", "");
    ImGui::Checkbox("Auto R = ceil(3 σ)", &auto_radius);
    tooltip("Follow sigma: 99.7 % of a Gaussian are within three sigma.");
  }
  if (has_strength(filter.kind)) {
    property("Strength", "0 leaves the image unchanged, 1 is the matrix of the table.");
    slider("##strength", filter.strength, 0.0, max_strength, "%.2f");
    resettable(filter.strength, 1.0);
  }
  if (filter.kind == FilterKind::motion) {
    property("Angle",
             "From the x axis, counterclockwise. Horizontal and vertical lines are separable, others are not.");
    slider("##angle", filter.angle, 0.0, 180.0, "%.0f°");
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
  property("Taps", "Size of the matrix, and whether it is the product of a column and a row.");
  ImGui::AlignTextToFramePadding();
  const Size2 size = context.status.filter.taps ? context.status.filter.taps->size : Size2{};
  number(context.look.fonts, size_text(size), p.text);
  ImGui::SameLine();
  const int rank = context.status.filter.rank;
  if (context.status.filter.taps && !context.status.filter.taps->chain.empty())
    ImGui::TextColored(p.pass, "then 3×3 twice");
  else
    ImGui::TextColored(rank <= 1 ? p.pass : p.quiet, "%s",
                       rank <= 1 ? "rank 1, separable" : fmt::format("rank {}", rank).c_str());
  if (rank > 1)
    tooltip(
        fmt::format("The best column times row differs by {:.3g} of the largest tap. The switch \"Sum of rank r\" of a "
                    "separable variant adds up {} pairs of passes.",
                    context.status.filter.rank_1_error, rank));
  if (!context.status.filter.taps || !context.status.filter.taps->chain.empty()) return;
  const std::vector<float>& values = context.status.filter.taps->values;
  property("Sum", "Of all taps. 1 keeps the brightness of the picture; 0 makes flat areas black.");
  ImGui::AlignTextToFramePadding();
  number(context.look.fonts, fmt::format("{:.4f}", std::accumulate(values.begin(), values.end(), 0.0)), p.text);
}

void draw_outcome(PanelContext& context) {
  FilterSpec& filter = context.settings.filter;
  Settings& settings = context.settings;
  property("Mode", "Convolution rotates the matrix by 180°; correlation does not.");
  int mode = static_cast<int>(filter.mode);
  if (ImGui::Combo("##mode", &mode, "Convolution\0Correlation\0")) filter.mode = static_cast<FilterMode>(mode);
  property("Offset", "Added to every result. Half of full scale keeps negative values visible in 8 bits.");
  value_input("##offset", filter.offset, settings.display.unit);
  resettable(filter.offset, 0.0);
  draw_iterations_row(context);
}

}  // namespace

void draw_filter_section(PanelContext& context) {
  FilterSpec& filter = context.settings.filter;
  const Palette& p = context.look.colours;
  if (begin_properties("filter")) {
    draw_filter_row(context);
    draw_parameters(context);
    draw_padding_rows(context);
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
  // Folded in a low window, where the sections below would not be visible. Each has its own memory of what is folded.
  const bool tall = ImGui::GetMainViewport()->Size.y > 800 * ImGui::GetStyle().FontScaleMain;
  const bool looked_for = looks_for_property(PropertyPlace::settings);
  ImGui::SetNextItemOpen(tall || looked_for, looked_for ? ImGuiCond_Always : ImGuiCond_Once);
  if (ImGui::TreeNodeEx(tall ? "Taps and padding" : "Taps and padding##low", ImGuiTreeNodeFlags_NoTreePushOnOpen)) {
    if (begin_properties("taps")) {
      draw_corner_row(context);
      draw_taps(context);
      end_properties();
    }
    draw_bell(context);
  }
  if (looked_for) ImGui::SetNextItemOpen(true);
  if (ImGui::TreeNodeEx("Mode, offset, iterations", ImGuiTreeNodeFlags_NoTreePushOnOpen) &&
      begin_properties("outcome")) {
    draw_outcome(context);
    end_properties();
  }
  if (!context.status.filter.error.empty()) complaint(p, context.status.filter.error);
  const bool clips = context.status.filter.taps && context.status.filter.taps->negative() && filter.offset == 0;
  if (clips && is_8_bit(context.settings.lanes[0].format))
    caption("8-bit formats have no negative values: such results become 0. Raise Offset, or choose a float format.",
            p.quiet);
}

}  // namespace conv
