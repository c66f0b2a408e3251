#include <fmt/format.h>
#include <implot.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/ui/panels.h"
#include "app/ui/widgets.h"
#include "kernels/core/cost.h"

namespace {

// A right click puts the value of the last item back.
template <class T>
void resettable(T& value, T initial) {
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) value = initial;
}

template <class Infos, class Value, class Get>
void combo(const char* id, const Infos& infos, Value& value, Get get) {
  const auto current = std::find_if(infos.begin(), infos.end(), [&](const auto& info) { return get(info) == value; });
  if (!ImGui::BeginCombo(id, std::string(current->title).c_str(), ImGuiComboFlags_HeightLargest)) return;
  for (const auto& info : infos)
    if (ImGui::Selectable(std::string(info.title).c_str(), get(info) == value)) value = get(info);
  ImGui::EndCombo();
}

// Hatches the part of the last slider beyond `fits`, which the chosen variant cannot do.
void shade_beyond(int fits, int least, int most, const Palette& p) {
  if (fits >= most) return;
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  const float from =
      min.x + (max.x - min.x) * static_cast<float>(fits + 1 - least) / static_cast<float>(most + 1 - least);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect({from, min.y}, max, true);
  ImVec4 colour = p.fault;
  colour.w = 0.45f;
  const float step = 6 * ImGui::GetStyle().FontScaleMain;
  for (float x = from - (max.y - min.y); x < max.x; x += step)
    list->AddLine({x, max.y}, {x + (max.y - min.y), min.y}, ImGui::GetColorU32(colour));
  list->PopClipRect();
}

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

void draw_lane_launch(PanelContext& context, int index, bool linked) {
  const Palette& p = context.look.colours;
  LaneSettings& lane = context.settings.lanes[index];
  const LaneStatus& status = context.status.lanes[index];
  ImGui::PushID(index);
  if (begin_properties("launch")) {
    property("Variant", "Which kernel runs. Its idea is in the tooltip of each entry.");
    draw_variant_combo(context, index, "##variant");
    ImGui::BeginDisabled(linked);
    property("Format", "What a pixel is stored as. Sums are always float; alpha is carried through.");
    combo("##format", pixel_types, lane.format, [](const PixelTypeInfo& info) { return info.type; });
    property("Block", "Threads of a block, x by y. 32 threads make a warp; any shape up to 1024 threads runs.");
    if (ImGui::BeginCombo("##block preset", fmt::format("{}×{}", lane.block.width, lane.block.height).c_str())) {
      for (const Size2 preset : block_presets)
        if (ImGui::Selectable(fmt::format("{}×{}", preset.width, preset.height).c_str(), preset == lane.block))
          lane.block = preset;
      ImGui::EndCombo();
    }
    property("Custom", "The same block by its sides, 1 to 1024 each.");
    int sides[] = {lane.block.width, lane.block.height};
    if (ImGui::DragInt2("##block sides", sides, 0.2f, 1, 1024, "%d", ImGuiSliderFlags_AlwaysClamp))
      lane.block = {sides[0], sides[1]};
    resettable(lane.block, Size2{16, 16});
    ImGui::EndDisabled();
    end_properties();
  }
  if (!status.refusal.empty()) complaint(p, status.refusal);
  if (!status.plan || status.plan->on_host()) {
    if (status.plan) caption("Runs on all cores of the CPU; blocks do not matter.", p.quiet);
  } else {
    const auto& step = std::get<KernelStep>(status.plan->steps.front());
    const auto threads = static_cast<int>(step.block.area());
    const int lanes = context.status.limits.warp_size, warps = ceil_div(threads, lanes), idle = warps * lanes - threads;
    caption(fmt::format("{} threads = {} warps; grid {}×{}", threads, warps, step.grid.width, step.grid.height),
            p.quiet);
    if (idle > 0) caption(fmt::format("{} warps, {} lanes idle", warps, idle), p.fault);
    const Cost cost = cost_of(*status.plan);
    if (cost.shared_bytes > 0)
      caption(fmt::format("{:.1f} KB shared, {} loads per pixel", cost.shared_bytes / 1024.0,
                          three_digits(cost.loads_per_pixel)),
              p.quiet);
  }
  ImGui::PopID();
}

}  // namespace

void draw_source_section(PanelContext& context) {
  const Status& status = context.status;
  SourceSettings& source = context.settings.source;
  UiState& ui = context.ui;
  if (begin_properties("source")) {
    property("File", "A path to open with Enter. Open… and dropping a file do the same.");
    if (ImGui::InputTextWithHint("##path", "drop a picture, or type a path", &ui.path_text,
                                 ImGuiInputTextFlags_EnterReturnsTrue))
      context.commands.push_back(command::OpenFile{ui.path_text});
    if (!status.samples.empty()) {
      property("Sample", "Pictures that come with the program.");
      const auto current = std::find_if(status.samples.begin(), status.samples.end(),
                                        [&](const Sample& sample) { return sample.path == source.path; });
      if (ImGui::BeginCombo("##sample", current == status.samples.end() ? "–" : current->title.c_str())) {
        for (const Sample& sample : status.samples)
          if (ImGui::Selectable(sample.title.c_str(), sample.path == source.path))
            context.commands.push_back(command::OpenFile{sample.path});
        ImGui::EndCombo();
      }
    }
    if (!source.path.empty()) {
      property("Scale", "Of the file: smaller scales average pixels, larger ones repeat them.");
      if (ImGui::BeginCombo("##scale", fmt::format("{} %", source.percent).c_str())) {
        for (const int percent : scale_percents)
          if (ImGui::Selectable(fmt::format("{} %", percent).c_str(), percent == source.percent))
            source.percent = percent;
        ImGui::EndCombo();
      }
    }
    property("Pattern", "Generated images whose right answer is easy to see.");
    const bool pattern = source.path.empty();
    const std::string current(pattern ? patterns[static_cast<std::size_t>(source.pattern)].title : "–");
    if (ImGui::BeginCombo("##pattern", current.c_str())) {
      for (const PatternInfo& info : patterns)
        if (ImGui::Selectable(std::string(info.title).c_str(), pattern && info.kind == source.pattern)) {
          source.pattern = info.kind;
          source.path.clear();
        }
      ImGui::EndCombo();
    }
    if (pattern) {
      property("Size", "Of the generated image.");
      static constexpr Size2 sizes[] = {{256, 256},   {512, 512},   {854, 480},   {1280, 720},  {1024, 1024},
                                        {1920, 1080}, {2048, 2048}, {3840, 2160}, {4096, 4096}, {7680, 4320}};
      const auto text = [](Size2 size) { return fmt::format("{}×{}", size.width, size.height); };
      if (ImGui::BeginCombo("##pattern size", text(source.pattern_size).c_str(), ImGuiComboFlags_HeightLarge)) {
        for (const Size2 size : sizes)
          if (ImGui::Selectable(text(size).c_str(), size == source.pattern_size)) source.pattern_size = size;
        ImGui::EndCombo();
      }
      if (source.pattern == PatternKind::noise) {
        property("Seed", "The same seed gives the same noise on every machine.");
        ImGui::InputScalar("##seed", ImGuiDataType_U32, &source.seed);
        resettable(source.seed, 42u);
      }
    }
    end_properties();
  }
  const double megabytes =
      static_cast<double>(status.source_size.area()) * info(context.settings.lanes[0].format).bytes / (1 << 20);
  caption(fmt::format("{} · {}×{} · {:.1f} MB as {}", status.source_name, status.source_size.width,
                      status.source_size.height, megabytes, info(context.settings.lanes[0].format).title),
          context.look.colours.quiet);
}

void draw_filter_section(PanelContext& context) {
  FilterSpec& filter = context.settings.filter;
  bool& auto_radius = context.settings.auto_radius;
  const Palette& p = context.look.colours;
  if (begin_properties("filter")) {
    property("Filter", "What the window is weighted with. K takes the next one.");
    combo("##filter", filters, filter.kind, [](const FilterInfo& info) { return info.kind; });
    if (filter.kind == FilterKind::gaussian) {
      property("Sigma", "Width of the bell. Notice how little is left of it beyond 3 σ. Keys - and =");
      ImGui::SliderScalar("##sigma", ImGuiDataType_Double, &filter.sigma, &min_sigma, &max_sigma, "%.2f px",
                          ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
      resettable(filter.sigma, 2.0);
    }
    if (filter.kind != FilterKind::custom) {
      int fits = max_radius;
      for (const LaneStatus& lane : context.status.lanes)
        if (lane.active) fits = std::min(fits, lane.max_radius);
      property("Radius",
               fits < max_radius
                   ? "Pixels on each side of the centre. The hatched part is more than a chosen variant can do."
                   : "Pixels on each side of the centre: the window is 2R+1 wide. Keys [ and ]");
      ImGui::BeginDisabled(auto_radius && filter.kind == FilterKind::gaussian);
      ImGui::SliderInt("##radius", &filter.radius, 0, max_radius, "%d px", ImGuiSliderFlags_AlwaysClamp);
      resettable(filter.radius, 5);
      shade_beyond(fits, 0, max_radius, p);
      ImGui::EndDisabled();
    }
    if (filter.kind == FilterKind::gaussian) {
      property("", "");
      ImGui::Checkbox("Auto R = ceil(3 σ)", &auto_radius);
      tooltip("Follow sigma: three sigmas hold 99.7 % of the bell's area along a line.");
      if (auto_radius) filter.radius = effective_radius(filter.sigma);
    }
    const Size2 size =
        filter.kind == FilterKind::custom ? filter.matrix.size : Size2{2 * filter.radius + 1, 2 * filter.radius + 1};
    property("Taps", "Size of the matrix, and whether a row and a column can take its place.");
    ImGui::AlignTextToFramePadding();
    number(context.look.fonts, fmt::format("{}×{}", size.width, size.height), p.text);
    ImGui::SameLine();
    const int rank = context.status.rank;
    ImGui::TextColored(rank <= 1 ? p.pass : p.quiet, "%s",
                       rank <= 1 ? "separable" : fmt::format("rank {}", rank).c_str());
    end_properties();
  }
  if (filter.kind == FilterKind::custom) {
    draw_matrix_editor(context);
    if (begin_properties("custom")) {
      property("Divisor", "The matrix is divided by it.");
      ImGui::InputDouble("##divisor", &filter.divisor, 0, 0, "%.6g");
      property("Offset", "Added to every result; 1 is full scale. 0.5 shows negative values as darker than grey.");
      ImGui::InputDouble("##offset", &filter.offset, 0, 0, "%.6g");
      property("Mode", "Convolution turns the matrix by 180° before it meets the image; correlation does not.");
      int mode = static_cast<int>(filter.mode);
      if (ImGui::Combo("##mode", &mode, "Convolution\0Correlation\0")) filter.mode = static_cast<FilterMode>(mode);
      end_properties();
    }
  }
  if (!context.status.filter_error.empty()) complaint(p, context.status.filter_error);
  draw_bell(context);
}

void draw_boundary_section(PanelContext& context) {
  Settings& settings = context.settings;
  if (!begin_properties("boundary")) return;
  property("Padding", "What the window meets beyond the edge of the image. N takes the next one.");
  combo("##padding", borders, settings.border, [](const BorderInfo& info) { return info.border; });
  if (settings.border == Border::constant) {
    property("Value", "Of every channel outside the image: 0 is black, 1 is white.");
    ImGui::SliderFloat("##padding value", &settings.border_value, 0, 1, "%.3f", ImGuiSliderFlags_AlwaysClamp);
    resettable(settings.border_value, 0.0f);
  }
  end_properties();
  const Size2 size = context.status.source_size;
  if (settings.filter.kind != FilterKind::custom && settings.filter.radius >= std::min(size.width, size.height))
    caption("window larger than image", context.look.colours.quiet);
}

void draw_launch_section(PanelContext& context) {
  Settings& settings = context.settings;
  const Palette& p = context.look.colours;
  const bool side = settings.view == ViewMode::side;
  if (side) ImGui::TextColored(p.lane[0], "A");
  draw_lane_launch(context, 0, false);
  if (!side) return;
  ImGui::Spacing();
  ImGui::TextColored(p.lane[1], "B");
  ImGui::SameLine();
  ImGui::Checkbox("Format and block as A", &settings.link_lanes);
  tooltip("Off: one variant can be compared with itself in another format or under another block.");
  draw_lane_launch(context, 1, settings.link_lanes);
}

void draw_settings(PanelContext& context) {
  if (!context.ui.show_settings) return;
  if (context.ui.focus_settings > 0 && --context.ui.focus_settings == 0) ImGui::SetNextWindowFocus();
  if (ImGui::Begin("Settings", nullptr, ImGuiWindowFlags_NoCollapse)) {
    const auto section = [&](const char* title, void (*draw)(PanelContext&)) {
      ImGui::SetNextItemOpen(true, ImGuiCond_Once);
      if (ImGui::CollapsingHeader(title)) draw(context);
    };
    section("Source", draw_source_section);
    section("Filter", draw_filter_section);
    section("Boundary", draw_boundary_section);
    section("Launch", draw_launch_section);
  }
  ImGui::End();
}
