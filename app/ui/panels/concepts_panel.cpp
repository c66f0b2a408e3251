// Ideas behind the variants: a text, a picture, and the numbers of what is on the screen.
#include "app/lessons/diagram.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/diagram_view.h"
#include "app/ui/widgets/markdown.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

void draw_choice(PanelContext& context, const Lesson& all) {
  auto& shown = context.ui.panels.shown_concept;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const auto turn = [&](std::size_t by) { shown = (shown + by) % all.steps.size(); };
  if (ImGui::Button("<##before")) turn(all.steps.size() - 1);
  tooltip("The concept before");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(std::min(240 * scale, ImGui::GetContentRegionAvail().x - 2 * ImGui::GetFrameHeight()));
  if (begin_combo("##concept", all.steps[shown].title)) {
    for (std::size_t i = 0; i < all.steps.size(); ++i)
      if (ImGui::Selectable(all.steps[i].title.c_str(), i == shown)) shown = i;
    ImGui::EndCombo();
  }
  ImGui::SameLine();
  if (ImGui::Button(">##next")) turn(1);
  tooltip("The next concept");
  flow("Set it up");
  if (ImGui::Button("Set it up")) context.commands.push_back(command::ShowScene{all.steps[shown].scene});
  tooltip("Show variants and settings that show this idea. Undo brings yours back.");
  flow(110 * scale);
  ImGui::SetNextItemWidth(110 * scale);
  draw_language(context);
}

void draw_picture(PanelContext& context, const LessonStep& idea, const LessonFacts& facts) {
  if (const auto diagram = diagram_of(idea.picture, facts)) return draw_diagram(context.look, *diagram);
  caption("What is on the screen does not show this idea. Press Set it up.", context.look.colours.quiet);
}

}  // namespace

void draw_concepts_contents(PanelContext& context) {
  const Lesson& all = concepts(context.preferences.language);
  draw_choice(context, all);
  ImGui::Separator();
  const LessonStep& idea = all.steps[context.ui.panels.shown_concept];
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
