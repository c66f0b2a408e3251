// Where the panels are, until they are moved.
#include <imgui_internal.h>

#include <algorithm>

#include "app/ui/panels/panels.h"

namespace conv {

void draw_dockspace(PanelContext& context) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  // A host of our own without background: ImGui's would paint over the pictures, which lie under all windows.
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->WorkPos);
  ImGui::SetNextWindowSize(viewport->WorkSize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin("##dock host", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoNavFocus);
  ImGui::PopStyleVar();
  const ImGuiID id = ImGui::DockSpace(ImGui::GetID("dock space"));
  ImGui::End();
  // ImGui's public and internal flags are two enumerations: combine them as the int they are.
  constexpr ImGuiDockNodeFlags dock_space = ImGuiDockNodeFlags_DockSpace, central = ImGuiDockNodeFlags_CentralNode,
                               no_tabs = ImGuiDockNodeFlags_NoTabBar, no_close = ImGuiDockNodeFlags_NoCloseButton;
  const ImGuiDockNode* root = ImGui::DockBuilderGetNode(id);
  // A narrow window has one column of panels, so that the picture keeps its room.
  const bool narrow = viewport->WorkSize.x < 1200 * scale;
  if (std::exchange(context.ui.layout.narrow, narrow).value_or(narrow) != narrow) context.ui.layout.reset = true;
  // A panel that a kept layout knows nothing of goes to where its neighbour is.
  const ImGuiWindowSettings* neighbour = ImGui::FindWindowSettingsByID(ImHashStr("Occupancy"));
  if (neighbour && !ImGui::FindWindowSettingsByID(ImHashStr("How it works")) &&
      !ImGui::FindWindowByName("How it works"))
    ImGui::DockBuilderDockWindow("How it works", neighbour->DockId);
  // A layout kept from before the program had one of its panels.
  if (!ImGui::FindWindowSettingsByID(ImHashStr("Inspector")) && !ImGui::FindWindowByName("Inspector"))
    context.ui.layout.reset = true;
  if (!std::exchange(context.ui.layout.reset, false) && root && root->IsSplitNode()) return;
  ImGui::DockBuilderRemoveNode(id);
  ImGui::DockBuilderAddNode(id, dock_space);
  const ImVec2 size = viewport->WorkSize;
  ImGui::DockBuilderSetNodeSize(id, size);
  ImGuiID centre = id;
  const float column = std::min(300 * scale, size.x * 0.3f);
  const ImGuiID left = ImGui::DockBuilderSplitNode(centre, ImGuiDir_Left, column / size.x, nullptr, &centre);
  const ImGuiID right =
      narrow ? left : ImGui::DockBuilderSplitNode(centre, ImGuiDir_Right, column / (size.x - column), nullptr, &centre);
  ImGuiID middle = centre;
  const ImGuiID bottom = ImGui::DockBuilderSplitNode(centre, ImGuiDir_Down, 0.35f, nullptr, &middle);
  ImGui::DockBuilderGetNode(middle)->SetLocalFlags(central | no_tabs);
  for (const ImGuiID panels : {left, right, bottom})  // each tab has its own
    ImGui::DockBuilderGetNode(panels)->SetLocalFlags(no_close);
  ImGui::DockBuilderDockWindow("Settings", left);
  ImGuiID timing = right;
  const ImGuiID inspector = narrow ? left : ImGui::DockBuilderSplitNode(timing, ImGuiDir_Down, 0.45f, nullptr, &timing);
  ImGui::DockBuilderGetNode(inspector)->SetLocalFlags(no_close);
  ImGui::DockBuilderDockWindow("Timing", timing);
  ImGui::DockBuilderDockWindow("Inspector", inspector);
  ImGui::DockBuilderDockWindow("Race", bottom);
  ImGui::DockBuilderDockWindow("Bench", bottom);
  ImGui::DockBuilderDockWindow("Published", bottom);
  ImGui::DockBuilderDockWindow("Roofline", bottom);
  ImGui::DockBuilderDockWindow("Crossover", bottom);
  ImGui::DockBuilderDockWindow("Block", bottom);
  ImGui::DockBuilderDockWindow("Code", bottom);
  ImGui::DockBuilderDockWindow("Occupancy", bottom);
  ImGui::DockBuilderDockWindow("How it works", bottom);
  ImGui::DockBuilderDockWindow("Lab", bottom);
  ImGui::DockBuilderDockWindow("Log", bottom);
  ImGui::DockBuilderDockWindow("Viewport", middle);
  ImGui::DockBuilderFinish(id);
  context.ui.layout.focus_settings = 3;
}

}  // namespace conv
