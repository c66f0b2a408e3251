// The settings panel: its sections are in ui/sections.
#include <imgui.h>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

void draw_settings(PanelContext& context) {
  const bool looked_for = looks_for_property(PropertyPlace::settings) || looks_for_property(PropertyPlace::source);
  if (looked_for) {
    context.ui.shown.settings = true;
    ImGui::SetNextWindowFocus();
  }
  if (!context.ui.shown.settings) return;
  if (context.ui.layout.focus_settings > 0 && --context.ui.layout.focus_settings == 0) ImGui::SetNextWindowFocus();
  if (ImGui::Begin("Settings", nullptr, ImGuiWindowFlags_NoCollapse)) {
    const auto section = [&](const char* title, void (*draw)(PanelContext&)) {
      ImGui::SetNextItemOpen(true, looked_for ? ImGuiCond_Always : ImGuiCond_Once);
      const bool plain = context.preferences.theme != Theme::contrast;  // a header is no control like the others
      if (plain) ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
      const bool open = ImGui::CollapsingHeader(title);
      if (plain) ImGui::PopStyleVar();
      if (open) draw(context);
    };
    draw_source_section(context);
    section("Filter", draw_filter_section);
    section("Launch", draw_launch_section);
  }
  ImGui::End();
}

}  // namespace conv
