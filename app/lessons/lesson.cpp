#include "app/lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "app/lessons/diagram.h"
#include "app/lessons/lesson_facts.h"
#include "app/lessons/trimmed.h"
#include "kernels/core/embedded_file.h"
#include "kernels/core/filter.h"

namespace conv {

std::span<const EmbeddedFile> embedded_lessons();

namespace {

// The order in which they are taught.
constexpr std::string_view order[] = {"window", "padding", "constant",  "tile",      "idle",    "banks",
                                      "unroll", "layout",  "separable", "crossover", "measure", "own"};

class Parser {
 public:
  explicit Parser(std::string_view text) : lines_(std::string(text)) {}

  Result<Lesson> parse() {
    constexpr std::string_view mark = "\xEF\xBB\xBF";  // some editors begin a file of UTF-8 with it
    for (std::string line; std::getline(lines_, line);) {
      if (++number_ == 1 && line.starts_with(mark)) line.erase(0, mark.size());
      if (line.ends_with('\r')) line.pop_back();  // of Windows
      CONV_TRY(take(line));
    }
    if (!fence_.empty()) return wrong("the block that begins with ```" + fence_ + " is not closed");
    if (lesson_.title.empty()) return failure("a lesson begins with a line \"# Title\"");
    if (lesson_.steps.empty()) return failure("a lesson has at least one step, which begins with \"## Title\"");
    lesson_.summary = trimmed(lesson_.summary);
    for (LessonStep& step : lesson_.steps) {
      step.text = trimmed(step.text);
      step.reveal = trimmed(step.reveal);
      if (step.scene.empty()) return failure(step.title + ": a step has a scene before its question");
      take_values(step);
    }
    return std::move(lesson_);
  }

 private:
  tl::unexpected<Error> wrong(const std::string& what) const {
    return failure(fmt::format("line {}: {}", number_, what));
  }

  Result<void> take(const std::string& line) {
    if (line.starts_with("```")) return take_fence(trimmed(line.substr(3)));
    if (!fence_.empty()) {
      block_ += line + "\n";
    } else if (line.starts_with("## ")) {
      if (lesson_.steps.size() == most_steps) return wrong(fmt::format("a lesson has at most {} steps", most_steps));
      lesson_.steps.push_back({.title = trimmed(line.substr(3))});
    } else if (line.starts_with("# ") && lesson_.title.empty()) {
      lesson_.title = trimmed(line.substr(2));
    } else if (lesson_.steps.empty()) {
      lesson_.summary += line + "\n";
    } else {
      LessonStep& step = lesson_.steps.back();
      (step.question ? step.reveal : step.text) += line + "\n";
    }
    return {};
  }

  Result<void> take_fence(const std::string& word) {
    if (fence_.empty()) {
      if (word.empty()) return wrong("a block has a name: scene, fix, picture, controls, question or notes");
      if (lesson_.steps.empty()) return wrong("a block belongs to a step, which begins with \"## Title\"");
      fence_ = word;
      return {};
    }
    if (!word.empty()) return wrong("the block that begins with ```" + fence_ + " is not closed");
    const std::string text = trimmed(std::exchange(block_, {}));
    LessonStep& step = lesson_.steps.back();
    const std::string name = std::exchange(fence_, {});
    if (name == "scene") {
      std::string& scene = step.question ? step.reveal_scene : step.scene;
      if (!scene.empty()) return wrong("a step has one scene before its question, and one behind it");
      scene = text;
    } else if (name == "fix") {
      step.fix = text;
    } else if (name == "picture") {
      Result<LessonPicture> picture = parse_picture(text);
      if (!picture) return wrong(picture.error().text);
      step.picture = std::move(*picture);
    } else if (name == "notes") {
      step.notes = text;
    } else if (name == "controls") {
      return take_controls(step, text);
    } else if (name == "question") {
      if (step.question) return wrong("a step has one question");
      step.question = CONV_TRY(question_in(text));
    } else {
      return wrong(name + ": a block is a scene, a fix, a picture, controls, a question or notes");
    }
    return {};
  }

  Result<void> take_controls(LessonStep& step, const std::string& text) const {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      const auto row = std::ranges::find(lesson_controls, word, &ControlInfo::id);
      if (row == lesson_controls.end()) return wrong("there is no control " + word);
      step.controls.push_back(row->control);
    }
    if (step.controls.size() > most_controls) return wrong("a step keeps at most seven controls");
    return {};
  }

  Result<LessonQuestion> question_in(const std::string& text) const {
    LessonQuestion question;
    std::istringstream lines(text);
    int right = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("- ")) {
        const bool is_right = line.ends_with(" *");
        if (is_right) question.right = static_cast<int>(question.choices.size());
        right += is_right;
        question.choices.push_back(trimmed(line.substr(2, line.size() - (is_right ? 4 : 2))));
      } else if (line.starts_with("= ")) {
        CONV_TRY(take_value(question, line.substr(2)));
      } else {
        question.text += line + "\n";
      }
    }
    question.text = trimmed(question.text);
    const std::size_t choices = question.choices.size();
    const bool by_value = !question.value.empty();
    if (question.place) {
      if (choices > 0 || by_value) return wrong("a question with \"= place\" has no choices and no other value");
      return question;
    }
    if (choices == 0 && question.within == 0)
      return wrong(
          "a question has choices (\"- text\"), or asks for a number (\"= NAME within 5 %\"), for a place (\"= place "
          "10,20 30x40\") or for a curve (\"= curve NAME over radius 1 to 16 within 15 %\")");
    if (by_value && choices > 0 && (choices != 3 || question.value != "faster"))
      return wrong("\"= faster\" decides between three choices: lane A, lane B, and a tie");
    if (choices > 0 && (choices < 2 || choices > most_choices || question.within > 0 || right != (by_value ? 0 : 1)))
      return wrong("a question has two to four choices; one of them ends with *, or a line \"= NAME\" decides");
    return question;
  }

  // "10,20 30x40", or "outside 10,20 30x40"
  Result<void> take_place(LessonQuestion& question, const std::string& text) const {
    constexpr std::string_view outside = "outside ";
    question.outside = text.starts_with(outside);
    std::istringstream numbers(question.outside ? text.substr(outside.size()) : text);
    PixelRect place;
    char comma = 0, by = 0;
    std::string rest;
    numbers >> place.left >> comma >> place.top >> place.width >> by >> place.height;
    const bool is_place =
        numbers && comma == ',' && by == 'x' && !(numbers >> rest) && place.width > 0 && place.height > 0;
    if (!is_place)
      return wrong("a place is \"= place X,Y WxH\" or \"= place outside X,Y WxH\", in pixels of the picture");
    question.place = place;
    return {};
  }

  // "over radius 1 to 16"
  Result<void> take_radii(LessonQuestion& question, std::istringstream& words) const {
    LessonQuestion::Radii radii;
    std::string over, radius, to;
    words >> over >> radius >> radii.from >> to >> radii.to;
    const bool is_range = words && over == "over" && radius == "radius" && to == "to";
    if (!is_range || radii.from < 0 || radii.from > max_radius || radii.to > max_radius || radii.to < radii.from + 2)
      return wrong(
          fmt::format("a curve is \"= curve NAME over radius 1 to 16 within 15 %\", with three radii or more, "
                      "from 0 to {}",
                      max_radius));
    if (source_of_value(question.value) != ValueSource::plan)
      return wrong(question.value + " has no curve: only numbers that follow from the settings have one");
    question.curve = radii;
    return {};
  }

  // "faster", "a.reads within 5 %", "curve a.reads over radius 1 to 16 within 5 %", or a place
  Result<void> take_value(LessonQuestion& question, const std::string& text) const {
    if (text.starts_with("place ")) return take_place(question, text.substr(6));
    std::istringstream words(text);
    std::string within, percent;
    words >> question.value;
    const bool is_curve = question.value == "curve";
    if (is_curve) words >> question.value;
    const auto source = source_of_value(question.value);
    if (!source) return wrong("there is no value " + question.value);
    if (source == ValueSource::word) return wrong(question.value + " is a word: a question asks for a number");
    if (is_curve) CONV_TRY(take_radii(question, words));
    if (!(words >> within) && !is_curve) return {};
    double share = 0;
    words >> share >> percent;
    if (!words || within != "within" || percent != "%" || share <= 0 || share > 100)
      return wrong("a number is asked for by \"= NAME within 5 %\"");
    question.within = share / 100;
    return {};
  }

  static void take_values(LessonStep& step) {
    for (const std::string& text : texts_of(step))
      for (const std::string_view name : values_named_in(text)) {
        const auto source = source_of_value(name);
        step.counted |= source == ValueSource::counts;
        step.timed |= source == ValueSource::times;
      }
  }

  std::istringstream lines_;
  int number_ = 0;
  std::string fence_, block_;  // the name of the block that is being read, and its lines
  Lesson lesson_;
};

// "assets/lessons/tile.en.md"
std::vector<Lesson> read_all() {
  std::vector<Lesson> lessons;
  for (const EmbeddedFile& file : embedded_lessons()) {
    std::string_view name = file.path.substr(file.path.rfind('/') + 1);
    const auto dot = name.find('.');
    Result<Lesson> lesson = parse_lesson(file.text);
    if (!lesson) continue;  // a test reads each of them
    lesson->id = name.substr(0, dot);
    const auto language =
        std::ranges::find(languages, name.substr(dot + 1, name.rfind('.') - dot - 1), &LanguageInfo::id);
    if (language == languages.end()) continue;
    lesson->language = language->language;
    lessons.push_back(std::move(*lesson));
  }
  return lessons;
}

}  // namespace

std::vector<std::string> texts_of(const LessonStep& step) {
  std::vector<std::string> texts{step.title, step.text, step.reveal, step.notes};
  if (step.question) {
    texts.push_back(step.question->text);
    texts.insert(texts.end(), step.question->choices.begin(), step.question->choices.end());
    if (!step.question->value.empty()) texts.push_back("{" + step.question->value + "}");
  }
  return texts;
}

Result<LessonPicture> parse_picture(const std::string& text) {
  const auto colon = std::min(text.find(':'), text.size());
  LessonPicture picture{.name = text.substr(0, colon), .labels = {}};
  std::istringstream labels(text.substr(std::min(colon + 1, text.size())));
  for (std::string label; std::getline(labels, label, ',');) picture.labels.push_back(trimmed(label));
  const auto wanted = labels_of_picture(picture.name);
  if (!wanted) return failure(fmt::format("there is no picture {}", picture.name));
  if (picture.labels.size() == *wanted) return picture;
  return failure(fmt::format("the picture {} has {} labels, separated by commas", picture.name, *wanted));
}

Result<Lesson> parse_lesson(std::string_view markdown) {
  return Parser(markdown).parse();
}

std::vector<std::string_view> lesson_ids() {
  return {std::begin(order), std::end(order)};
}

static const Lesson* lesson_file(std::string_view id, Language language) {
  static const std::vector<Lesson> lessons = read_all();
  const auto found = std::ranges::find_if(
      lessons, [&](const Lesson& lesson) { return lesson.id == id && lesson.language == language; });
  return found == lessons.end() ? nullptr : &*found;
}

const Lesson* find_lesson(std::string_view id, Language language) {
  return std::ranges::find(order, id) == std::end(order) ? nullptr : lesson_file(id, language);
}

const Lesson& gallery(Gallery which, Language language) {
  return *lesson_file(which == Gallery::concepts ? "concepts" : "bugs", language);
}

}  // namespace conv
