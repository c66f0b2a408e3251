#include <fmt/format.h>
#include <imgui_internal.h>

#include <cmath>
#include <filesystem>

#include "app/ui/widgets/widgets.h"
#include "app/ui/window/actions.h"

namespace conv {

namespace {

void draw_items(PanelContext& context, std::initializer_list<std::string_view> ids) {
  for (const std::string_view id : ids) {
    if (id == "-")
      ImGui::Separator();
    else
      menu_item(context, id);
  }
}

void draw_recent(PanelContext& context) {
  const std::vector<std::string>& recent = context.preferences.recent;
  if (!ImGui::BeginMenu("Open recent", !recent.empty())) return;
  for (const std::string& path : recent)
    if (ImGui::MenuItem(path.c_str())) context.commands.push_back(command::OpenFile{path});
  ImGui::EndMenu();
}

void draw_file_menu(PanelContext& context) {
  draw_items(context, {"open"});
  draw_recent(context);
  draw_items(context, {"reload", "paste", "-", "save_view", "save_result", "copy_view", "-", "save_session",
                       "copy_settings", "copy_command", "copy_link", "-", "new_lesson", "-", "record", "record_window",
                       "stop_recording", "-", "quit"});
}

void draw_edit_menu(PanelContext& context) {
  draw_items(context, {"undo", "redo", "-", "swap", "reset_settings"});
}

void draw_size_menu(PanelContext& context) {
  draw_items(context, {"as_monitor", "larger", "smaller", "-"});
  Preferences& preferences = context.preferences;
  for (const float scale : ui_scales)
    if (ImGui::MenuItem(fmt::format("{:.0f} %", scale * 100).c_str(), nullptr, preferences.ui_scale == scale))
      preferences.ui_scale = scale;
}

void draw_view_menu(PanelContext& context) {
  draw_items(context, {"single", "side", "wipe", "difference", "flip", "grid", "-", "original", "histogram", "overlay",
                       "-", "fit", "one_to_one", "go_to", "-", "present", "full_screen", "-"});
  if (ImGui::BeginMenu("Theme")) {
    draw_items(context, {"dark", "light", "contrast"});
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Size of controls")) {
    draw_size_menu(context);
    ImGui::EndMenu();
  }
}

void draw_panels_menu(PanelContext& context) {
  for (const Action& a : actions())
    if (a.group == "Panels") menu_item(context, a.id);
  ImGui::Separator();
  if (!ImGui::BeginMenu("Layout")) return;
  draw_items(context, {"layout_workbench", "layout_compare", "layout_teach", "layout_bench", "-", "reset_layout"});
  ImGui::EndMenu();
}

void draw_help_menu(PanelContext& context) {
  draw_items(context, {"help", "palette"});
}

struct InteropNote {
  std::string text, tip;  // empty if kernels run on the CPU
  bool off = false;
};

InteropNote interop_note(const AppStatus& status) {
  const LaneStatus& a = status.lanes[0];
  if (a.on_cpu || !status.device.no_gpu.empty()) return {};
  if (a.has_picture && !a.interop)
    return {"interop off", "Results are copied through host memory: " + a.interop_reason, true};
  return {
      "interop on",
      "Results stay on the GPU: one copy there brings them into the window's texture. Kernel times do not include it."};
}

// "NVIDIA H200   interop on   60 fps", right-aligned.
void draw_device(PanelContext& context) {
  const AppStatus& status = context.status;
  const Palette& p = context.look.colours;
  const InteropNote interop = interop_note(status);
  const std::string fps = fmt::format("display {:3.0f} fps", status.frame.display_fps);
  const std::string device = status.device.connecting ? "waiting for the GPU" : status.device.name;
  const float gap = 16 * ImGui::GetStyle().FontScaleMain;
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  float width = ImGui::CalcTextSize(device.c_str()).x + gap + ImGui::CalcTextSize(fps.c_str()).x;
  if (!interop.text.empty()) width += gap + ImGui::CalcTextSize(interop.text.c_str()).x;
  ImGui::PopFont();
  const float at = ImGui::GetWindowWidth() - width - 12 * ImGui::GetStyle().FontScaleMain;
  if (at < ImGui::GetCursorPosX() + gap) return;  // a narrow window: the status bar shows the same
  ImGui::SetCursorPosX(at);
  number(context.look.fonts, device, p.text, text_size::caption);
  tooltip(status.device.no_gpu.empty() ? status.device.detail : status.device.no_gpu);
  if (!interop.text.empty()) {
    ImGui::SameLine(0, gap);
    number(context.look.fonts, interop.text, interop.off ? p.fault : p.quiet, text_size::caption);
    tooltip(interop.tip);
  }
  ImGui::SameLine(0, gap);
  number(context.look.fonts, fps, p.quiet, text_size::caption);
  tooltip("How often the window is drawn. This says nothing about the speed of the kernels.");
}

// A button that stays pressed.
bool toggle(const char* label, bool on, const Palette& p, const char* tip) {
  ImGui::PushStyleColor(ImGuiCol_Button, on ? ImGui::GetStyleColorVec4(ImGuiCol_ButtonActive) : p.panel);
  ImGui::PushStyleColor(ImGuiCol_Text, on ? p.text : p.quiet);
  const bool pressed = ImGui::Button(label);
  ImGui::PopStyleColor(2);
  tooltip(tip);
  return pressed;
}

void lane_letter(int lane, const Palette& p) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextColored(p.lane[lane], "%c", 'A' + lane);
  ImGui::SameLine();
}

void draw_view_buttons(PanelContext& context, bool narrow, float gap) {
  ViewMode& view = context.settings.view;
  const float scale = ImGui::GetStyle().FontScaleMain;
  if (narrow) {
    ImGui::SetNextItemWidth(100 * scale);
    combo("##view", view_modes, view, [](const ViewModeInfo& mode) { return mode.mode; });
    ImGui::SameLine(0, gap);
    return;
  }
  draw_camera_button(context);
  ImGui::SameLine(0, gap);
  for (const ViewModeInfo& mode : view_modes) {
    if (toggle(mode.button.data(), view == mode.mode, context.look.colours, mode.tip.data())) view = mode.mode;
    ImGui::SameLine(0, mode.mode == view_modes.back().mode ? gap : 4 * scale);
  }
}

// Opened by the mouse, or by the key of its lane.
void draw_chooser(PanelContext& context, int lane, const char* id) {
  if (std::exchange(context.ui.chooser.open[lane], false))
    ImGui::OpenPopup(ImHashStr("##ComboPopup", 0, ImGui::GetID(id)));  // how Dear ImGui names the popup of a combo box
  draw_variant_chooser(context, lane, id);
}

// The variants of A and B, and the button that swaps the lanes.
void draw_variants(PanelContext& context, bool narrow, float gap) {
  Settings& settings = context.settings;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const float swap = narrow ? 0 : 80 * scale;
  const float room = ImGui::GetWindowWidth() - ImGui::GetCursorPosX() - 2 * 20 * scale - swap - 2 * gap;
  const float list = std::clamp(room / 2, 96 * scale, 196 * scale);
  lane_letter(0, context.look.colours);
  ImGui::SetNextItemWidth(list);
  draw_chooser(context, 0, "##variant A");
  ImGui::SameLine(0, gap);
  ImGui::BeginDisabled(settings.view == ViewMode::single);
  lane_letter(1, context.look.colours);
  ImGui::SetNextItemWidth(list);
  draw_chooser(context, 1, "##variant B");
  ImGui::EndDisabled();
  if (narrow) return;
  ImGui::SameLine();
  if (ImGui::Button("Swap")) std::swap(settings.lanes[0], settings.lanes[1]);
  tooltip("Swap lanes A and B. X");
}

// At the right end, if there is space.
void draw_zoom(PanelContext& context, float gap) {
  const Palette& p = context.look.colours;
  ViewTransform& view = context.ui.view;
  const float scale = ImGui::GetStyle().FontScaleMain, right = 210 * scale;
  if (ImGui::GetWindowWidth() - right <= ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + gap) return;
  ImGui::SameLine(ImGui::GetWindowWidth() - right);
  if (toggle("Fit", view.fitted, p, "The whole image. F")) view.fitted = true;
  ImGui::SameLine(0, 4 * scale);
  if (toggle("1:1", !view.fitted && view.zoom == 1, p, "One image pixel per screen pixel. Ctrl+0")) view.one_to_one();
  ImGui::SameLine(0, gap);
  ImGui::AlignTextToFramePadding();
  const float percent = view.zoom * 100;
  number(context.look.fonts,
         fmt::format("{} %", percent < 1000 ? three_digits(percent) : grouped(std::lround(percent))), p.quiet);
}

}  // namespace

void draw_menu_bar(PanelContext& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(12, 6) * ImGui::GetStyle().FontScaleMain);
  const bool open = ImGui::BeginMainMenuBar();
  ImGui::PopStyleVar();
  if (!open) return;
  struct Menu {
    const char* title;
    void (*draw)(PanelContext&);
  };
  for (const auto& [title, draw] : {Menu{"File", draw_file_menu},
                                    {"Edit", draw_edit_menu},
                                    {"View", draw_view_menu},
                                    {"Panels", draw_panels_menu},
                                    {"Help", draw_help_menu}}) {
    if (!ImGui::BeginMenu(title)) continue;
    draw(context);
    ImGui::EndMenu();
  }
  draw_device(context);
  ImGui::EndMainMenuBar();
}

void draw_toolbar(PanelContext& context) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(12, 6) * scale);
  const float height = ImGui::GetFrameHeight() + 12 * scale;
  const bool open = ImGui::BeginViewportSideBar("##toolbar", ImGui::GetMainViewport(), ImGuiDir_Up, height,
                                                ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar();
  if (open) {
    // What a narrow window leaves out has a key, and is in a menu or a panel.
    const bool narrow = ImGui::GetWindowWidth() < 940 * scale, slim = ImGui::GetWindowWidth() < 600 * scale;
    const float gap = (slim ? 8 : 16) * scale;
    if (!slim) {
      if (ImGui::Button("Open…")) context.commands.push_back(command::ChooseFile{});
      tooltip("Open a picture. Dropping a file on the window does the same. Ctrl+O");
      ImGui::SameLine(0, narrow ? gap : 4 * scale);
    }
    draw_view_buttons(context, narrow, gap);
    draw_variants(context, narrow, gap);
    draw_zoom(context, gap);
  }
  ImGui::End();
}

// A picture that takes long enough to save that it should be shown.
static void draw_saving(PanelContext& context, const SavingStatus& saving) {
  const float gap = 16 * ImGui::GetStyle().FontScaleMain;
  number(
      context.look.fonts,
      fmt::format("Saving {} · {:.0f} %", std::filesystem::path(saving.what).filename().string(), 100 * saving.share),
      context.look.colours.text, text_size::caption);
  tooltip(saving.what);
  ImGui::SameLine(0, gap / 2);
  if (ImGui::SmallButton("Cancel")) context.commands.push_back(command::CancelSaving{});
  ImGui::SameLine(0, gap);
}

static void draw_recording(PanelContext& context, const RecordingStatus& recording) {
  const float gap = 16 * ImGui::GetStyle().FontScaleMain;
  std::string text = fmt::format("{} {} · {} frames written", recording.finishing ? "Finishing" : "Recording",
                                 recording.of_window ? "the window" : "results of A", recording.written);
  if (recording.lost > 0) text += fmt::format(", {} lost", recording.lost);
  number(context.look.fonts, text, context.look.colours.fault, text_size::caption);
  tooltip(recording.path);
  ImGui::SameLine(0, gap / 2);
  if (!recording.finishing && ImGui::SmallButton("Stop recording"))
    context.commands.push_back(command::StopRecording{});
  ImGui::SameLine(0, gap);
}

void draw_status_bar(PanelContext& context) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  const Palette& p = context.look.colours;
  const AppStatus& status = context.status;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(12, 5) * scale);
  const bool open = ImGui::BeginViewportSideBar("##status", ImGui::GetMainViewport(), ImGuiDir_Down,
                                                ImGui::GetTextLineHeight() + 10 * scale,
                                                ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar();
  if (open) {
    const float gap = 16 * scale;
    const auto width = [&](std::string_view text) {
      return width_of(context.look.fonts.numbers, text_size::caption * scale, text);
    };
    const float cursor = std::max(0.0f, ImGui::GetWindowWidth() - width(status.probe.cursor) - 12 * scale);
    // An item that would reach the pixel's values is left out: the Settings panel has it too.
    const auto item = [&](std::string_view text, ImVec4 colour) {
      if (text.empty() || ImGui::GetCursorPosX() + width(text) + gap > cursor) return;
      number(context.look.fonts, text, colour, text_size::caption);
      ImGui::SameLine(0, gap);
    };
    if (!status.device.no_gpu.empty() && context.ui.shown.cpu_note) {
      ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
      if (ImGui::SmallButton("CPU times are not GPU times  ×")) context.ui.shown.cpu_note = false;
      ImGui::PopFont();
      tooltip(status.device.no_gpu + "\nClick: hide this note.");
      ImGui::SameLine(0, gap);
    }
    if (status.source.recording) draw_recording(context, *status.source.recording);
    if (status.saving && status.saving->seconds > 0.3f) draw_saving(context, *status.saving);
    item(size_text(status.source.size), p.text);
    item(status.source.name, p.quiet);
    item(status.source.note, p.quiet);
    ImGui::SetCursorPosX(cursor);
    number(context.look.fonts, status.probe.cursor, p.text, text_size::caption);
  }
  ImGui::End();
}

}  // namespace conv
