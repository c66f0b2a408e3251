// The list of keys, and the command palette.
#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <cctype>

#include "app/ui/widgets/widgets.h"
#include "app/ui/window/actions.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

std::string lower(std::string_view text) {
  std::string copy(text);
  for (char& c : copy) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return copy;
}

// Whether the text contains every word that was typed.
bool matches(std::string_view text, std::string_view typed) {
  const std::string in = lower(text), words = lower(typed);
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (in.find(words.substr(at, end - at)) == std::string::npos) return false;
    at = end + 1;
  }
  return true;
}

struct Entry {
  std::string text, keys;
  bool enabled = true;
  std::function<void(PanelContext&)> run;
};

std::vector<Entry> entries(const PanelContext& context) {
  std::vector<Entry> list;
  for (const Action& a : actions())
    if (a.id != "palette" && a.id != "escape")
      list.push_back({fmt::format("{}: {}", a.group, a.title), key_text(a.key), enabled(context, a), a.run});
  for (int lane = 0; lane < 2; ++lane)
    for (const Variant* variant : variants())
      list.push_back(
          {fmt::format("{}: {}", lane == 0 ? 'A' : 'B', variant->id), "", true, [lane, variant](PanelContext& c) {
             c.settings.lanes[lane].variant = variant->id;
             if (lane == 1 && c.settings.view == ViewMode::single) c.settings.view = ViewMode::side;
           }});
  for (const FilterInfo& row : filters)
    list.push_back({fmt::format("Filter: {}", row.title), "", true,
                    [kind = row.kind](PanelContext& c) { choose_kind(c.settings.filter, kind); }});
  for (const BorderInfo& row : borders)
    list.push_back({fmt::format("Padding: {}", row.title), "", true,
                    [border = row.border](PanelContext& c) { c.settings.border = border; }});
  for (const Sample& sample : context.status.source.samples)
    list.push_back({fmt::format("Open: {}", sample.title), "", true,
                    [path = sample.path](PanelContext& c) { c.commands.push_back(command::OpenFile{path}); }});
  return list;
}

}  // namespace

// Returns whether an entry was clicked, and chooses it.
static bool draw_entries(PanelContext& context, const std::vector<Entry>& list, bool scroll_to_chosen) {
  CommandPalette& palette = context.ui.palette;
  bool clicked = false;
  for (int i = 0; i < static_cast<int>(list.size()); ++i) {
    const Entry& entry = list[i];
    ImGui::BeginDisabled(!entry.enabled);
    if (ImGui::Selectable(fmt::format("{}##{}", entry.text, i).c_str(), i == palette.chosen)) {
      palette.chosen = i;
      clicked = true;
    }
    ImGui::EndDisabled();
    if (scroll_to_chosen && i == palette.chosen) ImGui::SetScrollHereY(0.5f);
    if (entry.keys.empty()) continue;
    ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
    ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::CalcTextSize(entry.keys.c_str()).x);
    ImGui::TextColored(context.look.colours.quiet, "%s", entry.keys.c_str());
    ImGui::PopFont();
  }
  if (list.empty()) caption("No command matches.", context.look.colours.quiet);
  return clicked;
}

// Returns whether an arrow key was pressed.
static bool move_by_keys(CommandPalette& palette, int count) {
  const int before = palette.chosen;
  const bool down = ImGui::IsKeyPressed(ImGuiKey_DownArrow), up = ImGui::IsKeyPressed(ImGuiKey_UpArrow);
  palette.chosen = std::clamp(before + (down ? 1 : 0) - (up ? 1 : 0), 0, std::max(0, count - 1));
  return down || up;
}

void draw_palette(PanelContext& context) {
  CommandPalette& palette = context.ui.palette;
  if (std::exchange(palette.open, false)) {
    palette.typed.clear();
    palette.chosen = 0;
    ImGui::OpenPopup("Command palette");
  }
  const float scale = ImGui::GetStyle().FontScaleMain;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos({viewport->GetCenter().x, viewport->WorkPos.y + 80 * scale}, ImGuiCond_Always, {0.5f, 0});
  ImGui::SetNextWindowSize({std::min(560 * scale, viewport->WorkSize.x - 32 * scale), 0});
  if (!ImGui::BeginPopup("Command palette")) return;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-FLT_MIN);
  if (ImGui::InputTextWithHint("##typed", "type a few letters of a command", &palette.typed)) palette.chosen = 0;
  std::vector<Entry> list = entries(context);
  std::erase_if(list, [&](const Entry& entry) { return !matches(entry.text, palette.typed); });
  const bool moved = move_by_keys(palette, static_cast<int>(list.size()));
  bool take = !list.empty() && (ImGui::IsKeyPressed(ImGuiKey_Enter) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter));
  if (ImGui::BeginChild("##list", {0, std::min(360 * scale, viewport->WorkSize.y - 160 * scale)}))
    take |= draw_entries(context, list, moved);
  ImGui::EndChild();
  if (take && list[palette.chosen].enabled) {
    list[palette.chosen].run(context);
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

static void draw_key(const Look& look, std::string_view keys, std::string_view title) {
  ImGui::TableNextColumn();
  number(look.fonts, keys, look.colours.text, text_size::caption);
  ImGui::TableNextColumn();
  caption(title, look.colours.quiet);
}

// The keys of all actions by group, and behind each group its gestures.
static void draw_keys(const Look& look) {
  std::string_view group;
  for (const Action& a : actions()) {
    if (a.key == 0) continue;
    if (a.group != group) {
      for (const Gesture& g : gestures())
        if (g.group == group) draw_key(look, g.keys, g.title);
      group = a.group;
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(group.data());
      ImGui::TableNextRow();
    }
    draw_key(look, key_text(a.key) + (a.second && a.id == "help" ? "  ?" : ""), a.title);
  }
}

void draw_help(PanelContext& context) {
  if (!context.ui.shown.help) return;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Appearing, {0.5f, 0.5f});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, viewport->WorkSize.y - 16 * scale});
  constexpr ImGuiWindowFlags flags = ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoDocking |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(4 * scale, scale));
  if (ImGui::Begin("Keys", &context.ui.shown.help, flags) && ImGui::BeginTable("keys", 4)) {
    for (int half = 0; half < 2; ++half) {
      ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, 112 * scale);
      ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthFixed, 210 * scale);
    }
    draw_keys(context.look);
    ImGui::EndTable();
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

}  // namespace conv
