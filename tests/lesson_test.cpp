// Lessons: their files, the numbers in them, handouts.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "app/cli/handout_pdf.h"
#include "app/cli/lesson_file.h"
#include "app/cli/options.h"
#include "app/headless/processor.h"
#include "app/lessons/diagram.h"
#include "app/lessons/lesson_curve.h"
#include "app/lessons/own_lessons.h"
#include "app/sources/pattern.h"
#include "kernels/core/file.h"
#include "kernels/core/replaced.h"
#include "kernels/cpu/cpu_executor.h"
#include "kernels/cpu/reference.h"
#include "program.h"
#include "support.h"

namespace conv {

namespace {

// The lessons of the list, the concepts and the bugs.
std::vector<const Lesson*> all_lessons(Language language) {
  std::vector<const Lesson*> all{&gallery(Gallery::concepts, language), &gallery(Gallery::bugs, language)};
  for (const std::string_view id : lesson_ids()) all.push_back(find_lesson(id, language));
  return all;
}

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

std::multiset<std::string> values_of(const LessonStep& step) {
  std::multiset<std::string> names;
  for (const std::string& text : texts_of(step))
    for (const std::string_view name : values_named_in(text)) names.emplace(name);
  return names;
}

TEST(Lessons, AreTheSameInEveryLanguage) {
  const std::vector<const Lesson*> in_english = all_lessons(Language::english);
  for (const LanguageInfo& language : languages) {
    SCOPED_TRACE(language.id);
    const std::vector<const Lesson*> translated = all_lessons(language.language);
    for (std::size_t number = 0; number < in_english.size(); ++number) {
      const Lesson *english = in_english[number], *lesson = translated[number];
      ASSERT_TRUE(english && lesson);
      SCOPED_TRACE(english->id);
      ASSERT_THAT(lesson->steps, SizeIs(english->steps.size()));
      for (std::size_t i = 0; i < lesson->steps.size(); ++i) {
        const LessonStep &step = lesson->steps[i], &same = english->steps[i];
        SCOPED_TRACE(step.title);
        EXPECT_EQ(step.scene, same.scene);
        EXPECT_EQ(step.fix, same.fix);
        EXPECT_EQ(step.reveal_scene, same.reveal_scene);
        EXPECT_EQ(step.controls, same.controls);
        EXPECT_EQ(step.picture.name, same.picture.name);
        EXPECT_EQ(values_of(step), values_of(same));
        for (const std::string& text : texts_of(step))  // such a line would begin a numbered list
          EXPECT_THAT(text, Not(testing::ContainsRegex("^\\{[a-z_.]*\\}\\. ")));
        EXPECT_EQ(step.notes.empty(), same.notes.empty());
        ASSERT_EQ(step.question.has_value(), same.question.has_value());
        if (!step.question) continue;
        EXPECT_THAT(step.question->choices, SizeIs(same.question->choices.size()));
        EXPECT_EQ(step.question->right, same.question->right);
        EXPECT_EQ(step.question->value, same.question->value);
        EXPECT_EQ(step.question->within, same.question->within);
        EXPECT_EQ(step.question->place, same.question->place);
        EXPECT_EQ(step.question->curve, same.question->curve);
        EXPECT_FALSE(step.reveal.empty());
      }
    }
  }
}

TEST(Lessons, HaveScenesThatCanBeShown) {
  for (const Lesson* lesson : all_lessons(Language::english))
    for (const LessonStep& step : lesson->steps)
      for (const std::string& scene : {step.scene, step.fix, step.reveal_scene}) {
        if (scene.empty()) continue;
        const auto shown = parse_scene(scene);
        EXPECT_TRUE(shown) << lesson->id << ", " << step.title << ": " << shown.error().text;
      }
}

// Somebody else may have written a scene.
TEST(Lessons, ReadNoFilesThatTheyName) {
  TemporaryFolder folder;
  const std::string matrix = folder / "matrix.txt";
  ASSERT_TRUE(write_file(matrix, "1 2 1; 2 4 2; 1 2 1"));
  for (const std::string& scene :
       {"--matrix '@" + matrix + "'", std::string("--camera /dev/video0"), std::string("/etc/passwd"),
        std::string("--picture /etc/passwd"), std::string("--picture ../harbour"), std::string("--screenshot x.png"),
        std::string("--frames 1"), std::string("--trust"), std::string("--device gpu"), std::string("--radius 9999"),
        std::string("--help"), std::string("--panel nothing"), std::string("--pattern-size 65536x65536")})
    EXPECT_FALSE(parse_scene(scene)) << scene;
  EXPECT_EQ(parse_scene("--picture harbour --percent 25")->settings.source.percent, 25);
}

struct WrongLesson {
  std::string_view text, says;
};

TEST(Lessons, SayWhereTheyAreWrong) {
  for (const WrongLesson& wrong : {
           WrongLesson{"text", "# Title"},
           WrongLesson{"# T\n", "## Title"},
           WrongLesson{"# T\n```scene\n```\n", "line 2"},
           WrongLesson{"# T\n## S\n```picture\n```\n", "picture"},
           WrongLesson{"# T\n## S\n```picture\nbarrier: load, wait\n```\n", "3 labels"},
           WrongLesson{"# T\n## S\n```scene\n", "not closed"},
           WrongLesson{"# T\n## S\n```scene\n```question\n", "not closed"},
           WrongLesson{"# T\n## S\n```scene\n--radius 1\n```\n```scene\n--radius 2\n```\n", "one scene"},
           WrongLesson{"# T\n## S\ntext\n", "has a scene"},
           WrongLesson{"# T\n## S\n```controls\nspeed\n```\n", "speed"},
           WrongLesson{"# T\n## S\n```question\nWhy?\n```\n", "line 5"},
           WrongLesson{"# T\n## S\n```question\nWhy?\n- a\n- b\n```\n", "two to four choices"},
           WrongLesson{"# T\n## S\n```question\nWhy?\n- a *\n- b *\n```\n", "two to four choices"},
           WrongLesson{"# T\n## S\n```question\nWhy?\n= taps within 0 %\n```\n", "within"},
           WrongLesson{"# T\n## S\n```question\nWhich?\n- {a.variant}\n- {b.variant}\n= faster\n```\n", "a tie"},
           WrongLesson{"# T\n## S\n```question\nWhere?\n= place 1,2 3\n```\n", "= place X,Y WxH"},
           WrongLesson{"# T\n## S\n```question\nWhere?\n= place 1,2 0x3\n```\n", "= place X,Y WxH"},
           WrongLesson{"# T\n## S\n```question\nDraw.\n= curve taps over radius 5 to 6 within 9 %\n```\n",
                       "= curve NAME"},
           WrongLesson{"# T\n## S\n```question\nDraw.\n= curve taps over radius 2147483647 to 16 within 9 %\n```\n",
                       "0 to 64"},
           WrongLesson{"# T\n## S\n```question\nDraw.\n= curve taps over radius 1 to 99 within 9 %\n```\n", "0 to 64"},
           WrongLesson{"# T\n## S\n```question\nDraw.\n= curve taps over radius 1 to 9\n```\n", "within 5 %"},
           WrongLesson{"# T\n## S\n```question\nDraw.\n= curve a.ms over radius 1 to 9 within 9 %\n```\n",
                       "has no curve"},
           WrongLesson{"# T\n## S\n```question\nWhere?\n- a *\n- b\n= place 1,2 3x4\n```\n", "no choices"},
           WrongLesson{"# T\n## S\n```question\nHow many?\n= c.taps within 5 %\n```\n", "no value c.taps"},
       }) {
    const auto lesson = parse_lesson(wrong.text);
    ASSERT_FALSE(lesson) << wrong.text;
    EXPECT_THAT(lesson.error().text, HasSubstr(std::string(wrong.says)));
  }
}

TEST(Lessons, ReadEveryPartOfAStep) {
  const auto lesson = parse_lesson(
      "# Title\n\nAbout.\n\n## Step\n\n```scene\n--radius 2\n```\n\nBefore {taps}.\n\n```question\nWhich?\n\n- one\n"
      "- two *\n```\n\n```scene\n--radius 3\n```\n\nAfter.\n\n```notes\nSay it.\n```\n");
  ASSERT_TRUE(lesson) << lesson.error().text;
  EXPECT_EQ(lesson->title, "Title");
  EXPECT_EQ(lesson->summary, "About.");
  ASSERT_THAT(lesson->steps, SizeIs(1));
  const LessonStep& step = lesson->steps[0];
  EXPECT_EQ(step.scene, "--radius 2");
  EXPECT_EQ(step.text, "Before {taps}.");
  ASSERT_TRUE(step.question);
  EXPECT_EQ(step.question->text, "Which?");
  EXPECT_THAT(step.question->choices, testing::ElementsAre("one", "two"));
  EXPECT_EQ(step.question->right, 1);
  EXPECT_EQ(step.reveal_scene, "--radius 3");
  EXPECT_EQ(step.reveal, "After.");
  EXPECT_EQ(step.notes, "Say it.");
}

TEST(Lessons, NameOnlyValues) {
  for (const LanguageInfo& language : languages)
    for (const Lesson* lesson : all_lessons(language.language))
      for (const LessonStep& step : lesson->steps)
        for (const std::string& text : texts_of(step)) {
          std::string rest = text;
          for (const std::string_view name : values_named_in(text))
            rest = replaced(rest, fmt::format("{{{}}}", name), "");
          EXPECT_THAT(rest, Not(HasSubstr("{"))) << lesson->id << ", " << step.title;
        }
  // Text of a kernel stays as it is.
  EXPECT_THAT(values_named_in("if (x < 0) { return {radius}; } {}"), testing::ElementsAre("radius"));
}

TEST(LessonText, IsReadAgainAsTheSameLesson) {
  for (const LanguageInfo& language : languages)
    for (const Lesson* lesson : all_lessons(language.language)) {
      Result<Lesson> again = parse_lesson(lesson_text(*lesson));
      ASSERT_TRUE(again) << lesson->id << ": " << again.error().text;
      again->id = lesson->id;
      again->language = lesson->language;
      EXPECT_TRUE(*again == *lesson) << lesson->id;
    }
}

// Whatever is typed into the fields, the file has the same steps and choices.
TEST(LessonText, EscapesWhatALineWouldMean) {
  const std::string hostile = "```question\n- a *\n= taps within 5 %\n## Step\n# Title\n```\n\n{nothing} {taps";
  Lesson lesson{.title = hostile, .summary = hostile};
  for (const std::string& text : {hostile, std::string(), std::string("\n"), std::string(" *"), std::string("*"),
                                  std::string("x * "), std::string(" - a"), std::string("= b\n")})
    lesson.steps.push_back({.title = text,
                            .scene = "--radius 2",
                            .text = text,
                            .question = LessonQuestion{.text = text, .choices = {text, text}, .right = 1},
                            .reveal_scene = "--radius 3",
                            .reveal = text,
                            .notes = text});
  lesson.steps.push_back(
      {.title = "Number", .scene = "--radius 2", .question = LessonQuestion{.value = "taps", .within = 0.005}});
  for (const bool outside : {false, true})
    lesson.steps.push_back(
        {.title = "Place",
         .scene = "--radius 2",
         .question = LessonQuestion{.text = "Where?", .place = PixelRect{1, 2, 30, 40}, .outside = outside}});
  lesson.steps.push_back(
      {.title = "Curve",
       .scene = "--radius 2",
       .question = LessonQuestion{
           .text = "Draw.", .value = "a.reads", .within = 0.15, .curve = LessonQuestion::Radii{.from = 0, .to = 64}}});
  for (LessonStep& step : lesson.steps)
    step.picture = {"broadcast", {step.title + ", with commas, and more", step.title.substr(0, 1)}};
  const std::string text = lesson_text(lesson);
  const Result<Lesson> read = parse_lesson(text);
  ASSERT_TRUE(read) << read.error().text << "\n" << text;
  ASSERT_THAT(read->steps, SizeIs(lesson.steps.size()));
  for (std::size_t i = 0; i < 8; ++i) {
    SCOPED_TRACE(i);
    const LessonStep& step = read->steps[i];
    EXPECT_EQ(step.scene, "--radius 2");
    EXPECT_EQ(step.reveal_scene, "--radius 3");
    ASSERT_TRUE(step.question);
    EXPECT_THAT(step.question->choices, SizeIs(2));
    EXPECT_EQ(step.question->right, 1);
    EXPECT_EQ(step.question->value, "");
  }
  for (std::size_t i = 8; i < 12; ++i) {
    lesson.steps[i].picture = read->steps[i].picture;
    EXPECT_TRUE(read->steps[i] == lesson.steps[i]) << i;
  }
  EXPECT_THAT(read->steps[8].picture.labels, testing::ElementsAre("Number; with commas; and more", "N"));
  EXPECT_TRUE(is_right_place(*read->steps[9].question, {30, 41}));
  EXPECT_FALSE(is_right_place(*read->steps[9].question, {31, 41}));
  EXPECT_TRUE(is_right_place(*read->steps[10].question, {31, 41}));
  EXPECT_EQ(lesson_text(*read), lesson_text(*parse_lesson(lesson_text(*read))))
      << "nothing is escaped twice in meaning";
}

// As an editor on Windows saves it.
TEST(Lessons, MayHaveOtherLineEnds) {
  const Lesson& tile = *find_lesson("tile", Language::english);
  const Result<Lesson> read = parse_lesson("\xEF\xBB\xBF" + replaced(lesson_text(tile), "\n", "\r\n"));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_TRUE(read->steps == tile.steps);
}

TEST(Lessons, AskForNumbersThatAreNumbers) {
  const auto asked =
      parse_lesson("# T\n## S\n```scene\n--radius 1\n```\n```question\nWhich?\n= a.variant within 5 %\n```\n");
  ASSERT_FALSE(asked);
  EXPECT_THAT(asked.error().text, HasSubstr("a.variant is a word"));
  for (const std::string& name : value_names()) EXPECT_TRUE(source_of_value(name)) << name;
}

// A text of braces alone is searched once, not once for each brace.
TEST(Lessons, AreSearchedInOnePass) {
  EXPECT_TRUE(values_named_in(std::string(1 << 20, '{') + "}").empty());
  EXPECT_THAT(values_named_in("{{{radius}}"), testing::ElementsAre("radius"));
}

TEST(OwnLessons, AreKeptInAFolder) {
  TemporaryFolder folder;
  const std::filesystem::path lessons = folder / "lessons";
  EXPECT_TRUE(read_own_lessons(lessons)->lessons.empty()) << "the folder is missing";
  const Lesson& tile = *find_lesson("tile", Language::english);
  ASSERT_TRUE(write_own_lesson(lessons, {"mine.md", lesson_text(tile)}));
  ASSERT_TRUE(write_file(lessons / "broken.md", "nothing"));
  ASSERT_TRUE(write_file(lessons / "other.txt", "nothing"));
  const auto own = read_own_lessons(lessons);
  ASSERT_TRUE(own);
  ASSERT_THAT(own->lessons, SizeIs(1));
  EXPECT_TRUE(own->lessons.at("mine.md").steps == tile.steps);
  EXPECT_THAT(own->problems, testing::ElementsAre(HasSubstr("broken.md: ")));
  EXPECT_FALSE(write_own_lesson(lessons, {"mine.md", std::string(max_lesson_bytes + 1, 'x')}));
  EXPECT_TRUE(read_own_lessons(lessons)->lessons.contains("mine.md")) << "what was there stays";
  ASSERT_TRUE(write_own_lesson(lessons, {"mine.md", ""}));
  EXPECT_TRUE(read_own_lessons(lessons)->lessons.empty());
}

// The numbers of a step with a global and a tiled kernel, from their plans.
TEST(LessonNumbers, AreThoseOfThePlans) {
  Settings settings =
      parse_scene("--radius 5 --format f32 --variant global --variant-b tile_linear --view side")->settings;
  const Size2 image{100, 70};
  const auto taps = std::make_shared<const Taps>(*taps_of(settings.filter));
  LessonPlans plans;
  for (int i = 0; i < 2; ++i)
    plans[i] =
        std::make_shared<const LaunchPlan>(*plan_of(lane_settings(settings, i), settings, taps, image, cpu_limits()));
  const LessonCounts counts = count_for_lesson(plans);
  LessonFacts facts{.settings = settings, .image = image, .plans = plans};
  // A direct kernel also reads the pixel itself: its alpha is kept.
  EXPECT_EQ(with_values("{taps} {side}×{side} {a.reads} {b.reads}", facts), "121 11×11 122 2.64");
  EXPECT_EQ(with_values("{b.staged} {b.tile} {b.grid} {b.blocks} {b.threads} {b.warps}", facts),
            "676 256 7×5 35 256 8");
  // A tile of 16x16 with an apron of 5 has 676 pixels: 256 * 121 / 676. The grid has 112x80 threads for 100x70 pixels.
  EXPECT_EQ(with_values("{b.reuse} {b.outside} {b.format} {b.megabytes}", facts), "45.8 1960 F32 luma 0.0280");
  EXPECT_EQ(with_values("{a.ms} {faster} {a.sectors}", facts), "… … …");
  facts.counts = &counts;
  EXPECT_NEAR(lesson_value("a.sectors", facts)->number, 5.8, 0.2);
  EXPECT_NEAR(lesson_value("b.wavefronts", facts)->number, 2, 0.2);
  facts.ms = {3.0, 2.0};
  EXPECT_EQ(with_values("{ratio}", facts), "1.50");

  // The median alone says nothing: the program's rule does, and it knows ties.
  const LessonQuestion which{.choices = {"{a.variant}", "{b.variant}", "A tie"}, .value = "faster"};
  EXPECT_FALSE(right_choice(which, facts));
  for (const auto& [faster, choice] : {std::pair{0, 0}, {1, 1}, {-1, 2}}) {
    facts.faster = faster;
    EXPECT_EQ(right_choice(which, facts), choice);
  }
  const LessonQuestion how_many{.value = "b.staged", .within = 0.05};
  EXPECT_EQ(is_right_number(how_many, 650, facts), true);
  EXPECT_EQ(is_right_number(how_many, 256, facts), false);
}

TEST(LessonNumbers, MakeACurveOverTheRadius) {
  Settings settings = parse_scene("--radius 5 --format f32 --variant tile_linear")->settings;
  const auto taps = std::make_shared<const Taps>(*taps_of(settings.filter));
  LessonFacts facts{.settings = settings, .image = {100, 70}};
  facts.plans[0] = std::make_shared<const LaunchPlan>(
      *plan_of(lane_settings(settings, 0), settings, taps, facts.image, cpu_limits()));
  LessonQuestion question{.value = "a.staged", .within = 0.1, .curve = LessonQuestion::Radii{.from = 1, .to = 4}};
  const Curve right = curve_of(question, facts, cpu_limits());
  EXPECT_THAT(right, testing::ElementsAre(18 * 18, 20 * 20, 22 * 22, 24 * 24)) << "a tile of 16x16 with its apron";
  EXPECT_EQ(top_of(right), 700);
  EXPECT_EQ(text_of(question, right), "R 1: 324, R 2: 400, R 3: 484, R 4: 576");
  EXPECT_EQ(distance(right, right), 0);
  EXPECT_NEAR(*distance({324 + 57.6, 400, 484 - 57.6, std::nullopt}, right), 0.2 / 3, 1e-9);

  // Where the lane cannot run there is no value, and nothing is compared.
  DeviceLimits small = cpu_limits();
  small.max_shared_bytes = 1024;
  const Curve none = curve_of(question, facts, small);
  EXPECT_THAT(none, testing::Each(std::nullopt));
  EXPECT_EQ(distance({1, 2, 3}, none), std::nullopt);
  EXPECT_EQ(top_of(none), 1);
}

// What a scene shows, measured and counted.
struct Shown {
  Settings settings;
  Size2 image{480, 320};
  LessonPlans plans;
  LessonCounts counts;

  explicit Shown(const std::string& scene) : settings(parse_scene(scene)->settings) {
    const auto taps = std::make_shared<const Taps>(*taps_of(settings.filter));
    for (int i = 0; i < (settings.view == ViewMode::single ? 1 : 2); ++i)
      plans[i] =
          std::make_shared<const LaunchPlan>(*plan_of(lane_settings(settings, i), settings, taps, image, cpu_limits()));
    counts = count_for_lesson(plans);
  }
  LessonFacts facts() const {
    return {.settings = settings,
            .image = image,
            .plans = plans,
            .ms = {2.0, 1.0},
            .counts = &counts,
            .first_ms = {5.0, 3.0},
            .multiprocessor = MultiprocessorLimits{.shared_bytes = 228 * 1024, .count = 132},
            .gpu = "a GPU"};
  }
};

std::vector<std::string> words_in(const Diagram& diagram) {
  std::vector<std::string> words;
  for (const DiagramShape& shape : diagram.shapes)
    if (shape.kind == DiagramShape::Kind::words) words.push_back(shape.text);
  return words;
}

// Each with its own scene: a text without gaps, and a picture within its frame.
TEST(Concepts, HaveNumbersAndAPicture) {
  std::set<std::string> drawn;
  for (const LessonStep& idea : gallery(Gallery::concepts, Language::english).steps) {
    SCOPED_TRACE(idea.title);
    const Shown shown(idea.scene);
    EXPECT_THAT(with_values(idea.text, shown.facts()), Not(HasSubstr("…")));
    const auto diagram = diagram_of(idea.picture, shown.facts());
    ASSERT_TRUE(diagram);
    drawn.insert(idea.picture.name);
    EXPECT_THAT(diagram->shapes, Not(testing::IsEmpty()));
    for (const DiagramShape& s : diagram->shapes) {
      EXPECT_GE(std::min(s.x, s.x + s.width), -0.01f);
      EXPECT_GE(std::min(s.y, s.y + s.height), -0.01f);
      EXPECT_LE(std::max(s.x, s.x + s.width), diagram->width + 0.01f);
      EXPECT_LE(std::max(s.y, s.y + s.height), diagram->height + 0.01f);
    }
  }
  for (const char* of_a_puzzle : {"window", "clamp", "loads"}) drawn.insert(of_a_puzzle);
  EXPECT_EQ(drawn.size(), picture_names().size()) << "each picture belongs to an idea";
}

struct PictureCase {
  std::string name, scene, says;
};

// 26x26 pixels of 16x16; 32 pixels of 4 bytes; a row of 32 words, so that both halves of a warp meet.
TEST(Concepts, PicturesAreDrawnFromThePlan) {
  for (const PictureCase& one : {
           PictureCase{"passes", "--radius 3 --variant global", "7 + 7 = 14"},
           {"apron", "--radius 5 --variant tile_linear --block 16x16", "676 / 256 = 2.64"},
           {"hierarchy: T, W, B, G, R, C, S, M", "--radius 5 --variant tile_linear --block 32x8", "32×8"},
           {"buffers: p, b, r, h", "--radius 5 --variant separable_tiles", "b 1"},
           {"buffers: p, b, r, h", "--radius 5 --variant streams", "p, h"},
           {"loads: first load, second load", "--radius 2 --variant tile_linear --block 16x16", "400 = 256 + 144"},
           {"window: window, pixel", "--radius 2 --variant global", "24"},
           {"clamp: pixels, outside", "--radius 2 --variant global", "x -2"},
           {"sectors", "--format f32 --variant global --block 32x8", "1 × 4 = 4"},
           {"sectors", "--format f32 --variant global --block 8x8", "4 × 1 = 4"},
           {"sectors", "--format rgba32f --variant global --block 16x16", "2 × 8 = 16"},
           {"banks", "--format f32 --radius 8 --variant tile_linear --block 16x16", "2 ×"},
           {"banks", "--format f32 --radius 8 --variant tile_linear --block 32x8", "1 ×"},
           {"residency", "--radius 2 --variant global --block 16x16", "8 × 8 = 64 / 64"},
           // 480x320 pixels are 600 blocks; 132 multiprocessors with 8 each hold 1056.
           {"waves", "--radius 2 --variant global --block 16x16", "600 / 1056 = 0.568"},
           {"intensity", "--radius 4 --variant global", "81"},
           {"algorithms: a, b, c", "--radius 4 --variant global", "18"},
       }) {
    SCOPED_TRACE(one.name + " " + one.scene);
    const Shown shown(one.scene);
    const auto diagram = diagram_of(*parse_picture(one.name), shown.facts());
    ASSERT_TRUE(diagram);
    EXPECT_THAT(words_in(*diagram), testing::Contains(one.says));
  }
  EXPECT_FALSE(parse_picture("algorithms")) << "its labels are missing";
  EXPECT_FALSE(diagram_of({.name = "algorithms"}, Shown("--variant global").facts()));
  // A byte a pixel: banks of words show nothing.
  EXPECT_FALSE(diagram_of({.name = "banks"}, Shown("--format gray8 --variant tile_linear").facts()));
}

// What lane A of a scene computes from a picture; nothing if it refuses to.
std::optional<HostImage> result_of(const std::string& scene, const Picture& picture) {
  const Settings settings = parse_scene(scene)->settings;
  const LaneSettings lane = lane_settings(settings, 0);
  const auto taps = std::make_shared<const Taps>(*taps_of(settings.filter));
  const auto plan = plan_of(lane, settings, taps, picture.size, cpu_limits());
  if (!plan) return std::nullopt;
  HostImage result(lane.format, plan->image);
  CpuExecutor executor;
  return executor.run(*plan, to_format(picture, lane.format), result) ? std::optional(std::move(result)) : std::nullopt;
}

TEST(Concepts, BuffersHaveTheTimesOfTheSteps) {
  const Shown shown("--radius 5 --variant separable_tiles");
  LessonFacts facts = shown.facts();
  const auto words = [&] { return words_in(*diagram_of({"buffers", {"p", "b", "r", "h"}}, facts)); };
  EXPECT_THAT(words(), Not(testing::Contains(HasSubstr(" ms"))));
  facts.step_ms = {0.25, 1.5};
  EXPECT_THAT(words(), testing::IsSupersetOf({"0.250 ms", "1.50 ms"}));
}

TEST(Bugs, AreWrongUntilTheyAreFixed) {
  const Picture picture = make_pattern(PatternKind::noise, {150, 90});
  int refused = 0;
  for (const LessonStep& bug : gallery(Gallery::bugs, Language::english).steps) {
    SCOPED_TRACE(bug.title);
    const auto wrong = result_of(bug.scene, picture), fixed = result_of(bug.fix, picture);
    ASSERT_TRUE(fixed);
    const Settings settings = parse_scene(bug.fix)->settings;
    const HostImage source = to_format(picture, fixed->type);
    EXPECT_TRUE(compare(*fixed, reference_of(source, settings.filter, settings.border, 0), 1e-3f).pass);
    refused += !wrong;
    EXPECT_TRUE(!wrong || wrong->bytes != fixed->bytes);
  }
  EXPECT_EQ(refused, 1) << "a block with too many threads";
}

TEST(Concepts, AmdahlsLawIsInTheNumbers) {
  const Shown shown("--variant global --variant-b constant --view side");
  LessonFacts facts = shown.facts();
  facts.ms = {3.0, 1.0};
  EXPECT_EQ(with_values("{ratio} {whole}", facts), "3.00 2.50");  // 1 / (0.1 + 0.9 / 3)
}

TEST(LessonCommand, ListsAllByOneLineEach) {
  const ProgramOutcome listed = run_program("lesson --list --language it");
  EXPECT_EQ(listed.status, 0);
  EXPECT_EQ(std::ranges::count(listed.out, '\n'), static_cast<long>(lesson_ids().size()));
  EXPECT_THAT(listed.out, HasSubstr(find_lesson("tile", Language::italian)->title));
  EXPECT_EQ(run_program("lesson nothing").status, 2);
  EXPECT_EQ(run_program("lesson").status, 2);
}

TEST(LessonCommand, WritesAHandoutAndReplacesNone) {
  TemporaryFolder folder;
  const std::filesystem::path handout = folder / "handout";
  const std::string command = fmt::format("lesson padding --handout '{}' --device cpu", handout.string());
  ASSERT_EQ(run_program(command).status, 0);
  const std::string html = read_file(handout / "index.html").value_or("");
  EXPECT_THAT(html, HasSubstr("<h1>What is outside the picture?</h1>"));
  EXPECT_THAT(html, HasSubstr("x 15–464, y 15–254"));
  EXPECT_THAT(html, HasSubstr("<strong>450</strong>"));  // 480 - 2 * 15: the width of the result
  EXPECT_THAT(html, Not(HasSubstr("…")));
  EXPECT_THAT(html, Not(HasSubstr("NVIDIA H200"))) << "this lesson has no times";
  EXPECT_THAT(html.substr(html.find("<body>")), Not(HasSubstr("{"))) << "a value without a number";
  const std::string pdf = read_file(handout / "handout.pdf").value_or("");
  EXPECT_TRUE(pdf.starts_with("%PDF-") && pdf.ends_with("%%EOF\n"));
  EXPECT_NE(pdf.find("/Subtype /Image"), std::string::npos);
  for (const char* picture : {"step-1-a.png", "answer-4-a.png"}) {
    EXPECT_THAT(html, HasSubstr(picture));
    EXPECT_TRUE(file_exists(handout / picture));
  }
  EXPECT_EQ(run_program(command).status, 2);
}

// A lesson's text can be anybody's: it opens no file, and whatever it says becomes pages.
TEST(LessonCommand, AnyTextBecomesAPdf) {
  TemporaryFolder folder;
  ASSERT_TRUE(save_picture(make_pattern(PatternKind::noise, {40, 30}), folder / "mine.png"));
  ASSERT_TRUE(save_picture(make_pattern(PatternKind::noise, {40, 30}), folder / "other.png"));
  const auto pictures_in = [&](const std::string& text) {
    EXPECT_TRUE(write_pdf("A \xff title", text, {folder / "", {"mine.png"}, {}}, folder / "h.pdf"));
    const std::string pdf = *read_file(folder / "h.pdf");
    EXPECT_TRUE(pdf.starts_with("%PDF-") && pdf.ends_with("%%EOF\n"));
    int pictures = 0;
    for (std::size_t at = 0; (at = pdf.find("/Subtype /Image", at)) != std::string::npos; ++at) ++pictures;
    return pictures;
  };
  EXPECT_EQ(pictures_in("![a](mine.png)"), 1);
  EXPECT_EQ(pictures_in("![a](mine.png)\n\ntext\n\n![b](mine.png)"), 1) << "the file holds it once";
  EXPECT_EQ(pictures_in("![a](other.png) ![b](/etc/hostname) ![c](../mine.png) ![d]()"), 0);
  EXPECT_EQ(pictures_in(""), 0);
  EXPECT_EQ(pictures_in("![](mine.png)"), 1) << "also without a caption";
  EXPECT_EQ(pictures_in(replaced(std::string(2000, 'x'), "x", "![](mine.png) ")), 1);
  EXPECT_EQ(pictures_in("* \n\nafter\n\n1. ![](mine.png)\n2.\n\n**a *b* c**`d`, e\\\nf &lt; &#955; g\th"), 1);
  EXPECT_EQ(pictures_in(std::string(std::size_t{1} << 20, 'w')), 0);
  std::string nested;
  for (int i = 0; i < 200; ++i) nested += "> ";
  for (int i = 0; i < 50; ++i) nested += "- ";
  EXPECT_EQ(pictures_in("###### \xc3\x28\n\n" + nested + std::string(5000, 'w') + "\n\n```\n<b> & \\\n```\n"), 0);
  EXPECT_EQ(pictures_in("> " + replaced(std::string(20000, 'x'), "x", "long ")), 0);  // more than a page
}

// Somebody else may have written the lesson.
TEST(LessonCommand, AHandoutLeadsToTheWebOrNowhere) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "own.md", handout = folder / "handout";
  const std::string scene = "```scene\n--pattern noise --pattern-size 40x30 --radius 1\n```\n";
  ASSERT_TRUE(write_file(file,
                         "# T\n\n[x](javascript:alert(1)) ![y](file:///etc/passwd) [z](https://example.org/a) "
                         "[quoted](<javascript:\"> \"href\")\n\n## S\n\n" +
                             scene + "\nx\n"));
  const std::string command = fmt::format("lesson '{}' --device cpu --handout '{}'", file.string(), handout.string());
  ASSERT_EQ(run_program(command).status, 0);
  const std::string html = *read_file(handout / "index.html");
  EXPECT_THAT(html, Not(HasSubstr("javascript:")));
  EXPECT_THAT(html, Not(HasSubstr("file:")));
  EXPECT_THAT(html, HasSubstr("href=\"https://example.org/a\""));
  EXPECT_THAT(html, HasSubstr("src=\"step-1-a.png\""));
  // Nothing remains of one that fails.
  std::filesystem::remove_all(handout);
  ASSERT_TRUE(
      write_file(file, "# T\n\nx\n\n## S\n\n" + scene + "\n## S2\n\n```scene\n--file none.png --radius 1\n```\n\nx\n"));
  EXPECT_EQ(run_program(command).status, 2);
  EXPECT_FALSE(std::filesystem::exists(handout));
}

TEST(LessonCommand, ReadsAFile) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "own.md";
  const auto run = [&](const std::string& text) {
    EXPECT_TRUE(write_file(file, text));
    return run_program(fmt::format("lesson '{}' --device cpu", file.string()));
  };
  const ProgramOutcome shown =
      run("# Mine\n\n## First\n\n```scene\n--pattern noise --pattern-size 40x30 --radius 3\n```\n\n{taps}\n");
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.out, HasSubstr("# Mine"));
  EXPECT_THAT(shown.out, HasSubstr("49"));
  const ProgramOutcome reads = run("# Mine\n\n## First\n\n```scene\n/etc/passwd --radius 3\n```\n");
  EXPECT_EQ(reads.status, 2);
  EXPECT_THAT(reads.out, HasSubstr("the scene of \"First\""));
  EXPECT_THAT(run("nothing").out, HasSubstr("own.md: a lesson begins with"));
}

// The pictures that a lesson names go with it, whatever folder they were in.
TEST(LessonCommand, ReadsABundle) {
  TemporaryFolder folder;
  std::filesystem::create_directories(folder / "x");
  for (const char* file : {"a.npy", "x/a.npy"})
    ASSERT_TRUE(save_picture(make_pattern(PatternKind::noise, {file[0] == 'x' ? 33 : 40, 30}), folder / file));
  const std::string text =
      "# Mine\n\n## First\n\n```scene\n--file a.npy --radius 3\n```\n\n{image}\n\n"
      "## Second\n\n```scene\n--file x/a.npy --radius 3\n```\n\n{image}\n";
  ASSERT_TRUE(write_file(folder / "own.md", text));
  const Result<Lesson> lesson = read_lesson_file(folder / "own.md");
  ASSERT_TRUE(lesson) << lesson.error().text;
  const std::filesystem::path bundle = folder / "elsewhere.zip";
  ASSERT_TRUE(write_bundle(bundle, *bundle_of(*lesson)));
  EXPECT_THAT(*list_bundle(bundle), testing::ElementsAre("lesson.md", "a.npy", "a-2.npy"));
  EXPECT_EQ(*read_any_file(bundle / "a-2.npy"), *read_file(folder / "x/a.npy"));
  for (const char* file : {"a.npy", "own.md"}) std::filesystem::remove(folder / file);
  const ProgramOutcome shown = run_program(fmt::format("lesson '{}' --device cpu", bundle.string()));
  EXPECT_EQ(shown.status, 0) << shown.out;
  EXPECT_THAT(shown.out, HasSubstr("40"));
  EXPECT_THAT(shown.out, HasSubstr("33"));
}

// A diagram is a file of its own; text in it cannot become elements.
TEST(LessonCommand, DrawsDiagramsInTheHandout) {
  TemporaryFolder folder;
  const std::filesystem::path handout = folder / "handout";
  ASSERT_EQ(run_program(fmt::format("lesson concepts --handout '{}' --device cpu", handout.string())).status, 0);
  const std::string html = read_file(handout / "index.html").value_or("");
  const Lesson& lesson = gallery(Gallery::concepts, Language::english);
  EXPECT_THAT(html, Not(HasSubstr("…")));
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const std::string file = fmt::format("step-{}-diagram.svg", i + 1);
    EXPECT_THAT(html, HasSubstr(file));
    EXPECT_THAT(read_file(handout / file).value_or(""), testing::StartsWith("<svg ")) << lesson.steps[i].title;
  }
  const Diagram sample{2, 1, {{DiagramShape::Kind::words, 1, 0.5f, 0, 0, Tone::text, "1 < 2 & 3", 0.5f}}};
  EXPECT_THAT(svg_of(sample), HasSubstr(">1 &lt; 2 &amp; 3</text>"));
}

// Where there is no GPU, the answer about times also says those of one.
TEST(LessonCommand, ShowsEachBugBesideItsFix) {
  TemporaryFolder folder;
  const std::filesystem::path handout = folder / "handout";
  ASSERT_EQ(run_program(fmt::format("lesson bugs --handout '{}' --device cpu", handout.string())).status, 0);
  const auto& bugs = gallery(Gallery::bugs, Language::english).steps;
  for (std::size_t i = 1; i <= bugs.size(); ++i)
    EXPECT_TRUE(file_exists(handout / fmt::format("step-{}-fixed-a.png", i))) << bugs[i - 1].title;
  EXPECT_TRUE(file_exists(handout / "step-1-a.png"));
  EXPECT_THAT(read_file(handout / "index.html").value_or(""), HasSubstr("2304 threads, more than 1024"));
}

TEST(LessonCommand, SaysTimesOfAGpuBesideThoseOfTheCpu) {
  const ProgramOutcome printed = run_program("lesson idle --device cpu");
  EXPECT_EQ(printed.status, 0);
  EXPECT_THAT(printed.out,
              testing::ContainsRegex("tile_thread_per_load 0.[0-9]* ms · tile_linear 0.[0-9]* ms\nNVIDIA"));
}

}  // namespace

}  // namespace conv
