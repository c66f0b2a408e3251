// Ideas behind the variants: a text, a picture, and the numbers of what is on the screen. Bugs, and their fixes.
#include "app/lessons/diagram.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/diagram_view.h"
#include "app/ui/widgets/markdown.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

void draw_gallery_choice(PanelContext& context) {
  Gallery& which = context.ui.panels.concepts.gallery;
  if (ImGui::RadioButton("Concepts", which == Gallery::concepts)) which = Gallery::concepts;
  tooltip("Ideas behind the variants");
  ImGui::SameLine();
  if (ImGui::RadioButton("Bugs", which == Gallery::bugs)) which = Gallery::bugs;
  tooltip("What goes wrong in kernels, and how it is put right");
}

void draw_scene_buttons(PanelContext& context, const LessonStep& step) {
  const auto button = [&](const char* label, const std::string& scene, const char* tip) {
    flow(label);
    if (ImGui::Button(label)) context.commands.push_back(command::ShowScene{scene, {}});
    tooltip(tip);
  };
  if (step.fix.empty())
    return button("Set it up", step.scene, "Show variants and settings that show this idea. Undo brings yours back.");
  button("Show the bug", step.scene, "Show a kernel and settings that have it. Undo brings yours back.");
  button("Fix it", step.fix, "Show the same without the bug.");
}

void draw_choice(PanelContext& context, const Lesson& all) {
  auto& shown = context.ui.panels.concepts.shown();
  const float scale = ImGui::GetStyle().FontScaleMain, list = 240 * scale;
  const auto turn = [&](std::size_t by) { shown = (shown + by) % all.steps.size(); };
  draw_gallery_choice(context);
  flow(list + 2 * ImGui::GetFrameHeight());
  if (ImGui::Button("<##before")) turn(all.steps.size() - 1);
  tooltip("The one before");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(std::min(list, ImGui::GetContentRegionAvail().x - 2 * ImGui::GetFrameHeight()));
  if (begin_combo("##concept", all.steps[shown].title)) {
    for (std::size_t i = 0; i < all.steps.size(); ++i)
      if (ImGui::Selectable(all.steps[i].title.c_str(), i == shown)) shown = i;
    ImGui::EndCombo();
  }
  ImGui::SameLine();
  if (ImGui::Button(">##next")) turn(1);
  tooltip("The next one");
  draw_scene_buttons(context, all.steps[shown]);
  flow(110 * scale);
  ImGui::SetNextItemWidth(110 * scale);
  draw_language(context);
}

void draw_picture(PanelContext& context, const LessonStep& idea, const LessonFacts& facts) {
  if (idea.picture.name.empty()) return;
  if (const auto diagram = diagram_of(idea.picture, facts)) return draw_diagram(context.look, *diagram);
  caption("What is on the screen does not show this idea. Press Set it up.", context.look.colours.quiet);
}

}  // namespace

void draw_concepts_contents(PanelContext& context) {
  const Lesson& all = gallery(context.ui.panels.concepts.gallery, context.preferences.language);
  draw_choice(context, all);
  ImGui::Separator();
  const LessonStep& idea = all.steps[context.ui.panels.concepts.shown()];
  const LessonFacts facts = lesson_facts(context, idea);
  const ImVec2 space = ImGui::GetContentRegionAvail();
  // The picture is beside the text in a low panel, and below it in a high or narrow one.
  const float line = ImGui::GetFontSize();
  const bool beside = space.x > 40 * line && space.y < 14 * line;
  if (ImGui::BeginChild("##text", {beside ? 0.5f * space.x : 0, 0}, beside ? 0 : ImGuiChildFlags_AutoResizeY))
    draw_markdown(context.look, with_values(idea.text, facts));
  ImGui::EndChild();
  if (beside) ImGui::SameLine(0, 2 * line);
  if (ImGui::BeginChild("##picture")) draw_picture(context, idea, facts);
  ImGui::EndChild();
}

void draw_concepts(PanelContext& context) {
  if (!context.ui.shown.concepts) return;
  if (ImGui::Begin("Concepts", &context.ui.shown.concepts)) draw_concepts_contents(context);
  ImGui::End();
}

}  // namespace conv
