// The settings of the comparing views.
#include <fmt/format.h>

#include <algorithm>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

void draw_difference_rows(PanelContext& context) {
  DifferenceSettings& s = context.settings.difference;
  property("Gain", "Multiplies the difference: 1e6 makes the last bits of a float visible.");
  ImGui::BeginDisabled(s.auto_gain);
  float gain = s.auto_gain ? context.status.picture.gain : s.gain;
  if (slider("##difference gain", gain, 1, 1e6f, "%.4g×", ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp))
    s.gain = gain;
  resettable(s.gain, 1.0f);
  ImGui::EndDisabled();
  property("Auto gain", "The largest difference of the two pictures has the brightest colour.");
  if (ImGui::Checkbox("##auto gain", &s.auto_gain)) s.gain = gain;
  property("Signed", "Blue where B is larger, orange where A is. Off: the absolute difference.");
  ImGui::Checkbox("##signed", &s.with_sign);
  property("Colours", "Maps of evenly rising lightness: equal steps look equal.");
  ImGui::BeginDisabled(s.with_sign);
  if (begin_combo("##map", colour_maps[static_cast<std::size_t>(s.shown_map())].title)) {
    for (const ColourMapInfo& row : colour_maps)
      if (row.map != ColourMap::blue_orange && ImGui::Selectable(row.title.data(), row.map == s.map)) s.map = row.map;
    ImGui::EndCombo();
  }
  ImGui::EndDisabled();
  if (s.with_sign) tooltip("Signed differences are blue and orange, the colours of the lanes.");
  property("Hatch", "Pixels that differ by more than the threshold are hatched.");
  ImGui::Checkbox("##hatched", &s.hatched);
  property("Threshold", "1 is full scale; one level of 8 bits is 0.0039.");
  ImGui::BeginDisabled(!s.hatched);
  ImGui::InputFloat("##threshold", &s.threshold, 0, 0, "%.3g");
  s.threshold = std::max(s.threshold, 0.0f);
  resettable(s.threshold, 1e-5f);
  ImGui::EndDisabled();
}

void draw_side_rows(PanelContext& context) {
  UiState& ui = context.ui;
  property("Unlocked", "Each lane is dragged separately. When locked again, they keep their distance. L");
  ImGui::Checkbox("##unlocked", &ui.compare.unlocked);
  property("B is off by", "In pixels of the image.");
  ImGui::BeginDisabled(ui.compare.apart.x == 0 && ui.compare.apart.y == 0);
  if (ImGui::Button(fmt::format("{:.1f}, {:.1f}  ·  align###align", ui.compare.apart.x, ui.compare.apart.y).c_str()))
    ui.compare.apart = {};
  ImGui::EndDisabled();
}

void draw_flip_rows(PanelContext& context) {
  UiState& ui = context.ui;
  property("Blink", "A and B alternate. Off at every start: flashing pictures can cause seizures.");
  ImGui::Checkbox("##blink", &ui.compare.blinks);
  property("Rate", "Changes per second between A and B.");
  slider("##blink rate", ui.compare.blink_hz, 0.5f, 4, "%.1f Hz");
  resettable(ui.compare.blink_hz, 1.0f);
}

void draw_grid_rows(PanelContext& context) {
  std::vector<std::string>& grid = context.settings.grid;
  property("Beside A, B", "Up to seven variants of the same frame, with the format, block and switches of A.");
  if (!begin_combo("##grid", fmt::format("{} variants", grid.size()))) return;
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

}  // namespace

void draw_compare_section(PanelContext& context) {
  if (!begin_properties("compare")) return;
  switch (context.settings.view) {
    case ViewMode::difference: draw_difference_rows(context); break;
    case ViewMode::side: draw_side_rows(context); break;
    case ViewMode::flip: draw_flip_rows(context); break;
    case ViewMode::grid: draw_grid_rows(context); break;
    case ViewMode::wipe:
    case ViewMode::single: break;
  }
  end_properties();
}

}  // namespace conv
