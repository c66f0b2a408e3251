// A lesson as a file, the inverse of parse_lesson.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <sstream>

#include "app/lessons/lesson.h"
#include "app/lessons/trimmed.h"
#include "kernels/core/replaced.h"

namespace conv {

namespace {

// A title or a choice, in one line.
std::string line_of(const std::string& text) {
  std::string line = trimmed(text);
  for (char& c : line)
    if (c == '\n' || c == '\r') c = ' ';
  return line.empty() ? "…" : line;
}

// Lines that would mean something at their place begin with a backslash, which Markdown does not show.
std::string lines_of(const std::string& text, std::initializer_list<std::string_view> meaning) {
  std::istringstream lines(text);
  std::string escaped;
  for (std::string line; std::getline(lines, line);) {
    for (const std::string_view start : meaning)
      if (line.starts_with(start)) {
        line.insert(0, "\\");
        break;
      }
    escaped += line + "\n";
  }
  return escaped;
}

std::string prose(const std::string& text) {
  return text.empty() ? "" : lines_of(text, {"```", "## "}) + "\n";
}

std::string block(std::string_view name, const std::string& text) {
  return text.empty() ? "" : fmt::format("```{}\n{}```\n\n", name, lines_of(text, {"```"}));
}

std::string picture_text(const LessonPicture& picture) {
  std::string text = picture.name;
  for (std::size_t i = 0; i < picture.labels.size(); ++i)
    text += (i == 0 ? ": " : ", ") + replaced(line_of(picture.labels[i]), ",", ";");  // commas separate labels
  return text;
}

std::string controls_text(const LessonStep& step) {
  std::string text;
  for (const Control control : step.controls)
    text +=
        (text.empty() ? "" : " ") + std::string(std::ranges::find(lesson_controls, control, &ControlInfo::control)->id);
  return text;
}

std::string question_text(const LessonQuestion& question) {
  std::string text = lines_of(trimmed(question.text), {"- ", "= "}) + "\n";
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    std::string choice = "- " + line_of(question.choices[i]);
    const bool right = question.right == static_cast<int>(i);
    if (!right && choice.ends_with(" *")) choice.insert(choice.size() - 1, "\\");
    text += choice + (right ? " *\n" : "\n");
  }
  if (const auto& place = question.place)
    return text + fmt::format("= place {}{},{} {}x{}\n", question.outside ? "outside " : "", place->left, place->top,
                              place->width, place->height);
  if (question.value.empty()) return text;
  text += question.curve
              ? fmt::format("= curve {} over radius {} to {}", question.value, question.curve->from, question.curve->to)
              : "= " + question.value;
  if (question.choices.empty()) text += fmt::format(" within {:.6g} %", 100 * question.within);
  return text + "\n";
}

std::string step_text(const LessonStep& step) {
  std::string text = fmt::format("## {}\n\n", line_of(step.title));
  text += block("scene", step.scene.empty() ? "--variant global" : step.scene) + block("fix", step.fix);
  text += block("picture", picture_text(step.picture)) + block("controls", controls_text(step)) + prose(step.text);
  if (step.question)
    text += block("question", question_text(*step.question)) + block("scene", step.reveal_scene) + prose(step.reveal);
  return text + block("notes", step.notes);
}

}  // namespace

std::string lesson_text(const Lesson& lesson) {
  std::string text = fmt::format("# {}\n\n", line_of(lesson.title)) + prose(lesson.summary);
  for (const LessonStep& step : lesson.steps) text += step_text(step);
  text.pop_back();  // the last block ends with an empty line
  return text;
}

}  // namespace conv
