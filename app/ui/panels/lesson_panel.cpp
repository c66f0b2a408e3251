// Lessons: the list of them, and one step at a time: text, a question, and what follows once it is answered.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <imgui_internal.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>

#include "app/lessons/diagram.h"
#include "app/lessons/lesson_curve.h"
#include "app/ui/panels/lesson_drawing.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/diagram_view.h"
#include "app/ui/widgets/markdown.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

LessonFacts lesson_facts(PanelContext& context, const LessonStep& step) {
  LessonFacts facts{.settings = context.settings, .image = context.status.source.size};
  for (std::size_t i = 0; i < 2; ++i) {
    const LaneStatus& lane = context.status.lanes[i];
    if (!lane.active || !lane.plan) continue;
    facts.plans[i] = lane.plan;
    if (const auto& ms = context.status.best.ms[i]) facts.ms[i] = ms->median;
    if (lane.times.cold_ms) facts.first_ms[i] = *lane.times.cold_ms;
  }
  for (const StepTime& timed : context.status.lanes[0].times.steps)
    facts.step_ms.push_back(timed.ms ? timed.ms->median : 0);
  facts.faster = faster_lane(context.status.best.comparison);
  if (step.counted) context.ui.wants.lesson = facts.plans;
  facts.counts = context.status.lesson.get();
  if (!step.picture.name.empty()) context.ui.wants.shipped = true;
  if (const auto& shipped = context.status.shipped) {
    facts.multiprocessor = shipped->multiprocessor;
    facts.gpu = shipped->limits.name;
  }
  return facts;
}

void draw_language(PanelContext& context) {
  combo("##language", languages, context.preferences.language, [](const LanguageInfo& row) { return row.language; });
  tooltip("The language of the lessons.");
}

namespace {

const Lesson* lesson_in(const PanelContext& context, std::string_view id) {
  if (id.empty()) return nullptr;
  if (const auto& own = context.ui.panels.lesson.own) return own.get();
  const Lesson* lesson = find_lesson(id, context.preferences.language);
  return lesson ? lesson : find_lesson(id, Language::english);
}
// The open lesson; null: none.
const Lesson* open_lesson(const PanelContext& context) {
  return context.ui.shown.lesson ? lesson_in(context, context.ui.panels.lesson.id) : nullptr;
}
const LessonStep& step_of(const PanelContext& context, const Lesson& lesson) {
  return lesson.steps[context.ui.panels.lesson.step];
}
LessonAnswer& answer_of(PanelContext& context) {
  LessonView& view = context.ui.panels.lesson;
  return view.answers[view.step];
}

void show(PanelContext& context, const std::string& scene) {
  const LessonView& view = context.ui.panels.lesson;
  const Lesson* own = view.own ? view.own.get() : view.draft ? &view.draft->lesson : nullptr;
  if (!scene.empty()) context.commands.push_back(command::ShowScene{scene, own ? own->pictures : ""});
}

// The scene of a step: that of its reveal if it was answered before.
void go_to_step(PanelContext& context, const Lesson& lesson, int step) {
  LessonView& view = context.ui.panels.lesson;
  view.step = step;
  view.arrives = true;
  view.answers[step].since = ImGui::GetFrameCount();
  view.band = 0;
  view.typed = view.answers[step].number ? fmt::format("{}", *view.answers[step].number) : "";
  const LessonStep& shown = lesson.steps[step];
  show(context, view.answers[step].revealed && !shown.reveal_scene.empty() ? shown.reveal_scene : shown.scene);
}

void begin(PanelContext& context, const Lesson& lesson, const std::string& id, int step) {
  LessonView& view = context.ui.panels.lesson;
  context.ui.shown.welcome = false;  // the user has found something to do
  view.id = id;
  view.answers.assign(lesson.steps.size(), {});
  view.keep_settings(context.settings, context.ui.shown.open_ones());
  go_to_step(context, lesson, step);
}

void reveal(PanelContext& context, const LessonStep& step) {
  LessonAnswer& answer = answer_of(context);
  if (!answer.predicted()) return;
  answer.revealed = true;
  answer.since = ImGui::GetFrameCount();
  context.ui.panels.lesson.band = 0;
  show(context, step.reveal_scene);
}

void draw_title(const Palette& p, const Lesson& lesson) {
  ImGui::PushTextWrapPos();
  ImGui::TextColored(p.lane[0], "%s", lesson.title.c_str());
  ImGui::PopTextWrapPos();
  caption(lesson.summary, p.quiet);
}

void remove_own(PanelContext& context, const std::string& file) {
  context.ui.panels.lesson.written[file] = {};
  context.ui.panels.lesson.changed = {file, ""};
}

void draw_own(PanelContext& context, const std::string& file, const Lesson& lesson) {
  draw_title(context.look.colours, lesson);
  if (ImGui::Button("Start")) begin_lesson(context, as_read(lesson), 0);
  flow("Edit");
  if (ImGui::Button("Edit")) edit_lesson(context, file, lesson);
  flow("Remove");
  if (ImGui::Button("Remove")) ImGui::OpenPopup("##remove");
  if (ImGui::BeginPopup("##remove")) {
    ImGui::TextUnformatted("The lesson is removed from this computer.");
    if (ImGui::Button("Remove it")) {
      remove_own(context, file);
      ImGui::CloseCurrentPopup();
    }
    close_on_escape();
    ImGui::EndPopup();
  }
}

// The user's lessons as they are now.
std::map<std::string, Lesson> own_lessons(const PanelContext& context) {
  std::map<std::string, Lesson> all;
  if (context.status.own_lessons) all = context.status.own_lessons->lessons;
  for (const auto& [file, lesson] : context.ui.panels.lesson.written) all[file] = lesson;
  std::erase_if(all, [](const auto& row) { return row.second.steps.empty(); });
  return all;
}

void draw_own_ones(PanelContext& context) {
  const Palette& p = context.look.colours;
  if (!context.status.own_lesson_error.empty()) complaint(p, context.status.own_lesson_error);
  if (context.status.own_lessons)
    for (const std::string& problem : context.status.own_lessons->problems) complaint(p, problem);
  const std::map<std::string, Lesson> own = own_lessons(context);
  if (own.empty()) return;
  ImGui::SeparatorText("Your lessons");
  for (const auto& [file, lesson] : own) {
    ImGui::PushID(file.c_str());
    draw_own(context, file, lesson);
    ImGui::PopID();
    ImGui::Spacing();
  }
  ImGui::SeparatorText("Lessons of the program");
}

void draw_list(PanelContext& context) {
  context.ui.wants.own_lessons = true;
  const float beside = ImGui::GetContentRegionAvail().x - control_width("New lesson") - ImGui::GetStyle().ItemSpacing.x;
  const bool fits = beside > 7 * ImGui::GetFontSize();
  ImGui::SetNextItemWidth(fits ? beside : -FLT_MIN);
  draw_language(context);
  if (fits) ImGui::SameLine();
  if (ImGui::Button("New lesson")) new_lesson(context);
  tooltip("Write a lesson of your own: its steps are what the window shows.");
  ImGui::Spacing();
  draw_own_ones(context);
  for (const std::string_view id : lesson_ids()) {
    const Lesson* lesson = lesson_in(context, id);
    if (!lesson) continue;
    ImGui::PushID(lesson->id.c_str());
    draw_title(context.look.colours, *lesson);
    if (ImGui::Button("Start")) begin(context, *lesson, lesson->id, 0);
    ImGui::PopID();
    ImGui::Spacing();
    ImGui::Separator();
  }
}

// What a refused lane shows is known, too: nothing.
bool lanes_are_known(const PanelContext& context) {
  return std::ranges::all_of(context.status.lanes, [](const LaneStatus& lane) {
    return !lane.active || lane.settled || !lane.refusal.empty();
  });
}

// Once the lanes show what is revealed. The scene is set behind this frame.
void judge(PanelContext& context, const LessonQuestion& question, const LessonFacts& facts) {
  LessonAnswer& answer = answer_of(context);
  if (answer.verdict || !answer.revealed || ImGui::GetFrameCount() < answer.since + 3 || !lanes_are_known(context))
    return;
  if (question.curve) {
    const auto off = distance(answer.drawn, answer.curve);
    if (off) answer.verdict = {.right = *off <= question.within, .number = fmt::format("{:.3g}", 100 * *off)};
  } else if (question.place) {
    answer.verdict = {.right = is_right_place(question, answer.place.value_or(Point2{-1, -1}))};
  } else if (!question.choices.empty()) {
    if (const auto right = right_choice(question, facts)) answer.verdict = {.choice = right};
  } else if (const auto right = is_right_number(question, answer.number.value_or(0), facts)) {
    answer.verdict = {.right = *right, .number = with_values("{" + question.value + "}", facts)};
  }
}

// A button with its text in as many lines as it needs.
bool wrapped_button(const char* id, const std::string& text, ImVec4 colour) {
  const ImVec2 padding = ImGui::GetStyle().FramePadding, at = ImGui::GetCursorScreenPos();
  const float wrap = ImGui::GetContentRegionAvail().x - 2 * padding.x;
  const float height = ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap).y;
  const bool pressed = ImGui::Button(id, {-FLT_MIN, height + 2 * padding.y});
  ImGui::GetWindowDrawList()->AddText(ImGui::GetFont(), ImGui::GetFontSize(), at + padding,
                                      ImGui::ColorConvertFloat4ToU32(colour), text.c_str(), nullptr, wrap);
  return pressed;
}

// "A  121", and after the answer whether it is right.
void draw_choices(PanelContext& context, const LessonQuestion& question, const LessonFacts& facts) {
  const Palette& p = context.look.colours;
  LessonAnswer& answer = answer_of(context);
  const std::optional<int> right = answer.verdict ? answer.verdict->choice : std::nullopt;
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const auto number = static_cast<int>(i);
    const bool chosen = answer.choice == number, is_right = right == number;
    const std::string text = fmt::format("{}   {}{}", letter_of(i), with_values(question.choices[i], facts),
                                         is_right          ? "   ✓"
                                         : right && chosen ? "   ×"
                                                           : "");
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, (chosen ? 2.0f : 1.0f) * ImGui::GetStyle().FontScaleMain);
    ImGui::PushStyleColor(ImGuiCol_Border, chosen ? p.lane[0] : p.outline);
    ImGui::PushStyleVar(ImGuiStyleVar_DisabledAlpha, 1);
    ImGui::BeginDisabled(answer.revealed);
    if (wrapped_button(fmt::format("###{}", letter_of(i)).c_str(), text,
                       is_right          ? p.pass
                       : right && chosen ? p.fault
                                         : p.text))
      answer.choice = number;
    ImGui::EndDisabled();
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
  }
}

// The field writes a comma as a point.
std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const std::size_t begin = text.starts_with('+') ? 1 : 0;
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
  return is_number ? std::optional(value) : std::nullopt;
}

// The field takes the keyboard when its step appears; Enter gives the answer.
void draw_number(PanelContext& context, const LessonStep& step) {
  const Palette& p = context.look.colours;
  LessonView& view = context.ui.panels.lesson;
  LessonAnswer& answer = answer_of(context);
  ImGui::BeginDisabled(answer.revealed);
  if (view.arrives && !answer.revealed) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(140 * ImGui::GetStyle().FontScaleMain);
  const bool entered = ImGui::InputTextWithHint(
      "##number", "a number", &view.typed, ImGuiInputTextFlags_CharsScientific | ImGuiInputTextFlags_EnterReturnsTrue);
  if (!answer.revealed) answer.number = number_in(view.typed);
  if (entered && !answer.predicted()) ImGui::SetKeyboardFocusHere(-1);  // Enter has left the field
  if (entered) reveal(context, step);
  ImGui::EndDisabled();
  if (!answer.revealed) return;
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  if (!answer.verdict) return ImGui::TextColored(p.quiet, "…");
  const auto& verdict = *answer.verdict;
  verdict_mark(p, verdict.right);
  ImGui::SameLine();
  ImGui::TextUnformatted(verdict.number.c_str());
}

// The picked pixel is the answer: by a click, or by the arrow keys.
void draw_place(PanelContext& context) {
  const Palette& p = context.look.colours;
  LessonAnswer& answer = answer_of(context);
  std::optional<Point2>& picked = context.ui.probe.picked;
  if (!answer.revealed) answer.place = picked;
  ImGui::AlignTextToFramePadding();
  if (!answer.place) return ImGui::TextColored(p.quiet, "no pixel yet");
  ImGui::Text("x %d, y %d", answer.place->x, answer.place->y);
  if (!answer.verdict) return;
  ImGui::SameLine();
  verdict_mark(p, answer.verdict->right);
}

// The right curve is that of the lanes when the answer is given: the settings can still change before.
void draw_curve_question(PanelContext& context, const LessonStep& step, const LessonFacts& facts) {
  const LessonQuestion& question = *step.question;
  LessonAnswer& answer = answer_of(context);
  if (lanes_are_known(context) && ImGui::GetFrameCount() >= answer.since + 3 && !answer.revealed &&
      (answer.drawn.empty() || answer.plans != facts.plans)) {
    answer.plans = facts.plans;
    answer.curve = curve_of(question, facts, context.status.device.limits);
    answer.top = top_of(answer.curve);
    answer.drawn.resize(answer.curve.size());
    answer.radius = std::max(answer.radius, question.curve->from);
  }
  if (answer.drawn.empty()) return ImGui::TextColored(context.look.colours.quiet, "…");
  draw_curve(context, question, answer);
}

// By its kind.
void draw_answer(PanelContext& context, const LessonStep& step, const LessonFacts& facts) {
  switch (kind_of(*step.question)) {
    case QuestionKind::number: return draw_number(context, step);
    case QuestionKind::place: return draw_place(context);
    case QuestionKind::curve: return draw_curve_question(context, step, facts);
    case QuestionKind::choices:
    case QuestionKind::faster: return draw_choices(context, *step.question, facts);
  }
}

std::string how_to_answer(const LessonQuestion& question) {
  switch (kind_of(question)) {
    case QuestionKind::number: return "Type a number, then Enter.";
    case QuestionKind::place: return "Click a pixel of the picture, or move it with the arrow keys, then Enter.";
    case QuestionKind::curve: return "Draw it with the mouse or the arrow keys, then Enter.";
    case QuestionKind::choices:
    case QuestionKind::faster: break;
  }
  return fmt::format("Keys A to {} answer, Enter shows the answer.", letter_of(question.choices.size() - 1));
}

void draw_question(PanelContext& context, const LessonStep& step, const LessonFacts& facts) {
  const Palette& p = context.look.colours;
  const LessonAnswer& answer = answer_of(context);
  const LessonQuestion& question = *step.question;
  ImGui::Separator();
  draw_markdown(context.look, with_values(question.text, facts));
  draw_answer(context, step, facts);
  if (answer.revealed) return;
  ImGui::BeginDisabled(!answer.predicted());
  if (ImGui::Button("Show the answer")) reveal(context, step);
  ImGui::EndDisabled();
  tooltip("Answer first. Enter");
  caption(how_to_answer(question), p.quiet);
}

// Without a GPU: what the variants of the lanes took on that of the shipped results.
void draw_times_on_gpu(PanelContext& context, const LessonStep& step) {
  if (!step.timed || context.status.device.no_gpu.empty()) return;
  context.ui.wants.shipped = true;
  if (!context.status.shipped) return;
  caption(shipped_times_text(*context.status.shipped, context.settings, context.status.source.size),
          context.look.colours.text);
}

void draw_reveal(PanelContext& context, const LessonStep& step, const LessonFacts& facts) {
  draw_markdown(context.look, with_values(step.reveal, facts));
  draw_times_on_gpu(context, step);
}

void draw_step(PanelContext& context, const Lesson& lesson) {
  LessonView& view = context.ui.panels.lesson;
  const LessonStep& step = step_of(context, lesson);
  const LessonFacts facts = lesson_facts(context, step);
  if (step.question) judge(context, *step.question, facts);
  if (view.arrives) ImGui::SetScrollY(0);
  draw_markdown(context.look, "# " + with_values(step.title, facts) + "\n\n" + with_values(step.text, facts));
  if (const auto diagram = diagram_of(step.picture, facts)) draw_diagram(context.look, *diagram);
  if (step.question) draw_question(context, step, facts);
  if (answer_of(context).revealed) draw_reveal(context, step, facts);
  // Before the answer they would change what is asked.
  if (!step.controls.empty() && (!step.question || answer_of(context).revealed)) {
    ImGui::Separator();
    draw_controls(context, step.controls);
  }
  if (!step.notes.empty() && ImGui::TreeNodeEx("Notes for the lecturer", ImGuiTreeNodeFlags_NoTreePushOnOpen))
    caption(with_values(step.notes, facts), context.look.colours.quiet);
  view.arrives = false;
  if (!view.own || view.draft) return;
  ImGui::Spacing();
  if (!ImGui::Button("Edit a copy")) return;
  Lesson copy = *view.own;
  leave_lesson(context);
  edit_lesson(context, dated_file("lesson", ".md"), std::move(copy));
}

void draw_turning(PanelContext& context, const Lesson& lesson) {
  LessonView& view = context.ui.panels.lesson;
  const auto steps = static_cast<int>(lesson.steps.size());
  ImGui::BeginDisabled(view.step == 0);
  if (ImGui::Button("Back")) turn_lesson(context, -1);
  ImGui::EndDisabled();
  tooltip("The step before. Page up");
  ImGui::SameLine();
  ImGui::BeginDisabled(view.step + 1 == steps);
  if (ImGui::Button("Next")) turn_lesson(context, 1);
  ImGui::EndDisabled();
  tooltip("The next step. Page down");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  caption(fmt::format("{} of {}", view.step + 1, steps), context.look.colours.quiet);
  flow("Leave");
  if (ImGui::Button("Leave")) leave_lesson(context);
  tooltip("End the lesson: back to the list, and to the settings that you had before.");
}

// A file that was opened begins.
void take_opened(PanelContext& context) {
  LessonView& view = context.ui.panels.lesson;
  if (context.status.opened_lesson == view.last_opened) return;
  view.last_opened = context.status.opened_lesson;
  view.rises = true;
  begin_lesson(context, std::shared_ptr<const Lesson>(view.last_opened, &view.last_opened->lesson), 0);
}

}  // namespace

void begin_lesson(PanelContext& context, std::shared_ptr<const Lesson> own, int step) {
  context.ui.panels.lesson.own = std::move(own);
  begin(context, *context.ui.panels.lesson.own, "own", step);
}

// Back to the lesson that is being written, if it was only tried.
void leave_lesson(PanelContext& context) {
  LessonView& view = context.ui.panels.lesson;
  if (view.draft && !view.id.empty()) {
    view.id.clear();
    view.own.reset();
    view.draft->revealed = false;
    return show(context, view.draft->at().scene);
  }
  if (view.before) {
    context.settings = view.settings_of_user(context.settings);
    context.ui.show_only(view.panels_before);
  }
  view.end();
  view.rises = false;
}

std::string dated_file(std::string_view stem, std::string_view ending) {
  return fmt::format("{}-{:%Y-%m-%d-%H-%M-%S}{}", stem, fmt::gmtime(std::time(nullptr)), ending);
}

bool lesson_is_open(const PanelContext& context) {
  return open_lesson(context) != nullptr;
}

const LessonQuestion* asked_question(const PanelContext& context) {
  const Lesson* lesson = open_lesson(context);
  const LessonView& view = context.ui.panels.lesson;
  const bool seen = context.ui.presenter.on ? !context.ui.presenter.blank : view.visible;
  if (!lesson || !seen || view.answers[view.step].revealed) return nullptr;
  const std::optional<LessonQuestion>& question = step_of(context, *lesson).question;
  return question ? &*question : nullptr;
}

void turn_lesson(PanelContext& context, int steps) {
  const Lesson* lesson = open_lesson(context);
  const int to = context.ui.panels.lesson.step + steps;
  if (to >= 0 && to < static_cast<int>(lesson->steps.size())) go_to_step(context, *lesson, to);
}

void take_page_keys(PanelContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!lesson_is_open(context) || io.KeyMods != ImGuiMod_None) return;
  for (const ImGuiKey key : {ImGuiKey_PageUp, ImGuiKey_PageDown})
    ImGui::SetKeyOwner(key, ImHashStr("lesson"));            // they do not scroll the panel
  if (io.WantTextInput && !asked_question(context)) return;  // somebody writes elsewhere
  if (ImGui::IsKeyPressed(ImGuiKey_PageDown, false)) turn_lesson(context, 1);
  if (ImGui::IsKeyPressed(ImGuiKey_PageUp, false)) turn_lesson(context, -1);
}

std::optional<PixelRect> place_of_answer(const PanelContext& context) {
  const Lesson* lesson = open_lesson(context);
  if (!lesson) return std::nullopt;
  const LessonView& view = context.ui.panels.lesson;
  const std::optional<LessonQuestion>& question = step_of(context, *lesson).question;
  return question && view.answers[view.step].revealed ? question->place : std::nullopt;
}

void take_lesson_keys(PanelContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || io.KeySuper || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId))
    return;
  for (const ImGuiKey key : {ImGuiKey_Enter, ImGuiKey_KeypadEnter, ImGuiKey_Space})
    ImGui::SetKeyOwner(key, ImHashStr("lesson"));  // not of a button that the keyboard is at
  const LessonStep& step = step_of(context, *open_lesson(context));
  if (step.question->place || step.question->curve)  // they move the picked pixel, or draw
    for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow})
      ImGui::SetKeyOwner(key, ImHashStr("lesson"));
  LessonAnswer& answer = answer_of(context);
  if (step.question->curve) take_curve_keys(*step.question, answer);
  for (std::size_t i = 0; i < step.question->choices.size(); ++i) {
    if (!ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_A + i), false)) continue;
    if (context.ui.presenter.on) {
      int& votes = answer.votes[answer.round][i];
      votes = std::max(0, votes + (io.KeyShift ? -1 : 1));
    } else {
      answer.choice = static_cast<int>(i);
    }
  }
  if (ImGui::IsKeyPressed(ImGuiKey_Space, false) && context.ui.presenter.on) answer.round = 1;
  if (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false))
    reveal(context, step);
}

void draw_lesson(PanelContext& context) {
  LessonView& view = context.ui.panels.lesson;
  view.visible = false;
  if (!context.ui.shown.lesson) {
    view.draft.reset();
    if (view.before) leave_lesson(context);  // to close it ends the lesson
    view.rises = true;
    return;
  }
  take_opened(context);
  const bool rises = context.ui.layout.focus_settings == 0 && view.rises;
  if (rises) ImGui::SetNextWindowFocus();
  if (ImGui::Begin("Lesson", &context.ui.shown.lesson) && context.ui.shown.lesson) {
    view.visible = true;
    if (rises && !ImGui::IsWindowAppearing()) view.rises = false;  // before, its tab may not be chosen yet
    if (const Lesson* lesson = open_lesson(context)) {
      const std::shared_ptr<const Lesson> kept = view.own;  // Edit a copy ends the lesson while it is drawn
      const float one_row = ImGui::GetFrameHeight() + 3 * ImGui::GetStyle().ItemSpacing.y;
      if (ImGui::BeginChild("##step", {0, -std::max(one_row, view.turning_height)})) draw_step(context, *lesson);
      ImGui::EndChild();
      const float from = ImGui::GetCursorPosY();
      ImGui::Separator();
      draw_turning(context, *lesson);
      view.turning_height = ImGui::GetCursorPosY() - from;
    } else if (view.draft) {
      draw_lesson_editor(context);
    } else {
      draw_list(context);
    }
  }
  ImGui::End();
}

namespace {

// The choices with their votes, those of the second round behind an arrow.
void draw_votes(PanelContext& context, const LessonQuestion& question, const LessonFacts& facts) {
  const Palette& p = context.look.colours;
  const LessonAnswer& answer = answer_of(context);
  const std::optional<int> right = answer.verdict ? answer.verdict->choice : std::nullopt;
  const bool voted = answer.round == 1 || std::ranges::any_of(answer.votes[0], std::identity());
  std::vector<std::string> texts;
  float widest = 0;
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    texts.push_back(fmt::format("{}   {}{}", letter_of(i), with_values(question.choices[i], facts),
                                right == static_cast<int>(i) ? "   ✓" : ""));
    widest = std::max(widest, ImGui::CalcTextSize(texts[i].c_str()).x);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ImGui::TextColored(right == static_cast<int>(i) ? p.pass : p.text, "%s", texts[i].c_str());
    if (!voted) continue;
    ImGui::SameLine(widest + 2 * ImGui::GetFontSize());
    ImGui::Text("%d", answer.votes[0][i]);
    if (answer.round == 0) continue;
    ImGui::SameLine();
    ImGui::Text("→ %d", answer.votes[1][i]);
  }
  if (!answer.revealed)
    caption(answer.round == 0 ? "A to D: one vote more, with Shift one less · Space: vote again · Enter: the answer"
                              : "Second vote: A to D · Enter: the answer",
            p.quiet);
}

// The band grows if its text is cut off. ImGui knows two frames later whether it still is.
void make_room(PanelContext& context) {
  if (ImGui::GetScrollMaxY() > 0 && ImGui::GetFrameCount() % 4 == 0)
    context.ui.panels.lesson.band += ImGui::GetScrollMaxY() + 1;
}

void draw_asked(PanelContext& context, const LessonStep& step, const LessonFacts& facts) {
  const bool answered = answer_of(context).revealed;
  judge(context, *step.question, facts);
  const float width = ImGui::GetContentRegionAvail().x;
  if (ImGui::BeginChild("##question", {answered ? 0.48f * width : width, 0})) {
    if (!answered) draw_markdown(context.look, with_values(step.text, facts));
    draw_markdown(context.look, with_values(step.question->text, facts));
    if (step.question->choices.empty())
      draw_answer(context, step, facts);
    else
      draw_votes(context, *step.question, facts);
    make_room(context);
  }
  ImGui::EndChild();
  if (!answered) return;
  ImGui::SameLine();
  if (ImGui::BeginChild("##reveal")) {
    draw_reveal(context, step, facts);
    make_room(context);
  }
  ImGui::EndChild();
}

}  // namespace

void draw_lesson_band(PanelContext& context, const ViewArea& area, float smallest) {
  const Lesson* lesson = open_lesson(context);
  if (!lesson) return;
  LessonView& view = context.ui.panels.lesson;
  const LessonStep& step = step_of(context, *lesson);
  const LessonFacts facts = lesson_facts(context, step);
  ImGuiStyle& style = ImGui::GetStyle();
  const float scale = std::exchange(style.FontScaleMain, smallest / text_size::caption);
  ImGui::PushFont(nullptr, text_size::base);
  ImGui::SetCursorScreenPos({area.left, area.top});
  ImGui::PushStyleColor(ImGuiCol_ChildBg, context.look.colours.panel);
  if (ImGui::BeginChild("##lesson", {area.width, area.height}, ImGuiChildFlags_AlwaysUseWindowPadding)) {
    ImGui::TextColored(context.look.colours.quiet, "%d / %d", view.step + 1, static_cast<int>(lesson->steps.size()));
    ImGui::SameLine();
    ImGui::TextColored(context.look.colours.lane[0], "%s", with_values(step.title, facts).c_str());
    if (step.question)
      draw_asked(context, step, facts);
    else
      draw_markdown(context.look, with_values(step.text, facts));
    make_room(context);
    view.arrives = false;
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
  style.FontScaleMain = scale;
  ImGui::PopFont();
}

}  // namespace conv
