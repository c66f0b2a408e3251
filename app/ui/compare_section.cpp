// How the difference of the lanes is drawn.
#include <algorithm>

#include "app/ui/panels.h"
#include "app/ui/widgets.h"

void draw_compare_section(PanelContext& context) {
  DifferenceSettings& s = context.settings.difference;
  if (!begin_properties("compare")) return;
  property("Gain", "The difference is multiplied by it: 1e6 makes the last bits of a float visible.");
  ImGui::SliderFloat("##difference gain", &s.gain, 1, 1e6f, "%.4g×",
                     ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
  resettable(s.gain, 1.0f);
  property("Signed", "Blue where B is larger, orange where A is. Off: how far apart, whichever is larger.");
  ImGui::Checkbox("##signed", &s.with_sign);
  property("Colours", "Maps whose lightness grows evenly, so that equal steps look equal.");
  ImGui::BeginDisabled(s.with_sign);
  if (ImGui::BeginCombo("##map", colour_maps[static_cast<std::size_t>(s.shown_map())].title.data())) {
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
  end_properties();
}
