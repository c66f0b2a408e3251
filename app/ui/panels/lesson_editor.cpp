// A lesson that the user writes: its steps are what the window shows, with texts and questions.
#include <fmt/format.h>
#include <imgui_internal.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>

#include "app/lessons/diagram.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/diagram_view.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/replaced.h"

namespace conv {

namespace {

struct QuestionKindInfo {
  std::optional<QuestionKind> kind;  // nothing: no question
  std::string_view title;
};
constexpr std::array question_kinds{QuestionKindInfo{std::nullopt, "No question"},
                                    QuestionKindInfo{QuestionKind::choices, "Choices"},
                                    QuestionKindInfo{QuestionKind::faster, "Which lane is faster"},
                                    QuestionKindInfo{QuestionKind::number, "A number"},
                                    QuestionKindInfo{QuestionKind::place, "A place in the picture"},
                                    QuestionKindInfo{QuestionKind::curve, "A curve over the radius"}};

std::optional<QuestionKind> kind_of(const LessonStep& step) {
  return step.question ? std::optional(kind_of(*step.question)) : std::nullopt;
}

LessonQuestion new_question(QuestionKind kind, std::string text) {
  switch (kind) {
    case QuestionKind::choices: return {.text = std::move(text), .choices = {"", ""}, .right = 0};
    case QuestionKind::faster:
      return {.text = text.empty() ? "Which is faster?" : std::move(text),
              .choices = {"{a.variant}", "{b.variant}", "No difference can be measured"},
              .value = "faster"};
    case QuestionKind::number: return {.text = std::move(text), .choices = {}, .value = "taps", .within = 0.05};
    case QuestionKind::curve:
      return {
          .text = std::move(text), .choices = {}, .value = "taps", .within = 0.15, .curve = LessonQuestion::Radii{}};
    case QuestionKind::place: return {.text = std::move(text), .choices = {}, .place = PixelRect{0, 0, 1, 1}};
  }
  return {};
}

// Whether there is something that the user would miss.
bool is_begun(const Lesson& lesson) {
  if (lesson.steps.size() > 1 || !lesson.title.empty() || !lesson.summary.empty()) return true;
  const LessonStep& step = lesson.steps.front();
  return !step.title.empty() || step.question || !std::ranges::all_of(texts_of(step), &std::string::empty);
}

LessonDraft& draft_of(PanelContext& context) {
  return *context.ui.panels.lesson.draft;
}

void show_scene(PanelContext& context, bool revealed) {
  LessonDraft& draft = draft_of(context);
  draft.revealed = revealed;
  draft.shown.reset();
  const std::string& scene = revealed ? draft.at().reveal_scene : draft.at().scene;
  context.commands.push_back(command::ShowScene{scene, draft.lesson.pictures});
}

void go_to(PanelContext& context, std::size_t step) {
  draft_of(context).step = step;
  draft_of(context).put_aside.clear();
  show_scene(context, false);
}

void add_step(PanelContext& context) {
  LessonDraft& draft = draft_of(context);
  draft.step = std::min(draft.step + 1, draft.lesson.steps.size());
  draft.put_aside.clear();
  draft.lesson.steps.insert(draft.lesson.steps.begin() + static_cast<std::ptrdiff_t>(draft.step), LessonStep{});
  context.commands.push_back(command::TakeScene{});
}

void remove_step(PanelContext& context) {
  LessonDraft& draft = draft_of(context);
  draft.lesson.steps.erase(draft.lesson.steps.begin() + static_cast<std::ptrdiff_t>(draft.step));
  go_to(context, std::min(draft.step, draft.lesson.steps.size() - 1));
}

// A label above a field that is as wide as the panel.
void label(PanelContext& context, const char* text) {
  caption(text, context.look.colours.quiet);
  ImGui::SetNextItemWidth(-FLT_MIN);
}

void draw_line(PanelContext& context, const char* name, std::string& text) {
  label(context, name);
  ImGui::InputText(fmt::format("##{}", name).c_str(), &text);
}

// As high as its text, within limits.
void draw_text(PanelContext& context, const char* name, std::string& text) {
  label(context, name);
  const ImGuiStyle& style = ImGui::GetStyle();
  const float width = ImGui::GetContentRegionAvail().x - 2 * style.FramePadding.x - style.ScrollbarSize;
  const float line = ImGui::GetTextLineHeight();
  const float height = ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y + line;
  ImGui::InputTextMultiline(fmt::format("##{}", name).c_str(), &text,
                            {-FLT_MIN, std::clamp(height, 3 * line, 12 * line) + 2 * style.FramePadding.y},
                            ImGuiInputTextFlags_WordWrap);
}

// The settings of a step, beside those of the window.
bool window_differs(const PanelContext& context, const LessonDraft& draft) {
  if (!draft.shown) return false;
  Settings shown = *draft.shown;
  keep_own(context.settings, shown);
  return shown != context.settings || draft.shown_panels != context.ui.scene_panels();
}

void draw_scene(PanelContext& context, bool revealed) {
  const Palette& p = context.look.colours;
  LessonDraft& draft = draft_of(context);
  std::string& scene = revealed ? draft.at().reveal_scene : draft.at().scene;
  ImGui::PushID(revealed);
  caption(revealed ? "What the window shows after the answer" : "What the window shows", p.quiet);
  caption(scene.empty() ? "as before the answer" : scene, p.text);
  const bool here = draft.revealed == revealed, differs = here && window_differs(context, draft);
  if (differs) caption("The window now shows something else.", p.lane[0]);
  ImGui::BeginDisabled(here && !differs && !scene.empty());
  if (ImGui::Button("Update")) context.commands.push_back(command::TakeScene{revealed});
  ImGui::EndDisabled();
  tooltip("The step shows what the window shows now: its picture, filter, variants, view and panels.");
  flow("Show it");
  ImGui::BeginDisabled(scene.empty() || (here && !differs));
  if (ImGui::Button("Show it")) show_scene(context, revealed);
  ImGui::EndDisabled();
  tooltip("Brings what the step shows back to the window.");
  if (revealed && !scene.empty()) {
    flow("As before the answer");
    if (ImGui::Button("As before the answer")) {
      scene.clear();
      show_scene(context, false);
    }
  }
  ImGui::PopID();
}

// Which values a text or a question can name.
bool any_value(ValueSource) {
  return true;
}
bool is_number(ValueSource source) {
  return source != ValueSource::word;
}
bool has_curve(ValueSource source) {
  return source == ValueSource::plan;
}

// A list of the values as they are now; the one that is chosen.
std::string draw_numbers(PanelContext& context, const char* id, const std::string& preview,
                         bool (*listed)(ValueSource)) {
  std::string chosen;
  if (!begin_combo(id, preview)) return chosen;
  const LessonStep all{.counted = true, .timed = true};
  const LessonFacts facts = lesson_facts(context, all);
  for (const std::string& name : value_names()) {
    if (!listed(*source_of_value(name))) continue;
    const std::string row = fmt::format("{}   {}", name, with_values("{" + name + "}", facts));
    if (ImGui::Selectable(row.c_str(), name == preview)) chosen = name;
  }
  ImGui::EndCombo();
  return chosen;
}

void draw_insert(PanelContext& context, std::string& text) {
  ImGui::SetNextItemWidth(-FLT_MIN);
  const std::string name = draw_numbers(context, "##insert", "Insert a number…", any_value);
  tooltip("Adds a number in braces to the text. The lesson shows its value of the run.");
  if (!name.empty()) text += "{" + name + "}";
}

void draw_kept_controls(PanelContext& context) {
  std::vector<Control>& controls = draft_of(context).at().controls;
  label(context, "Controls in the panel");
  std::string names;
  for (const ControlInfo& row : lesson_controls)
    if (std::ranges::find(controls, row.control) != controls.end())
      names += (names.empty() ? "" : ", ") + replaced(std::string(row.id), "_", " ");
  if (!begin_combo("##controls", names.empty() ? "none" : names)) return;
  for (const ControlInfo& row : lesson_controls) {
    const auto at = std::ranges::find(controls, row.control);
    bool kept = at != controls.end();
    ImGui::BeginDisabled(!kept && controls.size() == most_controls);
    if (ImGui::Checkbox(replaced(std::string(row.id), "_", " ").c_str(), &kept)) {
      if (kept)
        controls.push_back(row.control);
      else
        controls.erase(at);
    }
    ImGui::EndDisabled();
  }
  ImGui::EndCombo();
}

// Named as in the panel Concepts, with the labels that it has there.
void draw_edited_diagram(PanelContext& context) {
  LessonDraft& draft = draft_of(context);
  LessonPicture& picture = draft.at().picture;
  const std::vector<LessonStep>& concepts = gallery(Gallery::concepts, context.preferences.language).steps;
  const auto concept_of = [&](std::string_view name) {
    return std::ranges::find(concepts, name, [](const LessonStep& step) { return step.picture.name; });
  };
  const auto title_of = [&](std::string_view name) {
    const auto found = concept_of(name);
    return found == concepts.end() ? std::string(name) : found->title;
  };
  label(context, "Diagram");
  if (begin_combo("##diagram", picture.name.empty() ? "none" : title_of(picture.name))) {
    if (ImGui::Selectable("none", picture.name.empty())) picture = {};
    for (const std::string_view name : picture_names()) {
      const auto found = concept_of(name);
      if (found == concepts.end()) continue;
      const bool is_chosen = name == picture.name;
      if (ImGui::Selectable(found->title.c_str(), is_chosen) && !is_chosen) picture = found->picture;
    }
    ImGui::EndCombo();
  }
  tooltip("A drawing of an idea, above the text. Its numbers are those of lane A.");
  for (std::size_t i = 0; i < picture.labels.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    ImGui::SetNextItemWidth(-FLT_MIN);
    ImGui::InputTextWithHint("##label", "Label in the diagram", &picture.labels[i]);
    std::ranges::replace(picture.labels[i], ',', ';');  // in the file, commas separate labels
    ImGui::PopID();
  }
  if (picture.name.empty()) return;
  if (const auto diagram = diagram_of(picture, lesson_facts(context, draft.at())))
    draw_diagram(context.look, *diagram);
  else
    caption("What is on the screen does not show this idea.", context.look.colours.lane[0]);
}

// A choice with a mark for the right one.
void draw_edited_choices(LessonQuestion& question) {
  const bool by_value = !question.value.empty();
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (!by_value) {
      if (ImGui::RadioButton("##right", question.right == static_cast<int>(i))) question.right = static_cast<int>(i);
      tooltip("This answer is right.");
      ImGui::SameLine();
    }
    ImGui::SetNextItemWidth(-FLT_MIN);
    ImGui::InputTextWithHint("##choice", fmt::format("Answer {}", letter_of(i)).c_str(), &question.choices[i]);
    ImGui::PopID();
  }
  if (by_value) return;
  ImGui::BeginDisabled(question.choices.size() == most_choices);
  if (ImGui::Button("Add an answer")) question.choices.emplace_back();
  ImGui::EndDisabled();
  flow("Remove the last");
  ImGui::BeginDisabled(question.choices.size() == 2);
  if (ImGui::Button("Remove the last")) {
    question.choices.pop_back();
    question.right = std::min(question.right, static_cast<int>(question.choices.size()) - 1);
  }
  ImGui::EndDisabled();
}

void draw_edited_number(PanelContext& context, LessonQuestion& question) {
  label(context, question.curve ? "The value of the curve" : "The right number");
  const auto listed = question.curve ? has_curve : is_number;
  if (std::string name = draw_numbers(context, "##value", question.value, listed); !name.empty())
    question.value = std::move(name);
  double percent = 100 * question.within;
  label(context, "How far from it an answer may be");
  if (slider("##within", percent, 0.1, 50, "%.1f %%")) question.within = percent / 100;
  if (!question.curve) return;
  auto& [from, to] = *question.curve;
  label(context, "Smallest radius");
  slider("##from", from, 0, max_radius - 2, "%d px");
  label(context, "Largest radius");
  slider("##to", to, 2, max_radius, "%d px");
  to = std::max(to, from + 2);
}

// The right place is the region that is selected in the picture.
void draw_edited_place(PanelContext& context, LessonQuestion& question) {
  const PixelRect& place = *question.place;
  caption(fmt::format("The right place: {}, {}, {}×{} pixels", place.left, place.top, place.width, place.height),
          context.look.colours.text);
  const std::optional<PixelRect>& region = context.ui.probe.region;
  ImGui::BeginDisabled(!region || region == question.place);
  if (ImGui::Button("Use the region")) question.place = region;
  ImGui::EndDisabled();
  tooltip("Select a region of the picture with Shift and a drag.");
  flow("Outside of it", true);
  ImGui::Checkbox("Outside of it", &question.outside);
  tooltip("Every pixel that is not in the region is right.");
}

void draw_edited_question(PanelContext& context) {
  LessonStep& step = draft_of(context).at();
  label(context, "Question");
  std::optional<QuestionKind> kind = kind_of(step);
  if (combo("##question", question_kinds, kind, [](const QuestionKindInfo& row) { return row.kind; })) {
    auto& put_aside = draft_of(context).put_aside;
    std::string text = step.question ? step.question->text : "";
    if (step.question) put_aside[kind_of(*step.question)] = std::move(*step.question);
    step.question.reset();
    if (kind && put_aside.contains(*kind))
      step.question = put_aside[*kind];
    else if (kind)
      step.question = new_question(*kind, std::move(text));
  }
  if (!step.question) return;
  draw_text(context, "Its text", step.question->text);
  if (kind == QuestionKind::number || kind == QuestionKind::curve)
    draw_edited_number(context, *step.question);
  else if (kind == QuestionKind::place)
    draw_edited_place(context, *step.question);
  else
    draw_edited_choices(*step.question);
  draw_text(context, "Text after the answer", step.reveal);
  ImGui::PushID("reveal");
  draw_insert(context, step.reveal);
  ImGui::PopID();
  draw_scene(context, true);
}

void draw_choice_of_step(PanelContext& context) {
  LessonDraft& draft = draft_of(context);
  const std::size_t steps = draft.lesson.steps.size();
  ImGui::BeginDisabled(draft.step == 0);
  if (ImGui::ArrowButton("##before", ImGuiDir_Left)) go_to(context, draft.step - 1);
  ImGui::EndDisabled();
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  ImGui::Text("Step %d of %d", static_cast<int>(draft.step) + 1, static_cast<int>(steps));
  ImGui::SameLine();
  ImGui::BeginDisabled(draft.step + 1 == steps);
  if (ImGui::ArrowButton("##after", ImGuiDir_Right)) go_to(context, draft.step + 1);
  ImGui::EndDisabled();
  flow("Add a step");
  ImGui::BeginDisabled(steps == most_steps);
  if (ImGui::Button("Add a step")) add_step(context);
  ImGui::EndDisabled();
  tooltip("Adds a step after this one. It shows what the window shows now.");
  flow("Earlier");
  ImGui::BeginDisabled(draft.step == 0);
  if (ImGui::Button("Earlier")) {
    std::swap(draft.lesson.steps[draft.step], draft.lesson.steps[draft.step - 1]);
    --draft.step;
  }
  ImGui::EndDisabled();
  tooltip("Moves this step one place earlier.");
  flow("Remove step");
  ImGui::BeginDisabled(steps == 1);
  if (ImGui::Button("Remove step")) ImGui::OpenPopup("##remove step");
  ImGui::EndDisabled();
  if (!ImGui::BeginPopup("##remove step")) return;
  ImGui::TextUnformatted("The step and its texts are removed.");
  if (ImGui::Button("Remove it")) {
    remove_step(context);
    ImGui::CloseCurrentPopup();
  }
  close_on_escape();
  ImGui::EndPopup();
}

void draw_draft(PanelContext& context) {
  LessonDraft& draft = draft_of(context);
  draw_line(context, "Title of the lesson", draft.lesson.title);
  draw_text(context, "What it is about", draft.lesson.summary);
  ImGui::Separator();
  draw_choice_of_step(context);
  // Another step has other fields.
  ImGui::PushID(static_cast<int>(draft.step));
  draw_line(context, "Title of the step", draft.at().title);
  draw_scene(context, false);
  draw_text(context, "Text", draft.at().text);
  draw_insert(context, draft.at().text);
  draw_edited_diagram(context);
  draw_kept_controls(context);
  draw_edited_question(context);
  draw_text(context, "Notes for the lecturer", draft.at().notes);
  ImGui::PopID();
}

void draw_draft_buttons(PanelContext& context) {
  LessonDraft& draft = draft_of(context);
  if (ImGui::Button("Try it")) begin_lesson(context, as_read(draft.lesson), static_cast<int>(draft.step));
  tooltip("Shows the lesson from this step on, as a class sees it. Leave brings you back.");
  flow("Save…");
  if (ImGui::Button("Save…")) context.commands.push_back(command::ChooseSaveFile{command::What::lesson});
  tooltip(
      "Saves the lesson for others: as a Markdown file, or with your own pictures as a .zip file. Both open like a "
      "picture.");
  flow("Close");
  if (ImGui::Button("Close")) {
    draft.shown.reset();
    context.ui.panels.lesson.draft.reset();
    leave_lesson(context);
  }
  tooltip("Back to the list, and to the settings that you had before. What you wrote is kept.");
}

void keep_text(PanelContext& context) {
  LessonView& view = context.ui.panels.lesson;
  if (!view.draft || view.draft->lesson == view.draft->kept || !is_begun(view.draft->lesson)) return;
  view.draft->kept = view.written[view.draft->file] = view.draft->lesson;
  view.changed = {view.draft->file, lesson_text(view.draft->lesson)};
}

}  // namespace

std::shared_ptr<const Lesson> as_read(const Lesson& lesson) {
  Result<Lesson> read = parse_lesson(lesson_text(lesson));
  if (read) read->pictures = lesson.pictures;
  return std::make_shared<const Lesson>(read ? std::move(*read) : lesson);
}

void new_lesson(PanelContext& context) {
  LessonView& view = context.ui.panels.lesson;
  context.ui.shown.lesson = view.rises = true;
  if (!view.id.empty()) leave_lesson(context);
  if (!view.draft) edit_lesson(context, dated_file("lesson", ".md"), {});
}

void edit_lesson(PanelContext& context, const std::string& file, Lesson lesson) {
  LessonView& view = context.ui.panels.lesson;
  context.ui.shown.welcome = false;
  view.keep_settings(context.settings, context.ui.shown.open_ones());
  const bool is_new = lesson.steps.empty();
  lesson.pictures = own_pictures;
  view.draft = LessonDraft{.file = file, .lesson = lesson, .kept = std::move(lesson)};
  if (is_new)
    add_step(context);
  else
    go_to(context, 0);
}

void draw_lesson_editor(PanelContext& context) {
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float buttons = control_width("Try it") + gap + control_width("Save…") + gap + control_width("Close");
  // In a narrow panel the buttons scroll with the rest.
  const bool apart = buttons <= ImGui::GetContentRegionAvail().x;
  const float below = ImGui::GetFrameHeight() + 3 * ImGui::GetStyle().ItemSpacing.y;
  if (!apart) {
    draw_draft(context);
  } else {
    if (ImGui::BeginChild("##draft", {0, -below})) draw_draft(context);
    ImGui::EndChild();
  }
  keep_text(context);
  ImGui::Separator();
  if (!context.status.own_lesson_error.empty()) complaint(context.look.colours, context.status.own_lesson_error);
  draw_draft_buttons(context);
}

}  // namespace conv
