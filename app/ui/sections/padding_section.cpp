// The padding, with a picture of its effect.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

// The corner of the image with its padding, in the image's own pixels.
void draw_corner(PanelContext& context) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const float cell = std::floor(std::min(44 * scale, ImGui::GetContentRegionAvail().x / 4));
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) {
      const CornerCell& c = context.status.filter.corner[static_cast<std::size_t>(y) * 4 + x];
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
  // The image's edge: padding is left of it and above it.
  const float edge_x = from.x + cell - scale / 2, edge_y = from.y + cell - scale / 2;
  list->AddLine({edge_x, edge_y}, {from.x + 4 * cell, edge_y}, ImGui::GetColorU32(p.fault), 2 * scale);
  list->AddLine({edge_x, edge_y}, {edge_x, from.y + 4 * cell}, ImGui::GetColorU32(p.fault), 2 * scale);
  ImGui::Dummy({4 * cell, 4 * cell});
  tooltip("Top left corner of this image, as levels of luma. Outside the line: the padding.");
}

}  // namespace

void draw_padding_section(PanelContext& context) {
  Settings& settings = context.settings;
  if (!begin_properties("padding")) return;
  property("Padding", "How pixels outside the image are replaced. N chooses the next padding.");
  combo("##padding", borders, settings.border, [](const BorderInfo& row) { return row.border; });
  if (settings.border == Border::constant) {
    property("Value", "The value of every channel outside the image: 0 is black, 1 is white.");
    slider("##padding value", settings.border_value, 0, 1, "%.3f");
    resettable(settings.border_value, 0.0f);
  }
  property("Corner", "The padding at the top left corner.");
  draw_corner(context);
  end_properties();
  const Size2 size = context.status.source.size;
  const Size2 radius = context.status.filter.taps ? context.status.filter.taps->radius() : Size2{};
  if (radius.width >= size.width || radius.height >= size.height)
    caption("window larger than image", context.look.colours.quiet);
}

}  // namespace conv
