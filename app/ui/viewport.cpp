#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/ui/panels.h"
#include "app/ui/widgets.h"

namespace {

// A small label: stripe in the lane's colour, what is shown, its time; below it what keeps it from being what was asked
// for.
void draw_pill(PanelContext& context, int index, const ViewArea& area) {
  const LaneStatus& lane = context.status.lanes[index];
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const std::string time =
      lane.kernel_ms ? fmt::format("{}\u2009ms{}", three_digits(lane.kernel_ms->median), lane.on_cpu ? " CPU" : "")
                     : "";
  const float gain = context.settings.display.gain;
  const std::string drawn =
      (lane.centred ? " · grey is 0" : "") + (gain != 1 ? fmt::format(" · gain {:.3g}", gain) : "");
  const std::string title =
      lane.has_picture ? fmt::format("{}{}{}{}", lane.shown, time.empty() ? "" : " · ", time, drawn) : "no picture yet";
  const std::string below = !lane.refusal.empty()   ? "× " + lane.refusal
                            : !lane.exhibit.empty() ? fmt::format("exhibit: {}", lane.exhibit)
                                                    : lane.note;

  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at{area.left + 12 * scale, area.top + 12 * scale};
  const float pad = 8 * scale, wrap = std::max(80.0f, area.width - 24 * scale - 4 * pad);
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  const std::string letter = fmt::format("{} ", static_cast<char>('A' + index));
  const ImVec2 letter_size = ImGui::CalcTextSize(letter.c_str()), title_size = ImGui::CalcTextSize(title.c_str());
  const ImVec2 below_size = below.empty() ? ImVec2() : ImGui::CalcTextSize(below.c_str(), nullptr, false, wrap);
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 size{std::max(letter_size.x + title_size.x, below_size.x) + 3 * pad,
                    line + (below.empty() ? 0 : below_size.y + 4 * scale) + 1.2f * pad};
  ImVec4 ground = p.panel;
  ground.w = 0.88f;
  list->AddRectFilled(at, at + size, ImGui::GetColorU32(ground), 4 * scale);
  list->AddRectFilled(at, {at.x + 4 * scale, at.y + size.y}, ImGui::GetColorU32(p.lane[index]), 4 * scale,
                      ImDrawFlags_RoundCornersLeft);
  const ImVec2 text{at.x + 1.5f * pad, at.y + 0.6f * pad};
  list->AddText(text, ImGui::GetColorU32(p.lane[index]), letter.c_str());
  list->AddText({text.x + letter_size.x, text.y}, ImGui::GetColorU32(p.text), title.c_str());
  if (!below.empty())
    list->AddText(
        ImGui::GetFont(), ImGui::GetFontSize(), {text.x, text.y + line + 4 * scale},
        ImGui::GetColorU32(lane.refusal.empty() && lane.log.empty() && lane.exhibit.empty() ? p.quiet : p.fault),
        below.c_str(), nullptr, wrap);
  ImGui::PopFont();
}

// Pan, zoom and pick. middle: of this lane's area; both lanes share the view, so each moves the other.
void handle_mouse(PanelContext& context, int index, const ViewArea& area) {
  UiState& ui = context.ui;
  const ImGuiIO& io = ImGui::GetIO();
  const Vec2 middle{area.left + area.width / 2, area.top + area.height / 2};
  const Vec2 mouse{io.MousePos.x, io.MousePos.y};
  if (ImGui::IsItemActive() &&
      (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 2) || ImGui::IsMouseDown(ImGuiMouseButton_Middle)))
    ui.view.pan({io.MouseDelta.x, io.MouseDelta.y});
  if (!ImGui::IsItemHovered()) return;
  if (io.MouseWheel != 0) ui.view.zoom_at(mouse, middle, std::pow(io.KeyCtrl ? 1.03f : 1.25f, io.MouseWheel));
  const Vec2 at = ui.view.image_at_screen(mouse, middle);
  const Size2 size = context.status.source_size;
  ui.hovered =
      at.x >= 0 && at.y >= 0 && at.x < static_cast<float>(size.width) && at.y < static_cast<float>(size.height);
  if (ui.hovered) ui.pixel = {static_cast<int>(at.x), static_cast<int>(at.y)};
  if (ui.hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !io.MouseDragMaxDistanceSqr[0])
    ui.picked = ui.pixel;
  ui.hovered_lane = index;
}

// A frame around the picked pixel, never smaller than can be seen.
void draw_picked(PanelContext& context, int index, const ViewArea& area) {
  const UiState& ui = context.ui;
  if (!ui.picked) return;
  const Vec2 middle{area.left + area.width / 2, area.top + area.height / 2};
  const Vec2 at = ui.view.screen_at_image({static_cast<float>(ui.picked->x), static_cast<float>(ui.picked->y)}, middle);
  const float scale = ImGui::GetStyle().FontScaleMain, grow = std::max(2 * scale, (12 * scale - ui.view.zoom) / 2);
  const ImVec2 from{at.x - grow, at.y - grow}, to{at.x + ui.view.zoom + grow, at.y + ui.view.zoom + grow};
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect({area.left, area.top}, {area.left + area.width, area.top + area.height}, true);
  list->AddRect(from, to, IM_COL32(0, 0, 0, 200), 0, 0, 3 * scale);
  list->AddRect(from, to, ImGui::GetColorU32(context.look.colours.lane[index]), 0, 0, 1.5f * scale);
  list->PopClipRect();
}

// Typed centre and zoom, and the same as text to copy.
void draw_go_to(PanelContext& context) {
  UiState& ui = context.ui;
  const Size2 size = context.status.source_size;
  if (std::exchange(ui.open_go_to, false)) {
    ui.go_to = ui.picked.value_or(Point2{static_cast<int>(ui.view.centre.x), static_cast<int>(ui.view.centre.y)});
    ui.go_to_zoom = ui.view.zoom * 100;
    ImGui::OpenPopup("Go to");
  }
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Appearing, {0.5f, 0.5f});
  if (!ImGui::BeginPopup("Go to")) return;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(180 * ImGui::GetStyle().FontScaleMain);
  ImGui::InputInt2("x, y", &ui.go_to.x);
  ImGui::SetNextItemWidth(180 * ImGui::GetStyle().FontScaleMain);
  ImGui::InputFloat("zoom", &ui.go_to_zoom, 0, 0, "%.4g %%");
  const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter);
  if (ImGui::Button("Go") || enter) {
    ui.picked = Point2{std::clamp(ui.go_to.x, 0, std::max(0, size.width - 1)),
                       std::clamp(ui.go_to.y, 0, std::max(0, size.height - 1))};
    ui.view = {.centre = {static_cast<float>(ui.picked->x) + 0.5f, static_cast<float>(ui.picked->y) + 0.5f},
               .zoom = std::clamp(ui.go_to_zoom / 100, ViewTransform::min_zoom, ViewTransform::max_zoom),
               .fitted = false};
    ImGui::CloseCurrentPopup();
  }
  ImGui::SameLine();
  if (ImGui::Button("Copy"))
    context.commands.push_back(
        command::CopyText{fmt::format("x {} y {} zoom {:.4g} %", ui.go_to.x, ui.go_to.y, ui.go_to_zoom)});
  ImGui::EndPopup();
}

// What to do first. Goes when something of it, or anything else, has been done.
void draw_welcome(PanelContext& context, ImVec2 origin, ImVec2 space) {
  UiState& ui = context.ui;
  if (context.status.can_undo) ui.show_welcome = false;
  if (!ui.show_welcome) return;
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImGui::SetNextWindowPos({origin.x + space.x / 2, origin.y + space.y - 24 * scale}, ImGuiCond_Always, {0.5f, 1});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.look.colours.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 4 * scale);
  constexpr ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                                     ImGuiWindowFlags_NoFocusOnAppearing;
  if (ImGui::Begin("##welcome", nullptr, flags)) {
    ImGui::TextUnformatted("Drop an image here, or press K to try filters");
    if (ImGui::Button("Open…")) context.commands.push_back(command::ChooseFile{});
    ImGui::SameLine();
    if (ImGui::Button("Compare two variants")) context.settings.view = ViewMode::side;
    ImGui::SameLine();
    if (ImGui::Button("Keys")) ui.show_help = true;
    ImGui::SameLine();
    if (ImGui::Button("Got it")) ui.show_welcome = false;
  }
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

}  // namespace

void draw_viewport(PanelContext& context) {
  UiState& ui = context.ui;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const bool side = context.settings.view == ViewMode::side;
  ui.areas = {};
  ui.hovered = false;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  const bool open = ImGui::Begin("Viewport", nullptr,
                                 ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar |
                                     ImGuiWindowFlags_NoNavInputs |  // arrows move the picked pixel
                                     ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoCollapse);
  ImGui::PopStyleVar();
  const ImVec2 origin = ImGui::GetCursorScreenPos(), space = ImGui::GetContentRegionAvail();
  if (open) {
    const float gap = side ? std::max(1.0f, std::round(2 * scale)) : 0;
    const Vec2 beside{std::floor((space.x - gap) / 2), space.y}, above{space.x, std::floor((space.y - gap) / 2)};
    // Two wide pictures stand larger one above the other.
    const bool stacked = side && fitting_zoom(context.status.source_size, above) >
                                     1.1f * fitting_zoom(context.status.source_size, beside);
    const Vec2 room = !side ? Vec2{space.x, space.y} : stacked ? above : beside;
    if (ui.view.fitted) ui.view.fit(context.status.source_size, room);
    for (int i = 0; i < (side ? 2 : 1); ++i) {
      const auto n = static_cast<float>(i);
      const ViewArea area{origin.x + (stacked ? 0 : n * (room.x + gap)), origin.y + (stacked ? n * (room.y + gap) : 0),
                          room.x, room.y};
      if (area.width < 1 || area.height < 1) continue;
      ui.areas[i] = area;
      ImGui::SetCursorScreenPos({area.left, area.top});
      ImGui::InvisibleButton(i == 0 ? "picture A" : "picture B", {area.width, area.height},
                             ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
      handle_mouse(context, i, area);
      draw_picked(context, i, area);
      ImGui::GetWindowDrawList()->PushClipRect({area.left, area.top}, {area.left + area.width, area.top + area.height},
                                               true);
      draw_pill(context, i, area);
      ImGui::GetWindowDrawList()->PopClipRect();
    }
  }
  draw_go_to(context);
  ImGui::End();
  draw_welcome(context, origin, space);
}

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
                               no_tabs = ImGuiDockNodeFlags_NoTabBar;
  const ImGuiDockNode* root = ImGui::DockBuilderGetNode(id);
  // A narrow window has one column of panels, so that the picture keeps its room.
  const bool narrow = viewport->WorkSize.x < 1200 * scale;
  if (std::exchange(context.ui.narrow, narrow).value_or(narrow) != narrow) context.ui.reset_layout = true;
  if (!std::exchange(context.ui.reset_layout, false) && root && root->IsSplitNode()) return;
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
  ImGui::DockBuilderDockWindow("Settings", left);
  ImGui::DockBuilderDockWindow("Timing", right);
  ImGui::DockBuilderDockWindow("Lab", bottom);
  ImGui::DockBuilderDockWindow("Log", bottom);
  ImGui::DockBuilderDockWindow("Viewport", middle);
  ImGui::DockBuilderFinish(id);
  context.ui.focus_settings = 3;
}
