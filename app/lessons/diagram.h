// Pictures of ideas, drawn from the plans on the screen: as shapes, for a panel and for handouts.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/lessons/lesson_facts.h"

namespace conv {

enum class Tone { text, quiet, outline, first, second, bad };  // first, second: the colours of lanes A and B

struct DiagramShape {
  enum class Kind { box, frame, line, words };
  Kind kind;
  float x, y;           // the upper left corner; of words: where they are aligned, and the middle of their height
  float width, height;  // of a line: from one end to the other
  Tone tone;
  std::string text = {};
  float align = 0;  // of words: 0 begins at x, 0.5 is centred there, 1 ends there
};

// One unit is the height of a line of text.
struct Diagram {
  float width = 0, height = 0;
  std::vector<DiagramShape> shapes;
};

// How many labels a picture needs; nothing: there is no such picture.
std::optional<std::size_t> labels_of_picture(std::string_view name);
std::vector<std::string_view> picture_names();
// Nothing while what it shows is not known, or if lane A does not have it.
std::optional<Diagram> diagram_of(const LessonPicture& picture, const LessonFacts& facts);
// On white paper, as 0xRRGGBB.
unsigned paper_colour(Tone tone);
// As an SVG file, for white paper.
std::string svg_of(const Diagram& diagram);

}  // namespace conv
