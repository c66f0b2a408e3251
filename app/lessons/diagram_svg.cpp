#include <fmt/format.h>

#include "app/lessons/diagram.h"

namespace conv {

namespace {

constexpr int unit_px = 21;  // pixels per unit, unless the page that shows the file sets another size

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else
      safe += c;
  }
  return safe;
}

std::string svg_of(const DiagramShape& shape) {
  const std::string colour = fmt::format("#{:06x}", paper_colour(shape.tone));
  const auto rectangle = [&](std::string_view look) {
    return fmt::format(R"(<rect x="{:.3f}" y="{:.3f}" width="{:.3f}" height="{:.3f}" {}/>)", shape.x, shape.y,
                       shape.width, shape.height, look);
  };
  switch (shape.kind) {
    case DiagramShape::Kind::box: return rectangle(fmt::format(R"(fill="{}")", colour));
    case DiagramShape::Kind::frame:
      return rectangle(fmt::format(R"(fill="none" stroke="{}" stroke-width="0.05")", colour));
    case DiagramShape::Kind::line:
      return fmt::format(R"(<line x1="{:.3f}" y1="{:.3f}" x2="{:.3f}" y2="{:.3f}" stroke="{}" stroke-width="0.08"/>)",
                         shape.x, shape.y, shape.x + shape.width, shape.y + shape.height, colour);
    case DiagramShape::Kind::words:
      return fmt::format(
          R"(<text x="{:.3f}" y="{:.3f}" fill="{}" text-anchor="{}" dominant-baseline="central">{}</text>)", shape.x,
          shape.y, colour,
          shape.align == 0   ? "start"
          : shape.align == 1 ? "end"
                             : "middle",
          escaped(shape.text));
  }
  return "";
}

}  // namespace

unsigned paper_colour(Tone tone) {
  switch (tone) {
    case Tone::text: break;
    case Tone::quiet: return 0x5f6b77;
    case Tone::outline: return 0x8a949e;
    case Tone::first: return 0x9a4f00;
    case Tone::second: return 0x0072b2;
    case Tone::bad: return 0xb3261e;
  }
  return 0x12161b;
}

std::string svg_of(const Diagram& diagram) {
  std::string text = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{:.0f}" height="{:.0f}" viewBox="0 0 {} {}" font-family="Inter, Helvetica, Arial, sans-serif" font-size="0.85">)"
      "\n",
      diagram.width * unit_px, diagram.height * unit_px, diagram.width, diagram.height);
  for (const DiagramShape& shape : diagram.shapes) text += svg_of(shape) + "\n";
  return text + "</svg>\n";
}

}  // namespace conv
