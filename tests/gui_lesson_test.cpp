// Lessons in the window, by mouse and keyboard.
#include <imgui.h>
#include <imgui_internal.h>

#include "app/cli/options.h"
#include "app/lessons/diagram.h"
#include "app/lessons/own_lessons.h"
#include "app/model/settings_file.h"
#include "app/sources/pattern.h"
#include "gui_support.h"
#include "kernels/core/file.h"

namespace conv {

namespace {

const LessonView& view() {
  return app->ui().panels.lesson;
}
const LessonAnswer& answer() {
  return view().answers[view().step];
}

void open_lessons(ImGuiTestContext* ctx, Language language) {
  start_over(ctx);
  app->preferences().language = language;
  app->ui().shown.lesson = false;
  ctx->Yield(3);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_L);
  ctx->Yield(8);
  ctx->SetRef("Lesson");
}

void start(ImGuiTestContext* ctx, std::string_view id) {
  ctx->ItemClick(fmt::format("{}/Start", id).c_str());
  IM_CHECK(until(ctx, [&] { return view().id == id; }));
  ctx->Yield(3);
}

// What the window shows is what the scene says.
bool shows(const std::string& scene) {
  const auto wanted = parse_scene(scene);
  if (!wanted) return false;
  const Settings &now = settings(), &then = wanted->settings;
  const auto& flags = app->ui().shown;
  for (std::size_t i = 0; i < panel_ids.size(); ++i) {
    const bool is_wanted = std::ranges::find(wanted->panels, panel_ids[i]) != wanted->panels.end();
    if (panel_ids[i] != "lesson" && flags.*panel_flags[i] != is_wanted) return false;
  }
  return now.source == then.source && now.filter == then.filter && now.border == then.border &&
         now.lanes == then.lanes && now.view == then.view;
}

constexpr struct ControlItem {
  Control control;
  const char* item;
} control_items[] = {
    {Control::variant_a, "controls/##variant a"},   {Control::variant_b, "controls/##variant b"},
    {Control::filter, "controls/##filter"},         {Control::sigma, "controls/##sigma"},
    {Control::radius, "controls/##radius"},         {Control::padding, "controls/##padding"},
    {Control::iterations, "controls/##iterations"}, {Control::block, "rows/$$0/##block preset"},
    {Control::format, "rows/$$0/##format"},         {Control::layout, "rows/$$0/##layout"},
};

LessonFacts facts() {
  LessonFacts facts{.settings = settings(), .image = app->status().source.size};
  for (std::size_t i = 0; i < 2; ++i) {
    facts.plans[i] = lane(static_cast<int>(i)).active ? lane(static_cast<int>(i)).plan : nullptr;
    if (const auto& ms = app->status().best.ms[i]) facts.ms[i] = ms->median;
  }
  facts.faster = faster_lane(app->status().best.comparison);
  facts.counts = app->status().lesson.get();
  return facts;
}

// One step by the keyboard alone: its answer stays hidden until there is a prediction.
void take_step(ImGuiTestContext* ctx, const LessonStep& step) {
  IM_CHECK(until(ctx, [&] { return shows(step.scene); }));
  ctx->Yield(3);
  if (step.question && step.question->place) {
    ctx->KeyPress(ImGuiKey_Enter);
    ctx->Yield(2);
    IM_CHECK(!answer().revealed && !answer().predicted());
    const Settings before = settings();
    ctx->KeyPress(ImGuiKey_RightBracket);  // no key changes what is asked about
    ctx->KeyPress(ImGuiKey_RightArrow);
    ctx->Yield(2);
    IM_CHECK(settings() == before);
    const Vec2 centre = app->ui().view.centre;
    IM_CHECK(answer().place == (Point2{static_cast<int>(centre.x) + 1, static_cast<int>(centre.y)}));
    ctx->KeyPress(ImGuiKey_Enter);
  } else if (step.question && step.question->curve) {
    IM_CHECK(until(ctx, [] { return !answer().drawn.empty(); }));
    const Settings before = settings();
    ctx->KeyPress(ImGuiMod_Shift | ImGuiKey_UpArrow);
    for (std::size_t i = 1; i < answer().drawn.size(); ++i) {
      ctx->KeyPress(ImGuiKey_Enter);
      ctx->Yield(2);
      IM_CHECK(!answer().revealed && !answer().predicted());
      ctx->KeyPress(ImGuiKey_RightArrow);
    }
    ctx->KeyPress(ImGuiKey_UpArrow);
    ctx->Yield(2);
    IM_CHECK_EQ(answer().drawn.front().value_or(-1), answer().top / 10);
    IM_CHECK_EQ(answer().drawn.back().value_or(-1), answer().top * 0.12);
    IM_CHECK(settings() == before && answer().predicted());
    ctx->KeyPress(ImGuiKey_Enter);
  } else if (step.question && step.question->choices.empty()) {
    ctx->KeyPress(ImGuiKey_Enter);
    ctx->Yield(2);
    IM_CHECK(!answer().revealed && !answer().predicted());
    ctx->KeyCharsReplace("1,5");
    ctx->Yield(2);
    IM_CHECK(!answer().revealed);
    ctx->KeyPress(ImGuiKey_Enter);
  } else if (step.question) {
    ctx->KeyPress(ImGuiKey_Enter);
    ctx->Yield(2);
    IM_CHECK(!answer().revealed);
    const Settings before = settings();
    ctx->KeyPress(ImGuiKey_B);
    ctx->Yield(2);
    IM_CHECK_EQ(answer().choice.value_or(-1), 1);
    IM_CHECK(settings() == before && !app->ui().chooser.open[1]);
    ctx->KeyPress(ImGuiKey_Enter);
  }
  if (step.question) IM_CHECK(until(ctx, [] { return answer().revealed; }));
  if (!step.reveal_scene.empty()) IM_CHECK(until(ctx, [&] { return shows(step.reveal_scene); }));
  ctx->Yield(3);
  ctx->SetRef(ctx->WindowInfo("//Lesson/##step").ID);
  for (const Control control : step.controls) {
    const auto* item = std::ranges::find(control_items, control, &ControlItem::control);
    IM_CHECK(ctx->ItemExists(item->item));
  }
  ctx->SetRef("Lesson");
}

// Every number of the step can be said on this machine, and its question is judged by it.
void check_numbers(ImGuiTestContext* ctx, const LessonStep& step) {
  settle(ctx);
  IM_CHECK(until(ctx, [&] {
    const auto known = [](const std::string& text) {
      return with_values(text, facts()).find("…") == std::string::npos;
    };
    return std::ranges::all_of(texts_of(step), known) && (!step.question || answer().verdict);
  }));
}

// In English, as a student takes it.
void take_lesson(ImGuiTestContext* ctx, std::string_view id) {
  open_lessons(ctx, Language::english);
  const Lesson& lesson = *find_lesson(id, Language::english);
  const Settings before = settings();
  start(ctx, id);
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    IM_CHECK_EQ(view().step, static_cast<int>(i));
    take_step(ctx, lesson.steps[i]);
    if (ctx->IsError()) return;
    check_numbers(ctx, lesson.steps[i]);
    ctx->KeyPress(ImGuiKey_PageDown);
    ctx->Yield(3);
  }
  ctx->ItemClick("Leave");
  ctx->Yield(3);
  IM_CHECK(settings() == before);
}

GUI_TEST(the_lesson_about_the_window_is_taken_by_keyboard) {
  take_lesson(ctx, "window");
}
GUI_TEST(the_lesson_about_padding_is_taken_by_keyboard) {
  take_lesson(ctx, "padding");
}
GUI_TEST(the_lesson_about_tiles_is_taken_by_keyboard) {
  take_lesson(ctx, "tile");
}
GUI_TEST(the_lesson_about_idle_threads_is_taken_by_keyboard) {
  take_lesson(ctx, "idle");
}
GUI_TEST(the_lesson_about_banks_is_taken_by_keyboard) {
  take_lesson(ctx, "banks");
}
GUI_TEST(the_lesson_about_two_passes_is_taken_by_keyboard) {
  take_lesson(ctx, "separable");
}
GUI_TEST(the_lesson_about_constant_memory_is_taken_by_keyboard) {
  take_lesson(ctx, "constant");
}
GUI_TEST(the_lesson_about_the_compiler_is_taken_by_keyboard) {
  take_lesson(ctx, "unroll");
}
GUI_TEST(the_lesson_about_the_layout_is_taken_by_keyboard) {
  take_lesson(ctx, "layout");
}
GUI_TEST(the_lesson_about_the_crossover_is_taken_by_keyboard) {
  take_lesson(ctx, "crossover");
}
GUI_TEST(the_lesson_about_measuring_is_taken_by_keyboard) {
  take_lesson(ctx, "measure");
}
GUI_TEST(the_lesson_about_own_kernels_is_taken_by_keyboard) {
  take_lesson(ctx, "own");
}

GUI_TEST(lessons_are_shown_in_every_language) {
  for (const LanguageInfo& language : languages)
    for (const std::string_view id : lesson_ids()) {
      open_lessons(ctx, language.language);
      start(ctx, id);
      // Also from the field of a number.
      for (std::size_t i = 1; i < find_lesson(id, language.language)->steps.size(); ++i) {
        ctx->KeyPress(ImGuiKey_PageDown);
        ctx->Yield(3);
        IM_CHECK_EQ(view().step, static_cast<int>(i));
      }
    }
  app->preferences().language = Language::english;
}

static void open_concepts(ImGuiTestContext* ctx) {
  start_over(ctx);
  app->ui().shown.concepts = true;
  app->ui().panels.concepts = {};
  ctx->Yield(8);
  ctx->SetRef("Concepts");
}

// Its button shows what the idea is seen in: then its text has all numbers, and its picture is drawn from the plan.
GUI_TEST(each_concept_is_set_up_by_its_button) {
  open_concepts(ctx);
  const auto& ideas = gallery(Gallery::concepts, Language::english).steps;
  for (std::size_t i = 0; i < ideas.size(); ++i) {
    IM_CHECK_EQ(app->ui().panels.concepts.shown(), i);
    ctx->ItemClick("Set it up");
    IM_CHECK(until(ctx, [&] { return shows(ideas[i].scene); }));
    const auto is_complete = [&] {
      PanelContext context = panel_context(app->ui(), app->status());
      const LessonFacts facts = lesson_facts(context, ideas[i]);
      return diagram_of(ideas[i].picture, facts) && with_values(ideas[i].text, facts).find("…") == std::string::npos;
    };
    IM_CHECK(until(ctx, is_complete));
    ctx->ItemClick(">##next");
    ctx->Yield(2);
  }
  IM_CHECK_EQ(app->ui().panels.concepts.shown(), 0u);
}

// The window shows the bug and then its fix, or says why a kernel cannot start.
GUI_TEST(each_bug_is_shown_and_fixed_by_buttons) {
  open_concepts(ctx);
  ctx->ItemClick("Bugs");
  const auto is_settled = [] { return app->status().lanes[0].settled || !app->status().lanes[0].refusal.empty(); };
  int refused = 0;
  for (const LessonStep& bug : gallery(Gallery::bugs, Language::english).steps) {
    for (const auto& [button, scene] : {std::pair("Show the bug", bug.scene), {"Fix it", bug.fix}}) {
      ctx->ItemClick(button);
      IM_CHECK(until(ctx, [&] { return shows(scene) && is_settled(); }));
      refused += !app->status().lanes[0].refusal.empty();
    }
    ctx->ItemClick(">##next");
    ctx->Yield(2);
  }
  IM_CHECK_EQ(refused, 1);  // too many threads
  IM_CHECK_EQ(app->ui().panels.concepts.shown(), 0u);
  ctx->ItemClick("Concepts");
}

GUI_TEST(the_palette_finds_a_concept) {
  start_over(ctx);
  for (const bool presents : {false, true}) {
    app->ui().panels.concepts = {};
    app->ui().presenter.on = presents;
    ctx->Yield(3);
    ctx->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    ctx->Yield(3);
    ctx->KeyChars("concept: bank");
    ctx->Yield(2);
    ctx->KeyPress(ImGuiKey_Enter);
    ctx->Yield(3);
    IM_CHECK_STR_EQ(
        gallery(Gallery::concepts, Language::english).steps[app->ui().panels.concepts.shown()].title.c_str(),
        "Bank conflicts");
    IM_CHECK(app->ui().shows(&ShownPanels::concepts));
  }
  app->ui().presenter.on = false;
}

// Whoever closes the panel gets back what was there before.
GUI_TEST(a_lesson_ends_when_its_panel_is_closed) {
  start_over(ctx);
  app->ui().shown.block = true;
  open_lessons(ctx, Language::english);
  app->ui().shown.block = true;
  ctx->Yield(2);
  const Settings before = settings();
  start(ctx, "window");
  IM_CHECK(until(ctx, [&] { return settings().filter != before.filter; }));
  IM_CHECK(!app->ui().shown.block);
  IM_CHECK(view().settings_of_user(settings()) == before);  // what is kept if the program ends now
  app->ui().shown.lesson = false;
  ctx->Yield(3);
  IM_CHECK(settings() == before);
  IM_CHECK(app->ui().shown.block && !view().before);
  app->ui().shown.block = false;
}

// A straight line is drawn by the mouse, and it is not what the work is.
GUI_TEST(a_curve_is_drawn_by_the_mouse) {
  open_lessons(ctx, Language::english);
  const Lesson& lesson = *find_lesson("separable", Language::english);
  const auto has_curve = [](const LessonStep& step) { return step.question && step.question->curve; };
  start(ctx, "separable");
  while (!has_curve(lesson.steps[view().step]) && !ctx->IsError()) {
    ctx->KeyPress(ImGuiKey_PageDown);
    ctx->Yield(3);
  }
  IM_CHECK(until(ctx, [] { return !answer().drawn.empty(); }));
  ctx->SetRef(ctx->WindowInfo("//Lesson/##step").ID);
  ctx->ScrollToItemY("##curve");
  const ImRect plot = ctx->ItemInfo("##curve").RectFull;
  const float left = plot.Min.x + 0.3f * plot.GetWidth();  // in the plot
  ctx->MouseMoveToPos({left, plot.GetCenter().y});
  ctx->MouseDown(0);
  for (const float share : {-0.4f, 0.4f, 1.2f}) {  // also outside, and faster than from radius to radius
    ctx->MouseMoveToPos({left + share * (plot.Max.x - 3 - left), plot.GetCenter().y});
    ctx->Yield();
  }
  ctx->MouseUp(0);
  ctx->Yield(2);
  IM_CHECK(answer().predicted());
  for (const auto& value : answer().drawn) IM_CHECK_EQ(value.value_or(-1), answer().drawn.front().value_or(-2));
  ctx->ItemClick("Show the answer");
  IM_CHECK(until(ctx, [] { return answer().verdict.has_value(); }));
  IM_CHECK(!answer().verdict->right);
  const Curve drawn = answer().drawn;
  ctx->MouseMoveToPos({left, plot.Min.y + 0.3f * plot.GetHeight()});
  ctx->MouseClick(0);
  ctx->Yield(2);
  IM_CHECK(answer().drawn == drawn);  // the answer has been given
  ctx->SetRef("Lesson");
  ctx->ItemClick("Leave");
}

// A click is the answer; once it is given, the right place is framed.
GUI_TEST(a_place_in_the_picture_is_clicked) {
  open_lessons(ctx, Language::english);
  start(ctx, "padding");
  const Lesson& lesson = *find_lesson("padding", Language::english);
  for (const bool right : {false, true}) {
    app->ui().panels.lesson.answers.assign(lesson.steps.size(), {});
    for (std::size_t i = 0; i + 1 < lesson.steps.size(); ++i) {
      ctx->KeyPress(ImGuiKey_PageDown);
      ctx->Yield(3);
    }
    settle(ctx);
    const ViewArea& area = app->ui().areas[0].view;
    const Vec2 at = app->ui().view.screen_at_image({right ? 15.5f : 14.5f, 100.5f},
                                                   {area.left + area.width / 2, area.top + area.height / 2});
    ctx->MouseMoveToPos({at.x, at.y});
    ctx->MouseClick(0);
    ctx->Yield(2);
    IM_CHECK(answer().place == (Point2{right ? 15 : 14, 100}));
    const PanelContext context = panel_context(app->ui(), app->status());
    IM_CHECK(!place_of_answer(context));
    ctx->SetRef(ctx->WindowInfo("//Lesson/##step").ID);
    ctx->ItemClick("Show the answer");
    ctx->SetRef("Lesson");
    IM_CHECK(until(ctx, [] { return answer().verdict.has_value(); }));
    IM_CHECK_EQ(answer().verdict->right, right);
    IM_CHECK(place_of_answer(context) == lesson.steps.back().question->place);
    for (std::size_t i = 0; i + 1 < lesson.steps.size(); ++i) {
      ctx->KeyPress(ImGuiKey_PageUp);
      ctx->Yield(3);
    }
  }
  ctx->ItemClick("Leave");
}

// A class votes twice; the keys count votes and do nothing else.
GUI_TEST(an_audience_votes_before_it_sees_the_answer) {
  open_lessons(ctx, Language::english);
  start(ctx, "window");
  ctx->KeyPress(ImGuiKey_F5);
  ctx->Yield(3);
  IM_CHECK(app->ui().presenter.on);
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->Yield(2);
  IM_CHECK(!answer().revealed);
  for (const ImGuiKey key : {ImGuiKey_A, ImGuiKey_B, ImGuiKey_B, ImGuiKey_D}) {
    ctx->KeyPress(key);
    ctx->Yield();
  }
  ctx->KeyPress(ImGuiMod_Shift | ImGuiKey_B);
  ctx->Yield(2);
  IM_CHECK(answer().votes[0] == (std::array{1, 1, 0, 1}));
  ctx->KeyPress(ImGuiKey_Space);
  ctx->KeyPress(ImGuiKey_D);
  ctx->KeyPress(ImGuiKey_D);
  ctx->Yield(2);
  IM_CHECK(answer().votes[1] == (std::array{0, 0, 0, 2}));
  IM_CHECK(answer().votes[0] == (std::array{1, 1, 0, 1}));
  IM_CHECK(settings().view == ViewMode::single);
  ctx->KeyPress(ImGuiKey_Enter);
  IM_CHECK(until(ctx, [] { return answer().revealed; }));
  IM_CHECK(app->ui().presenter.panel == &ShownPanels::kernel);
  ctx->KeyPress(ImGuiKey_PageDown);
  ctx->Yield(3);
  IM_CHECK_EQ(view().step, 1);
  IM_CHECK(app->ui().presenter.panel == nullptr);
  ctx->KeyPress(ImGuiKey_F5);
  ctx->Yield(2);
}

// The user's folder of lessons, without files.
static void forget_own_lessons(ImGuiTestContext* ctx) {
  open_lessons(ctx, Language::english);
  std::filesystem::remove_all(config_folder() / "lessons");
  app->ui().panels.lesson.written.clear();
  ctx->Yield(2);
}

static LessonDraft* draft() {
  auto& of = app->ui().panels.lesson.draft;
  return of ? &*of : nullptr;
}

static void type_into(ImGuiTestContext* ctx, const char* field, const char* text) {
  ctx->SetRef(ctx->WindowInfo("//Lesson/##draft").ID);
  ctx->ItemClick(field);
  ctx->KeyCharsReplace(text);
  ctx->Yield(2);
}

// Two steps from what the window shows, with a question; tried, left, kept, and given to others.
GUI_TEST(a_lesson_is_written_from_what_the_window_shows) {
  forget_own_lessons(ctx);
  app->ui().shown.lesson = false;
  app->settings().source = {.pattern = PatternKind::noise, .pattern_size = {200, 100}};
  ctx->Yield(3);
  const Settings before = settings();
  ctx->SetRef("##MainMenuBar");
  ctx->MenuClick("File/New lesson");
  IM_CHECK(until(ctx, [] { return draft() && draft()->shown; }));
  IM_CHECK_EQ(draft()->lesson.steps.size(), 1u);
  type_into(ctx, "##Title of the lesson", "Blur");
  type_into(ctx, "$$0/##Title of the step", "A wide window");
  IM_CHECK_STR_EQ(draft()->at().title.c_str(), "A wide window");

  // The step keeps its scene until the user says otherwise.
  const std::string first = draft()->at().scene;
  app->settings().filter.radius = 9;
  app->settings().auto_radius = false;
  ctx->Yield(3);
  IM_CHECK_STR_EQ(draft()->at().scene.c_str(), first.c_str());
  ctx->ItemClick("$$0/$$0/Update");
  IM_CHECK(until(ctx, [&] { return shows(draft()->at().scene); }));
  IM_CHECK(draft()->at().scene != first);

  ctx->ItemClick("$$0/##diagram");
  ctx->ItemClick("//$FOCUSED/The apron of a tile");
  IM_CHECK(until(ctx, [] { return draft()->at().picture.name == "apron"; }));
  ctx->ItemClick("$$0/##question");
  ctx->ItemClick("//$FOCUSED/Choices");
  type_into(ctx, "$$0/##Its text", "How many pixels?");
  type_into(ctx, "$$0/$$0/##choice", "19");
  type_into(ctx, "$$0/$$1/##choice", "361");
  ctx->ItemClick("$$0/$$1/##right");
  app->settings().lanes[0].variant = "constant";
  app->ui().shown.kernel = true;
  ctx->Yield(3);
  ctx->ItemClick("$$0/$$1/Update");  // behind the answer
  IM_CHECK(until(ctx, [] { return draft()->at().reveal_scene.find("--panel kernel") != std::string::npos; }));
  ctx->ItemClick("Add a step");
  IM_CHECK(until(ctx, [] { return draft()->step == 1 && draft()->shown; }));
  ctx->ItemClick("##before");
  IM_CHECK(until(ctx, [] { return draft()->step == 0 && settings().lanes[0].variant != "constant"; }));

  // Another kind of question takes nothing away.
  ctx->SetRef(ctx->WindowInfo("//Lesson/##draft").ID);
  for (const char* kind : {"A number", "A curve over the radius", "Choices"}) {
    ctx->ItemClick("$$0/##question");
    ctx->ItemClick(fmt::format("//$FOCUSED/{}", kind).c_str());
    ctx->Yield(2);
  }
  IM_CHECK_EQ(draft()->at().question->choices.size(), 2u);
  IM_CHECK_STR_EQ(draft()->at().question->choices[1].c_str(), "361");

  // As a class sees it.
  ctx->SetRef("Lesson");
  ctx->ItemClick("Try it");
  IM_CHECK(until(ctx, [] { return view().id == "own" && lane(0).settled; }));
  ctx->KeyPress(ImGuiKey_B);
  ctx->KeyPress(ImGuiKey_Enter);
  IM_CHECK(until(ctx, [] { return answer().verdict && settings().lanes[0].variant == "constant"; }));
  IM_CHECK_EQ(answer().verdict->choice.value_or(-1), 1);
  ctx->ItemClick("Leave");
  IM_CHECK(until(ctx, [] { return view().id.empty() && draft(); }));

  // Somebody else opens its file.
  const std::string file = (folder / "blur.md").string();
  execute(ctx, command::SaveLesson{file});
  const Result<Lesson> saved = parse_lesson(read_file(file).value_or(""));
  IM_CHECK(saved && saved->title == "Blur" && saved->steps.size() == 2);
  IM_CHECK_STR_EQ(saved->steps[0].picture.name.c_str(), "apron");
  ctx->ItemClick("Close");
  ctx->Yield(3);
  IM_CHECK(settings() == before && !draft());
  IM_CHECK(until(ctx, [] { return read_own_lessons(config_folder() / "lessons")->lessons.size() == 1; }));
  const std::string name = read_own_lessons(config_folder() / "lessons")->lessons.begin()->first;
  execute(ctx, command::OpenFile{file});
  IM_CHECK(until(ctx, [] { return view().id == "own"; }));
  IM_CHECK(view().own->steps == saved->steps);
  ctx->ItemClick("Leave");
  ctx->Yield(3);
  IM_CHECK(settings() == before);

  ctx->ItemClick((name + "/Edit").c_str());
  IM_CHECK(until(ctx, [] { return draft() && draft()->lesson.title == "Blur"; }));
  ctx->ItemClick("Close");
  ctx->ItemClick((name + "/Remove").c_str());
  ctx->ItemClick("//$FOCUSED/Remove it");
  IM_CHECK(until(ctx, [] { return read_own_lessons(config_folder() / "lessons")->lessons.empty(); }));
  forget_own_lessons(ctx);
}

// A lesson with a picture of the user's own goes to others as a bundle.
GUI_TEST(a_lesson_takes_its_pictures_with_it) {
  forget_own_lessons(ctx);
  app->ui().shown.lesson = false;
  const std::filesystem::path photo = folder / "photo.png", bundle = folder / "class.zip";
  IM_CHECK(save_picture(make_pattern(PatternKind::noise, {90, 60}), photo).has_value());
  execute(ctx, command::OpenFile{photo.string()});
  IM_CHECK(until(ctx, [] { return app->status().source.size == (Size2{90, 60}); }));
  ctx->SetRef("##MainMenuBar");
  ctx->MenuClick("File/New lesson");
  IM_CHECK(until(ctx, [] { return draft() && draft()->shown; }));
  type_into(ctx, "##Title of the lesson", "Photo");
  IM_CHECK(draft()->at().scene.find(photo.string()) != std::string::npos);
  const std::string text = (folder / "photo.md").string();
  execute(ctx, command::SaveLesson{text});
  IM_CHECK(app->ui().toast.text.find("Save it as a .zip") != std::string::npos && !file_exists(text));
  execute(ctx, command::SaveLesson{bundle.string()});
  IM_CHECK(until(ctx, [&] { return file_exists(bundle); }));
  ctx->SetRef("Lesson");
  ctx->ItemClick("Close");

  std::filesystem::remove(photo);
  start_over(ctx);
  const std::vector<std::string> recent = app->preferences().recent;
  execute(ctx, command::OpenFile{bundle.string()});
  IM_CHECK(until(ctx, [] { return view().id == "own" && app->status().source.size == (Size2{90, 60}); }));
  IM_CHECK_STR_EQ(settings().source.path.c_str(), (bundle / "photo.png").c_str());
  IM_CHECK(app->preferences().recent == recent);
  ctx->SetRef(ctx->WindowInfo("//Lesson/##step").ID);
  ctx->ItemClick("Edit a copy");
  ctx->SetRef("Lesson");
  IM_CHECK(until(ctx, [] { return draft() && lane(0).settled; }));
  IM_CHECK_STR_EQ(settings().source.path.c_str(), (bundle / "photo.png").c_str());
  const std::string before = read_file(bundle).value_or("");
  execute(ctx, command::SaveLesson{bundle.string()});  // its picture is in this file
  ctx->Yield(5);
  IM_CHECK(app->ui().toast.is_error);
  IM_CHECK(read_file(bundle).value_or("") == before);
  ctx->ItemClick("Close");
  IM_CHECK(until(ctx, [] { return app->status().source.size != (Size2{90, 60}); }));
  forget_own_lessons(ctx);
}

// What cannot be shown is said, and what is open stays.
GUI_TEST(a_lesson_file_that_is_wrong_changes_nothing) {
  open_lessons(ctx, Language::english);
  start(ctx, "tile");
  const std::string file = (folder / "wrong.md").string();
  IM_CHECK(write_file(file, "# T\n## S\n```scene\n--open /etc/passwd\n```\n").has_value());
  execute(ctx, command::OpenFile{file});
  IM_CHECK(until(ctx, [] { return app->ui().toast.text.find("the scene of \"S\"") != std::string::npos; }));
  IM_CHECK_STR_EQ(view().id.c_str(), "tile");
  ctx->ItemClick("Leave");
}

// Presenting, a question with four answers is seen whole, and the field for a number takes the keyboard.
GUI_TEST(an_audience_sees_all_answers) {
  const auto overflow = [] {
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
      if (window->Active && std::string_view(window->Name).find("##question") != std::string_view::npos)
        return window->ScrollMax.y;
    return -1.0f;
  };
  open_lessons(ctx, Language::english);
  start(ctx, "tile");
  ctx->SetRef("Viewport");
  ctx->ItemClick("picture A");  // the field loses the keyboard
  ctx->KeyPress(ImGuiKey_F5);
  ctx->Yield(3);
  ctx->KeyCharsReplace("121");
  ctx->Yield(2);
  IM_CHECK_EQ(answer().number.value_or(0), 121.0);
  ctx->KeyPress(ImGuiKey_Enter);
  IM_CHECK(until(ctx, [] { return answer().revealed; }));
  ctx->KeyPress(ImGuiKey_PageDown);
  ctx->Yield(20);
  IM_CHECK_EQ(view().step, 1);
  IM_CHECK_EQ(overflow(), 0.0f);
  IM_CHECK_GT(view().band, 0.0f);
  ctx->KeyPress(ImGuiKey_F5);
  ctx->Yield(2);
}

}  // namespace

}  // namespace conv
