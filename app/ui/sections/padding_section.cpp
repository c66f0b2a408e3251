// The padding, with a picture of its effect.
#include <imgui.h>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

// The corner of the image with its padding, in the image's own pixels.
void draw_corner(PanelContext& context) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain, cell = 16 * scale;
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) {
      const CornerCell& c = context.status.filter.corner[static_cast<std::size_t>(y) * 4 + x];
      const ImVec2 min{from.x + static_cast<float>(x) * cell, from.y + static_cast<float>(y) * cell};
      const ImVec2 max{min.x + cell - scale, min.y + cell - scale};
      if (c.exists)
        list->AddRectFilled(min, max, IM_COL32(c.r, c.g, c.b, 255));
      else
        list->AddRect(min, max, ImGui::GetColorU32(p.hairline));
    }
  // The image's edge: padding is left of it and above it.
  const float edge_x = from.x + cell - scale / 2, edge_y = from.y + cell - scale / 2;
  list->AddLine({edge_x, edge_y}, {from.x + 4 * cell, edge_y}, ImGui::GetColorU32(p.fault), 2 * scale);
  list->AddLine({edge_x, edge_y}, {edge_x, from.y + 4 * cell}, ImGui::GetColorU32(p.fault), 2 * scale);
  ImGui::Dummy({4 * cell, 4 * cell});
}

}  // namespace

void draw_padding_rows(PanelContext& context) {
  Settings& settings = context.settings;
  property("Padding", "How pixels outside the image are replaced. N chooses the next padding.");
  combo("##padding", borders, settings.border, [](const BorderInfo& row) { return row.border; });
  if (settings.border == Border::constant) {
    property("Value", "The value of every channel outside the image.");
    value_slider("##padding value", settings.border_value, 0, 1, settings.display.unit);
    resettable(settings.border_value, 0.0f);
  }
  const Size2 size = context.status.source.size;
  const Size2 radius = context.status.filter.taps ? context.status.filter.taps->radius() : Size2{};
  if (radius.width >= size.width || radius.height >= size.height)
    caption("window larger than image", context.look.colours.quiet);
}

void draw_corner_row(PanelContext& context) {
  property("Corner", "The top left corner of this image. Outside the line: the padding.");
  draw_corner(context);
}

}  // namespace conv
