#include "app/ui/widgets/diagram_view.h"

#include <imgui_internal.h>

#include <algorithm>

#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

ImVec4 colour_of(const Palette& p, Tone tone) {
  switch (tone) {
    case Tone::text: return p.text;
    case Tone::quiet: return p.quiet;
    case Tone::outline: return p.outline;
    case Tone::first: return p.lane[0];
    case Tone::second: return p.lane[1];
    case Tone::bad: return p.fault;
  }
  return p.text;
}

}  // namespace

void draw_diagram(const Look& look, const Diagram& diagram) {
  const ImVec2 space = ImGui::GetContentRegionAvail(), origin = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetFontSize();
  const float unit = std::clamp(std::min(space.x / diagram.width, space.y / diagram.height), 0.55f * line, 2.5f * line);
  const float thin = ImGui::GetStyle().FontScaleMain, text = std::max(0.85f * unit, 0.8f * line);
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const DiagramShape& shape : diagram.shapes) {
    const ImVec2 from = origin + ImVec2{shape.x, shape.y} * unit, to = from + ImVec2{shape.width, shape.height} * unit;
    const ImVec4 tone = colour_of(look.colours, shape.tone);
    const ImU32 colour = ImGui::GetColorU32(tone);
    switch (shape.kind) {
      case DiagramShape::Kind::box: list->AddRectFilled(from, to, colour); break;
      case DiagramShape::Kind::frame: list->AddRect(from, to, colour, 0, 0, thin); break;
      case DiagramShape::Kind::line: list->AddLine(from, to, colour, 1.5f * thin); break;
      case DiagramShape::Kind::words: {
        const float wide = width_of(look.fonts.words, text, shape.text);
        text_at(look.fonts.words, text, {from.x - shape.align * wide, from.y - text / 2}, tone, shape.text);
        break;
      }
    }
  }
  ImGui::Dummy({diagram.width * unit, diagram.height * unit});
}

}  // namespace conv
