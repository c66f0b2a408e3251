// The default layout of the panels.
#include <imgui_internal.h>

#include <algorithm>

#include "app/ui/panels/panels.h"

namespace conv {

// A host window of our own, without a background. ImGui's own would cover the pictures, which are under all windows.
static ImGuiID draw_host(const ImGuiViewport& viewport) {
  ImGui::SetNextWindowPos(viewport.WorkPos);
  ImGui::SetNextWindowSize(viewport.WorkSize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin("##dock host", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoNavFocus);
  ImGui::PopStyleVar();
  const ImGuiID id = ImGui::DockSpace(ImGui::GetID("dock space"));
  ImGui::End();
  return id;
}

static bool is_unknown(const char* panel) {
  return !ImGui::FindWindowSettingsByID(ImHashStr(panel)) && !ImGui::FindWindowByName(panel);
}

// A kept layout may be older than one of the panels.
static void place_new_panels(LayoutState& layout) {
  const ImGuiWindowSettings* neighbour = ImGui::FindWindowSettingsByID(ImHashStr("Occupancy"));
  for (const char* panel : {"How it works", "Kernel", "Trace", "Explain", "Concepts", "Profile"})
    if (neighbour && is_unknown(panel)) ImGui::DockBuilderDockWindow(panel, neighbour->DockId);
  const ImGuiWindowSettings* settings = ImGui::FindWindowSettingsByID(ImHashStr("Settings"));
  if (settings && is_unknown("Lesson")) ImGui::DockBuilderDockWindow("Lesson", settings->DockId);
  if (is_unknown("Inspector")) layout.reset = true;
}

// narrow: one column of panels instead of two. Either way the picture has 55 % of the window at 1600x900 and 1280x720,
// and 40 % while a panel is open below it.
static void build_layout(ImGuiID id, ImVec2 size, float scale, bool narrow) {
  // ImGui's public and internal flags are two enumerations: combine them as the int they are.
  constexpr ImGuiDockNodeFlags dock_space = ImGuiDockNodeFlags_DockSpace, central = ImGuiDockNodeFlags_CentralNode,
                               no_tabs = ImGuiDockNodeFlags_NoTabBar, no_close = ImGuiDockNodeFlags_NoCloseButton;
  ImGui::DockBuilderRemoveNode(id);
  ImGui::DockBuilderAddNode(id, dock_space);
  ImGui::DockBuilderSetNodeSize(id, size);
  ImGuiID centre = id;
  const float column = std::min(300 * scale, std::max(230 * scale, size.x * 0.3f)), second = 256 * scale;
  const float below = std::min(206 * scale, size.y * 0.33f);
  const ImGuiID left = ImGui::DockBuilderSplitNode(centre, ImGuiDir_Left, column / size.x, nullptr, &centre);
  const ImGuiID right =
      narrow ? left : ImGui::DockBuilderSplitNode(centre, ImGuiDir_Right, second / (size.x - column), nullptr, &centre);
  ImGuiID middle = centre;
  const ImGuiID bottom = ImGui::DockBuilderSplitNode(centre, ImGuiDir_Down, below / size.y, nullptr, &middle);
  ImGui::DockBuilderGetNode(middle)->SetLocalFlags(central | no_tabs);
  ImGuiID timing = right;
  const ImGuiID inspector = narrow ? left : ImGui::DockBuilderSplitNode(timing, ImGuiDir_Down, 0.45f, nullptr, &timing);
  for (const ImGuiID panels : {left, timing, bottom, inspector})  // each tab has its own close button
    ImGui::DockBuilderGetNode(panels)->SetLocalFlags(no_close);
  ImGui::DockBuilderDockWindow("Settings", left);
  ImGui::DockBuilderDockWindow("Lesson", left);
  ImGui::DockBuilderDockWindow("Timing", timing);
  ImGui::DockBuilderDockWindow("Inspector", inspector);
  for (const char* panel : {"Race", "Bench", "Published", "Roofline", "Crossover", "Block", "Trace", "Code",
                            "Occupancy", "Explain", "How it works", "Concepts", "Kernel", "Profile", "Lab", "Log"})
    ImGui::DockBuilderDockWindow(panel, bottom);
  ImGui::DockBuilderDockWindow("Viewport", middle);
  ImGui::DockBuilderFinish(id);
}

void draw_dockspace(PanelContext& context) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  LayoutState& layout = context.ui.layout;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const ImGuiID id = draw_host(*viewport);
  const bool narrow = viewport->WorkSize.x < 1560 * scale;
  if (layout.narrow && *layout.narrow != narrow) {
    layout.kept[*layout.narrow] = ImGui::SaveIniSettingsToMemory();
    layout.wanted = layout.kept[narrow];
    if (layout.wanted.empty()) layout.reset = true;
  }
  layout.narrow = narrow;
  place_new_panels(layout);
  const ImGuiDockNode* root = ImGui::DockBuilderGetNode(id);
  if (!std::exchange(layout.reset, false) && root && root->IsSplitNode()) return;
  build_layout(id, viewport->WorkSize, scale, narrow);
  layout.focus_settings = 3;
}

}  // namespace conv
