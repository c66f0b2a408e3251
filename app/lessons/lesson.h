// Lessons: what is shown step by step, with questions that are answered before the result is seen. Each is a Markdown
// file, one per language:
//
//   # Title of the lesson
//   What it is about, in a sentence.
//   ## Title of a step
//   Text; {a.ms} is replaced by what was measured (lesson_facts.h).
//   ```scene        What the window shows, as options (parse_scene). At the second place, behind the question,
//   ```             it is shown once the question has been answered.
//   ```fix          Of a bug: what the window shows once it is put right, as options.
//   ```picture      "name", or "name: label, label": a drawing of an idea (diagram.h).
//   ```controls     The controls that stay, ids separated by spaces.
//   ```question     Its text, then choices as a list; the right one ends with *.
//   ```
//   Text that is shown once the question has been answered.
//   ```notes        For the lecturer.
//   ```
//
// The last line of a question can be "= faster": then there are three choices, for lane A, for lane B, and for a tie.
// Without choices it is "= NAME within P %": a number is asked for; or "= place X,Y WxH": a click on a pixel of this
// part of the picture, and with "= place outside X,Y WxH" on any other pixel; or "= curve NAME over radius 1 to 16
// within P %": the value at each of these radii, drawn as a curve. It is right if it is at most P % of the largest
// value away, on average.
#pragma once
#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/settings.h"
#include "kernels/core/blocks.h"
#include "kernels/core/error.h"

namespace conv {

// The controls that a step can keep.
enum class Control { variant_a, variant_b, filter, sigma, radius, padding, iterations, block, format, layout };
struct ControlInfo {
  Control control;
  std::string_view id;
};
inline constexpr std::array lesson_controls{
    ControlInfo{Control::variant_a, "variant_a"},   ControlInfo{Control::variant_b, "variant_b"},
    ControlInfo{Control::filter, "filter"},         ControlInfo{Control::sigma, "sigma"},
    ControlInfo{Control::radius, "radius"},         ControlInfo{Control::padding, "padding"},
    ControlInfo{Control::iterations, "iterations"}, ControlInfo{Control::block, "block"},
    ControlInfo{Control::format, "format"},         ControlInfo{Control::layout, "layout"},
};

// Choices are named A to D.
inline constexpr std::size_t most_choices = 4;
constexpr char letter_of(std::size_t choice) {
  return static_cast<char>('A' + choice);
}

inline constexpr std::size_t most_controls = 7, most_steps = 100;
inline constexpr std::size_t max_lesson_bytes = 1 << 20, max_text_bytes = 1 << 14;  // of a file, of each text in it

struct LessonQuestion {
  std::string text;                  // Markdown
  std::vector<std::string> choices;  // two or more; empty: a number is asked for
  int right = -1;                    // of the choices; -1: the value is its number
  std::string value;                 // the name of the value that decides; empty: none does
  double within = 0;                 // how far from it a number may be, relative to it; of a curve, see `distance`
  struct Radii {
    int from = 1, to = 16;  // pixels
    friend bool operator==(const Radii&, const Radii&) = default;
  };
  std::optional<Radii> curve;      // the value is asked for at each of these radii
  std::optional<PixelRect> place;  // a pixel is asked for, in this part of the source
  bool outside = false;            // or in all but this part
  friend bool operator==(const LessonQuestion&, const LessonQuestion&) = default;
};

enum class QuestionKind { choices, faster, number, place, curve };
inline QuestionKind kind_of(const LessonQuestion& question) {
  if (question.place) return QuestionKind::place;
  if (question.curve) return QuestionKind::curve;
  if (question.choices.empty()) return QuestionKind::number;
  return question.value.empty() ? QuestionKind::choices : QuestionKind::faster;
}
inline bool is_right_place(const LessonQuestion& question, Point2 pixel) {
  return question.place && question.place->contains(pixel) != question.outside;
}

struct LessonPicture {
  std::string name;  // of picture_names(); empty: none
  std::vector<std::string> labels;
  friend bool operator==(const LessonPicture&, const LessonPicture&) = default;
};

struct LessonStep {
  std::string title;
  std::string scene;  // options
  std::string fix;    // of a bug that the scene shows: a scene without it; empty: there is none
  LessonPicture picture;
  std::vector<Control> controls;  // at most most_controls
  std::string text;               // Markdown
  std::optional<LessonQuestion> question;
  std::string reveal_scene;             // shown once the question has been answered; empty: the same
  std::string reveal;                   // the text that is shown then
  bool counted = false, timed = false;  // its texts name values with ValueSource::counts, ::times
  std::string notes;                    // for the lecturer
  friend bool operator==(const LessonStep&, const LessonStep&) = default;
};

struct Lesson {
  std::string id;  // "tile"
  Language language = Language::english;
  std::string title, summary;
  std::vector<LessonStep> steps;
  std::filesystem::path pictures;  // where the picture files of its scenes are (parse_scene); empty: there are none
  friend bool operator==(const Lesson&, const Lesson&) = default;
};

// "barrier: load, wait, compute". The error says what is expected.
Result<LessonPicture> parse_picture(const std::string& text);

// The texts of a step in which values are named; that which decides its question is one in braces.
std::vector<std::string> texts_of(const LessonStep& step);

// The error names the line and says what is expected there. Scenes are not read: parse_scene does.
Result<Lesson> parse_lesson(std::string_view markdown);

// The lesson as such a file. What a line of a text would mean there is escaped, and "…" stands for a text that may not
// be empty: the file can be read again, unless it has more than max_lesson_bytes.
std::string lesson_text(const Lesson& lesson);

// The lessons that come with the program, in their order.
std::vector<std::string_view> lesson_ids();
// Null if there is none in this language.
const Lesson* find_lesson(std::string_view id, Language language);
// Those of the panel Concepts, which are no lessons of the list: a step for each idea behind the variants, with a
// picture; and one for each bug, with its fix. Their steps have no questions.
enum class Gallery { concepts, bugs };
const Lesson& gallery(Gallery which, Language language);

}  // namespace conv
