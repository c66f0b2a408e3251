// Lessons: what is shown step by step, with questions that are answered before the result is seen. Each is a Markdown
// file, one per language:
//
//   # Title of the lesson
//   What it is about, in a sentence.
//   ## Title of a step
//   Text; {a.ms} is replaced by what was measured (lesson_facts.h).
//   ```scene        What the window shows, as options (parse_scene). At the second place, behind the question,
//   ```             it is shown once the question has been answered.
//   ```controls     The controls that stay, ids separated by spaces.
//   ```question     Its text, then a list of choices, the right one ending with *. Or the line "= NAME" behind them:
//   the
//   ```             choice with this value is right. Or without choices "= NAME within P %": a number is asked for.
//   Text that is shown once the question has been answered.
//   ```notes        For the lecturer.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/settings.h"
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

struct LessonQuestion {
  std::string text;                  // Markdown
  std::vector<std::string> choices;  // two to four, named A to D; empty: a number is asked for
  int right = -1;                    // of the choices; -1: the one that is equal to the value
  std::string value;                 // the name of the value that decides; empty: none does
  double within = 0;                 // how far from it a number may be, relative to it
};

struct LessonStep {
  std::string title;
  std::string scene;              // options; empty: what was shown before stays
  std::vector<Control> controls;  // at most seven
  std::string text;               // Markdown
  std::optional<LessonQuestion> question;
  std::string reveal_scene;  // shown once the question has been answered; empty: the same
  std::string reveal;        // the text that is shown then
  std::string notes;         // for the lecturer
};

struct Lesson {
  std::string id;  // "tile"
  Language language = Language::english;
  std::string title, summary;
  std::vector<LessonStep> steps;
};

// The error names the line and says what is expected there. Scenes are not read: parse_scene does.
Result<Lesson> parse_lesson(std::string_view markdown);

// The lessons that come with the program, in their order.
std::vector<std::string_view> lesson_ids();
// Null if there is none in this language.
const Lesson* find_lesson(std::string_view id, Language language);

}  // namespace conv
