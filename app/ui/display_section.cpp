// How values become light. The data stay as they are: only the drawing changes.
#include "app/ui/panels.h"
#include "app/ui/widgets.h"

void draw_display_section(PanelContext& context) {
  DisplaySettings& s = context.settings.display;
  if (!begin_properties("display")) return;
  property("Shown", "Automatic: results that lie around 0, in formats that hold them, are drawn with grey as 0.");
  combo("##shown", display_ranges, s.range, [](const DisplayRangeInfo& row) { return row.range; });
  property("Exposure", "Values are multiplied by 2 to the power of it for the drawing.");
  ImGui::SliderFloat("##exposure", &s.exposure, -10, 10, "%+.2f stops", ImGuiSliderFlags_AlwaysClamp);
  resettable(s.exposure, 0.0f);
  property("Offset", "Added after the exposure; 1 is full scale.");
  ImGui::SliderFloat("##display offset", &s.offset, -1, 1, "%+.3f");
  resettable(s.offset, 0.0f);
  property("Gamma",
           "1 shows 8-bit files as they are. 2.2 shows linear light, such as HDR files, as a screen wants it.");
  ImGui::SliderFloat("##gamma", &s.gamma, 0.2f, 5, "%.2f", ImGuiSliderFlags_AlwaysClamp);
  resettable(s.gamma, 1.0f);
  property("Channels", "One alone is shown as grey.");
  constexpr const char* names[] = {"R", "G", "B"};
  for (int c = 0; c < 3; ++c) {
    if (c > 0) ImGui::SameLine();
    ImGui::Checkbox(names[c], &s.channels[c]);
  }
  property("Pixel grid",
           "Lines between pixels from 8 screen pixels each on, and their values from 24 on. Shift: the bits.");
  ImGui::Checkbox("##pixel grid", &s.pixel_grid);
  end_properties();
}
