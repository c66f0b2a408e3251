// Over the lower left corner of the pictures: what belongs to the chosen view, and how values are displayed.
#include <fmt/format.h>
#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "app/ui/window/actions.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

// The bar grows with its content, up to the edge of the view.
struct Bar {
  PanelContext& context;
  float edge;

  // Puts the next item of this width on the same line, if it fits.
  void flow(float width) const {
    if (end_of_line() + ImGui::GetStyle().ItemSpacing.x + width < edge) ImGui::SameLine();
  }
  // A control of this width, at scale 1, beside the last item.
  void next(float width) const {
    flow(width * ImGui::GetStyle().FontScaleMain);
    ImGui::SetNextItemWidth(width * ImGui::GetStyle().FontScaleMain);
  }
  void checkbox(const char* label, bool& on, std::string_view tip) const {
    flow(control_width(label, true));
    ImGui::Checkbox(label, &on);
    tooltip(tip);
  }
};

void draw_difference_controls(const Bar& bar) {
  PanelContext& context = bar.context;
  DifferenceSettings& s = context.settings.difference;
  float gain = s.auto_gain ? context.status.picture.gain : s.gain;
  if (ImGui::Checkbox("Auto", &s.auto_gain)) s.gain = gain;
  tooltip("The largest difference of the two pictures has the brightest colour.");
  bar.next(190);
  ImGui::BeginDisabled(s.auto_gain);
  if (slider("##difference gain", gain, 1, 1e6f, "%.0f×", ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp))
    s.gain = gain;
  resettable(s.gain, 1.0f);
  ImGui::EndDisabled();
  tooltip("Gain: multiplies the difference. 1e6 makes the last bits of a float visible.");
  bar.next(120);
  ImGui::BeginDisabled(s.with_sign);
  if (begin_combo("##map", colour_maps[static_cast<std::size_t>(s.shown_map())].title)) {
    for (const ColourMapInfo& row : colour_maps)
      if (row.map != ColourMap::blue_orange && ImGui::Selectable(row.title.data(), row.map == s.map)) s.map = row.map;
    ImGui::EndCombo();
  }
  ImGui::EndDisabled();
  tooltip(s.with_sign ? "Signed differences are blue and orange, the colours of the lanes."
                      : "Maps of evenly rising lightness: equal steps look equal.");
  bar.checkbox("Signed", s.with_sign, "Blue where B is larger, orange where A is. Off: the absolute difference.");
  bar.checkbox("Hatch", s.hatched, "Pixels that differ by more than the threshold are hatched.");
  bar.next(90);
  ImGui::BeginDisabled(!s.hatched);
  double threshold = s.threshold;
  if (value_input("##threshold", threshold, context.settings.display.unit))
    s.threshold = static_cast<float>(std::max(threshold, 0.0));
  resettable(s.threshold, 1e-5f);
  ImGui::EndDisabled();
  tooltip(fmt::format("Threshold; full scale is {}.", info(context.settings.display.unit).full_scale));
}

void draw_side_controls(const Bar& bar) {
  PanelContext& context = bar.context;
  CompareView& compare = context.ui.compare;
  ImGui::Checkbox("Unlock", &compare.unlocked);
  tooltip("Each lane is dragged separately. When locked again, they keep their distance. L");
  if (compare.apart.x == 0 && compare.apart.y == 0) return;
  const std::string align = fmt::format("Align: B is off by {:.1f}, {:.1f} px", compare.apart.x, compare.apart.y);
  bar.flow(control_width(align.c_str()));
  if (ImGui::Button(fmt::format("{}###align", align).c_str())) compare.apart = {};
}

void draw_flip_controls(const Bar& bar) {
  PanelContext& context = bar.context;
  CompareView& compare = context.ui.compare;
  ImGui::Checkbox("Blink", &compare.blinks);
  tooltip("A and B alternate. Off at every start: flashing pictures can cause seizures.");
  bar.next(150);
  slider("##blink rate", compare.blink_hz, 0.5f, 4, "%.1f Hz");
  resettable(compare.blink_hz, 1.0f);
  tooltip("Changes per second between A and B.");
}

void draw_grid_controls(const Bar& bar) {
  PanelContext& context = bar.context;
  std::vector<std::string>& grid = context.settings.grid;
  ImGui::SetNextItemWidth(170 * ImGui::GetStyle().FontScaleMain);
  if (!begin_combo("##grid", fmt::format("A, B and {} more", grid.size()))) {
    tooltip("Up to seven more variants of the same frame, with the format, block and switches of A.");
    return;
  }
  for (const Variant* variant : variants()) {
    const auto at = std::find(grid.begin(), grid.end(), variant->id);
    const bool shown = at != grid.end();
    ImGui::BeginDisabled(!shown && grid.size() == max_lanes - 2);
    if (ImGui::Selectable(variant->id.data(), shown, ImGuiSelectableFlags_NoAutoClosePopups)) {
      if (shown)
        grid.erase(at);
      else
        grid.emplace_back(variant->id);
    }
    ImGui::EndDisabled();
    tooltip(variant->idea);
  }
  ImGui::EndCombo();
}

// Returns whether the view has controls.
bool draw_view_controls(const Bar& bar) {
  PanelContext& context = bar.context;
  switch (context.settings.view) {
    case ViewMode::difference: draw_difference_controls(bar); return true;
    case ViewMode::side: draw_side_controls(bar); return true;
    case ViewMode::flip: draw_flip_controls(bar); return true;
    case ViewMode::grid: draw_grid_controls(bar); return true;
    case ViewMode::wipe: {
      const Action& turn = action("wipe_turn");
      if (ImGui::Button("Rotate")) turn.run(context);
      tooltip("Makes the divider horizontal or vertical. V");
      return true;
    }
    case ViewMode::single: return false;
  }
  return false;
}

// Counts of the values of A's picture over the displayed range from black to white.
void draw_histogram(PanelContext& context) {
  context.ui.wants.histogram = true;
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const std::optional<Histogram>& h = context.status.picture.histogram;
  if (!h) return caption("counting", p.quiet);
  ImPlot::PushStyleVar(ImPlotStyleVar_PlotPadding, ImVec2(8, 4) * scale);
  if (ImPlot::BeginPlot("##histogram", {300 * scale, 100 * scale}, ImPlotFlags_CanvasOnly)) {
    ImPlot::SetupAxes(nullptr, nullptr, ImPlotAxisFlags_NoGridLines,
                      ImPlotAxisFlags_NoDecorations | ImPlotAxisFlags_AutoFit);
    const double full = info(context.settings.display.unit).full_scale, low = h->low * full, high = h->high * full;
    ImPlot::SetupAxisLimits(ImAxis_X1, low, high, ImPlotCond_Always);
    ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_SymLog);
    const double width = (high - low) / Histogram::bin_count;
    // The lines differ in width too: red is the thickest, blue the thinnest.
    const ImVec4 colours[] = {{0.86f, 0.37f, 0.34f, 1}, {0.35f, 0.68f, 0.40f, 1}, {0.38f, 0.56f, 0.90f, 1}};
    constexpr const char* names[] = {"R", "G", "B"};
    for (int c = 0; c < h->channels; ++c) {
      std::array<float, Histogram::bin_count> counts;
      for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<float>(h->bins[c][i]);
      ImPlotSpec spec;
      spec.LineColor = h->channels == 1 ? p.text : colours[c];
      spec.LineWeight = static_cast<float>(3 - c) * 0.6f * scale;
      ImPlot::PlotStairs(h->channels == 1 ? "luma" : names[c], counts.data(), static_cast<int>(counts.size()), width,
                         low, spec);
    }
    ImPlot::EndPlot();
  }
  ImPlot::PopStyleVar();
  long long below = 0, above = 0;
  for (int c = 0; c < h->channels; ++c) below += h->below[c], above += h->above[c];
  caption(fmt::format("{}: {} values below black, {} above white", context.status.picture.letters[0], grouped(below),
                      grouped(above)),
          below + above > 0 ? p.fault : p.quiet);
  tooltip("Of all channels. Exposure and offset define black and white. Counts are on a logarithmic axis.");
}

// How values are displayed. The data are unchanged.
void draw_display(const Bar& bar) {
  PanelContext& context = bar.context;
  DisplaySettings& s = context.settings.display;
  const bool changed = s != DisplaySettings{.pixel_grid = s.pixel_grid, .unit = s.unit};
  bar.flow(control_width("Display…"));
  ImGui::PushStyleColor(ImGuiCol_Text, changed ? context.look.colours.fault : context.look.colours.text);
  if (ImGui::Button("Display…") || looks_for_property(PropertyPlace::display)) ImGui::OpenPopup("display");
  ImGui::PopStyleColor();
  tooltip(changed ? "The display is changed: the colours are not those of the values." : "Exposure, gamma, channels.");
  ImGui::SetNextWindowSize({340 * ImGui::GetStyle().FontScaleMain, 0});
  if (!ImGui::BeginPopup("display")) return;
  close_on_escape();
  if (begin_properties("display")) {
    property("Shown", "Automatic: results around 0 are drawn with 0 as grey, if the format has negative values.");
    combo("##shown", display_ranges, s.range, [](const DisplayRangeInfo& row) { return row.range; });
    property("Exposure", "The displayed values are multiplied by 2 to this power.");
    slider("##exposure", s.exposure, -10, 10, "%+.2f stops");
    resettable(s.exposure, 0.0f);
    property("Offset", "Added after the exposure.");
    value_slider("##display offset", s.offset, -1, 1, s.unit, ImGuiSliderFlags_None);
    resettable(s.offset, 0.0f);
    property("Curve", "sRGB: for linear light, such as HDR files.");
    int curve = s.srgb;
    if (ImGui::Combo("##curve", &curve, "Gamma\0sRGB\0")) s.srgb = curve != 0;
    ImGui::BeginDisabled(s.srgb);
    property("Gamma", "1 shows 8-bit files unchanged. 2.2 is for linear light, such as HDR files.");
    slider("##gamma", s.gamma, 0.2f, 5, "%.2f");
    resettable(s.gamma, 1.0f);
    ImGui::EndDisabled();
    property("Channels", "A single channel is shown as grey.");
    constexpr const char* names[] = {"R", "G", "B"};
    for (int c = 0; c < 3; ++c) {
      if (c > 0) ImGui::SameLine();
      ImGui::Checkbox(names[c], &s.channels[c]);
    }
    property("Values in", "The unit of values of pixels: in pictures, panels and fields.");
    combo("##unit", value_units, s.unit, [](const ValueUnitInfo& row) { return row.unit; });
    property("Pixel grid",
             "Lines between pixels from 8 screen pixels each on, and their values from 24 on. Shift: the bits.");
    ImGui::Checkbox("##pixel grid", &s.pixel_grid);
    end_properties();
  }
  ImGui::BeginDisabled(!changed);
  if (ImGui::Button("Reset")) s = {.pixel_grid = s.pixel_grid, .unit = s.unit};
  ImGui::EndDisabled();
  ImGui::EndPopup();
}

// A small window over the pictures, by its lower left corner. As with ImGui::Begin, ImGui::End must follow.
bool begin_overlay(const PanelContext& context, const char* name, ImVec2 corner, float widest) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImGui::SetNextWindowPos(corner, ImGuiCond_Always, {0, 1});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {std::max(1.0f, widest), FLT_MAX});
  ImVec4 ground = context.look.colours.panel;
  ground.w = 0.92f;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ground);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 4 * scale);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(8, 6) * scale);
  constexpr ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                                     ImGuiWindowFlags_NoFocusOnAppearing;
  const bool open = ImGui::Begin(name, nullptr, flags);
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
  return open;
}

}  // namespace

void draw_view_figures(PanelContext& context, const ViewArea& whole, float height) {
  const bool legend = context.settings.view == ViewMode::difference && context.status.picture.no_difference.empty();
  if (!legend && !context.ui.shown.histogram) return;
  const float margin = 8 * ImGui::GetStyle().FontScaleMain;
  const ImVec2 corner{whole.left + margin, whole.top + whole.height - margin - height};
  if (begin_overlay(context, "##view figures", corner, whole.width - 2 * margin)) {
    if (context.ui.shown.histogram) draw_histogram(context);
    if (legend) draw_difference_legend(context);
  }
  ImGui::End();
}

void draw_view_bar(PanelContext& context, const ViewArea& whole) {
  const float margin = 8 * ImGui::GetStyle().FontScaleMain, widest = whole.width - 2 * margin;
  const ImVec2 corner{whole.left + margin, whole.top + whole.height - margin};
  float height = 0;
  if (begin_overlay(context, "##view bar", corner, widest)) {
    height = ImGui::GetWindowHeight() + margin / 2;
    const Bar bar{context, corner.x + widest - margin};
    if (draw_view_controls(bar)) bar.flow(control_width("Original", true));
    ImGui::Checkbox("Original", &context.ui.compare.original);
    tooltip("Shows the source in place of lane A. S, while it is held: in place of all lanes.");
    bar.checkbox("Histogram", context.ui.shown.histogram, "How often each value occurs in A's picture. H");
    draw_display(bar);
  }
  ImGui::End();
  draw_view_figures(context, whole, height);
}

}  // namespace conv
