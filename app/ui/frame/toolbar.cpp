#include <fmt/format.h>
#include <imgui_internal.h>

#include "app/ui/frame/actions.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

std::string_view title_of(VariantGroup group) {
  switch (group) {
    case VariantGroup::cpu: return "CPU";
    case VariantGroup::global_memory: return "Global memory";
    case VariantGroup::shared_memory: return "Shared memory";
    case VariantGroup::separable: return "Separable";
    case VariantGroup::other: return "Other";
  }
  return "";
}

void draw_view_menu(PanelContext& context) {
  Preferences& preferences = context.preferences;
  const auto rows = [&](std::initializer_list<std::string_view> ids) {
    for (const std::string_view id : ids) menu_item(context, id);
    ImGui::Separator();
  };
  rows({"single", "side", "wipe", "difference", "flip", "grid"});
  rows({"fit", "one_to_one", "go_to", "overlay", "full_screen", "present"});
  rows({"dark", "light", "contrast"});
  if (ImGui::BeginMenu("Size of controls")) {
    rows({"as_monitor", "larger", "smaller"});
    for (const float scale : ui_scales)
      if (ImGui::MenuItem(fmt::format("{:.0f} %", scale * 100).c_str(), nullptr, preferences.ui_scale == scale))
        preferences.ui_scale = scale;
    ImGui::EndMenu();
  }
}

void draw_recent(PanelContext& context) {
  const std::vector<std::string>& recent = context.preferences.recent;
  if (!ImGui::BeginMenu("Open again", !recent.empty())) return;
  for (const std::string& path : recent)
    if (ImGui::MenuItem(path.c_str())) context.commands.push_back(command::OpenFile{path});
  ImGui::EndMenu();
}

// A menu of one group of the table.
void draw_menu(PanelContext& context, const char* title, std::string_view group) {
  if (!ImGui::BeginMenu(title)) return;
  for (const Action& a : actions()) {
    if (a.group == group && a.id != "escape") menu_item(context, a.id);
    if (a.id == "open" && a.group == group) draw_recent(context);
  }
  ImGui::EndMenu();
}

// "NVIDIA H200   interop on   60 fps", right-aligned.
void draw_device(PanelContext& context) {
  const AppStatus& status = context.status;
  const Palette& p = context.look.colours;
  const LaneStatus& a = status.lanes[0];
  const bool copies = status.device.no_gpu.empty() && !a.on_cpu && a.has_picture && !a.interop;
  const std::string interop = a.on_cpu || !status.device.no_gpu.empty() ? "" : copies ? "interop off" : "interop on";
  const std::string fps = fmt::format("display {:3.0f} fps", status.frame.display_fps);
  const float gap = 16 * ImGui::GetStyle().FontScaleMain;
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  float width = ImGui::CalcTextSize(status.device.name.c_str()).x + gap + ImGui::CalcTextSize(fps.c_str()).x;
  if (!interop.empty()) width += gap + ImGui::CalcTextSize(interop.c_str()).x;
  ImGui::PopFont();
  const float at = ImGui::GetWindowWidth() - width - 12 * ImGui::GetStyle().FontScaleMain;
  if (at < ImGui::GetCursorPosX() + gap) return;  // a narrow window: the status bar says the same
  ImGui::SetCursorPosX(at);
  number(context.look.fonts, status.device.name, p.text, text_size::caption);
  tooltip(status.device.no_gpu.empty() ? status.device.detail : status.device.no_gpu);
  if (!interop.empty()) {
    ImGui::SameLine(0, gap);
    number(context.look.fonts, interop, copies ? p.fault : p.quiet, text_size::caption);
    tooltip(copies ? "Results are copied through host memory: " + a.interop_reason
                   : "The GPU writes the window's texture in place. Kernel times are the same either way.");
  }
  ImGui::SameLine(0, gap);
  number(context.look.fonts, fps, p.quiet, text_size::caption);
  tooltip("How often the window is drawn. It says nothing about how fast the kernels are.");
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

}  // namespace

void draw_variant_combo(PanelContext& context, int lane, const char* id) {
  LaneSettings& chosen = context.settings.lanes[lane];
  if (std::exchange(context.ui.open_variants[lane], false)) ImGui::OpenPopup(ImGui::GetID(id));
  if (!begin_combo(id, chosen.variant)) {
    tooltip(find_variant(chosen.variant)->idea);
    return;
  }
  std::optional<VariantGroup> group;
  for (const Variant* variant : variants()) {
    if (group != variant->group) {
      group = variant->group;
      ImGui::SeparatorText(std::string(title_of(*group)).c_str());
    }
    const bool rank = variant->needs_rank_1 && context.status.filter.rank > 1 && !chosen.switches["rank_sum"];
    const bool filter = variant->fuses_edges && context.settings.filter.kind != FilterKind::edges;
    const bool box = variant->needs_equal_taps && context.status.filter.taps && !context.status.filter.taps->equal();
    const bool library = variant->needs_fft && !context.status.device.limits.no_fft.empty();
    ImGui::BeginDisabled(filter || box || library);  // a filter of higher rank can still be taken as a sum
    const std::string label = fmt::format("{}{}", variant->id, variant->exhibit.empty() ? "" : "  (exhibit)");
    if (ImGui::Selectable(label.c_str(), variant->id == chosen.variant)) chosen.variant = variant->id;
    ImGui::EndDisabled();
    tooltip(filter    ? "Does the filter \"Edges (Sobel magnitude)\" and no other."
            : box     ? "Needs taps that are all equal: choose the filter Box."
            : library ? context.status.device.limits.no_fft
            : rank ? fmt::format("Needs a filter of rank 1; this matrix has rank {}. Switch on its \"Sum of rank r\".",
                                 context.status.filter.rank)
                   : fmt::format("{}. {}", variant->title, variant->idea));
  }
  ImGui::EndCombo();
}

void draw_menu_bar(PanelContext& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(12, 6) * ImGui::GetStyle().FontScaleMain);
  const bool open = ImGui::BeginMainMenuBar();
  ImGui::PopStyleVar();
  if (!open) return;
  draw_menu(context, "File", "File");
  draw_menu(context, "Edit", "Edit");
  if (ImGui::BeginMenu("View")) {
    draw_view_menu(context);
    ImGui::EndMenu();
  }
  draw_menu(context, "Panels", "Panels");
  draw_device(context);
  ImGui::EndMainMenuBar();
}

void draw_toolbar(PanelContext& context) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  const Palette& p = context.look.colours;
  Settings& settings = context.settings;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(12, 6) * scale);
  const float height = ImGui::GetFrameHeight() + 12 * scale;
  const bool open = ImGui::BeginViewportSideBar("##toolbar", ImGui::GetMainViewport(), ImGuiDir_Up, height,
                                                ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar();
  if (open) {
    // What a narrow window leaves out has a key, and a menu or a panel.
    const bool narrow = ImGui::GetWindowWidth() < 940 * scale, slim = ImGui::GetWindowWidth() < 600 * scale;
    const float gap = (slim ? 8 : 16) * scale;
    if (!slim) {
      if (ImGui::Button("Open…")) context.commands.push_back(command::ChooseFile{});
      tooltip("Open a picture. Dropping a file on the window does the same. Ctrl+O");
      ImGui::SameLine(0, narrow ? gap : 4 * scale);
    }
    if (narrow) {
      ImGui::SetNextItemWidth(100 * scale);
      combo("##view", view_modes, settings.view, [](const ViewModeInfo& mode) { return mode.mode; });
      ImGui::SameLine(0, gap);
    } else {
      draw_camera_button(context);
      ImGui::SameLine(0, gap);
      for (const ViewModeInfo& mode : view_modes) {
        if (toggle(mode.button.data(), settings.view == mode.mode, p, mode.tip.data())) settings.view = mode.mode;
        ImGui::SameLine(0, mode.mode == view_modes.back().mode ? gap : 4 * scale);
      }
    }
    // Both lists, their letters and Swap share what is left.
    const float swap = narrow ? 0 : 80 * scale;
    const float room = ImGui::GetWindowWidth() - ImGui::GetCursorPosX() - 2 * 20 * scale - swap - 2 * gap;
    const float list = std::clamp(room / 2, 96 * scale, 196 * scale);
    lane_letter(0, p);
    ImGui::SetNextItemWidth(list);
    draw_variant_combo(context, 0, "##variant A");
    ImGui::SameLine(0, gap);
    ImGui::BeginDisabled(settings.view == ViewMode::single);
    lane_letter(1, p);
    ImGui::SetNextItemWidth(list);
    draw_variant_combo(context, 1, "##variant B");
    ImGui::EndDisabled();
    if (!narrow) {
      ImGui::SameLine();
      if (ImGui::Button("Swap")) std::swap(settings.lanes[0], settings.lanes[1]);
      tooltip("Swap lanes A and B. X");
    }

    const std::string zoom = fmt::format("{:.4g} %", context.ui.view.zoom * 100);
    const float right = 210 * scale;
    if (ImGui::GetWindowWidth() - right > ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + gap) {
      ImGui::SameLine(ImGui::GetWindowWidth() - right);
      if (toggle("Fit", context.ui.view.fitted, p, "The whole image. F")) context.ui.view.fitted = true;
      ImGui::SameLine(0, 4 * scale);
      if (toggle("1:1", !context.ui.view.fitted && context.ui.view.zoom == 1, p,
                 "One image pixel per screen pixel. Ctrl+0"))
        context.ui.view.one_to_one();
      ImGui::SameLine(0, gap);
      ImGui::AlignTextToFramePadding();
      number(context.look.fonts, zoom, p.quiet);
    }
  }
  ImGui::End();
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
    const auto item = [&](std::string_view text, ImVec4 colour) {
      number(context.look.fonts, text, colour, text_size::caption);
      ImGui::SameLine(0, 16 * scale);
    };
    item(size_text(status.source.size), p.text);
    item(status.source.name, p.quiet);
    if (!status.source.note.empty()) item(status.source.note, p.quiet);
    if (!status.device.no_gpu.empty()) {
      item("CPU times are not GPU times", p.fault);
      tooltip(status.device.no_gpu);
    }
    ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
    const float width = ImGui::CalcTextSize(status.probe.cursor.c_str()).x;
    ImGui::PopFont();
    ImGui::SameLine(std::max(ImGui::GetCursorPosX(), ImGui::GetWindowWidth() - width - 12 * scale));
    item(status.probe.cursor, p.text);
  }
  ImGui::End();
}

}  // namespace conv
