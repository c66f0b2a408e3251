// The list of keys, and the command palette.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/ui/widgets/widgets.h"
#include "app/ui/window/actions.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

struct Entry {
  std::string text = {}, keys = {}, words = {};  // words: found by these too
  bool enabled = true;
  std::function<void(PanelContext&)> run = {};
};

// The controls that the palette brings to the keyboard, by their labels. Those that depend on the source or the filter
// are not always there.
struct Control {
  PropertyPlace place;
  std::string_view label;
};
constexpr Control controls[] = {{PropertyPlace::settings, "Filter"},     {PropertyPlace::settings, "Sigma"},
                                {PropertyPlace::settings, "Radius"},     {PropertyPlace::settings, "Padding"},
                                {PropertyPlace::settings, "Mode"},       {PropertyPlace::settings, "Offset"},
                                {PropertyPlace::settings, "Iterations"}, {PropertyPlace::settings, "Block"},
                                {PropertyPlace::settings, "Custom"},     {PropertyPlace::settings, "Format"},
                                {PropertyPlace::settings, "Layout"},     {PropertyPlace::source, "File"},
                                {PropertyPlace::source, "Sample"},       {PropertyPlace::source, "Camera"},
                                {PropertyPlace::source, "Pattern"},      {PropertyPlace::display, "Shown"},
                                {PropertyPlace::display, "Exposure"},    {PropertyPlace::display, "Offset"},
                                {PropertyPlace::display, "Curve"},       {PropertyPlace::display, "Gamma"},
                                {PropertyPlace::display, "Channels"},    {PropertyPlace::display, "Values in"},
                                {PropertyPlace::display, "Pixel grid"}};

std::vector<Entry> entries(const PanelContext& context) {
  std::vector<Entry> list;
  for (const Action& a : actions())
    if (a.id != "palette" && a.id != "escape")
      list.push_back({.text = fmt::format("{}: {}", a.group, title_of(context, a)),
                      .keys = key_text(a.key),
                      .words = std::string(words_of(a)),
                      .enabled = enabled(context, a),
                      .run = a.run});
  for (const auto& [place, label] : controls)
    list.push_back({.text = fmt::format("{}: {}",
                                        place == PropertyPlace::settings ? "Settings"
                                        : place == PropertyPlace::source ? "Source"
                                                                         : "Display",
                                        label),
                    .run = [place, label](PanelContext&) { find_property(place, label); }});
  for (const Switch& which : switches) {
    const auto has = [&](const LaneSettings& lane) { return has_switch(lane, which); };
    list.push_back({.text = fmt::format("Settings: {}", which.title),
                    .enabled = has(context.settings.lanes[0]) ||
                               (context.status.lanes[1].active && has(context.settings.lanes[1])),
                    .run = [title = which.title](PanelContext&) { find_property(PropertyPlace::settings, title); }});
  }
  for (int lane = 0; lane < 2; ++lane)
    for (const Variant* variant : variants())
      list.push_back(
          {.text = fmt::format("{}: {}", lane == 0 ? 'A' : 'B', variant->id), .run = [lane, variant](PanelContext& c) {
             c.settings.lanes[lane].variant = variant->id;
             if (lane == 1 && c.settings.view == ViewMode::single) c.settings.view = ViewMode::side;
           }});
  for (const FilterInfo& row : filters)
    list.push_back({.text = fmt::format("Filter: {}", row.title),
                    .run = [kind = row.kind](PanelContext& c) { choose_kind(c.settings.filter, kind); }});
  for (const BorderInfo& row : borders)
    list.push_back({.text = fmt::format("Padding: {}", row.title),
                    .run = [border = row.border](PanelContext& c) { c.settings.border = border; }});
  for (const Gallery which : {Gallery::concepts, Gallery::bugs}) {
    const std::vector<LessonStep>& steps = gallery(which, context.preferences.language).steps;
    for (std::size_t i = 0; i < steps.size(); ++i)
      list.push_back({.text = fmt::format("{}: {}", which == Gallery::concepts ? "Concept" : "Bug", steps[i].title),
                      .run = [which, i](PanelContext& c) {
                        c.ui.panels.concepts.gallery = which;
                        c.ui.panels.concepts.shown() = i;
                        if (c.ui.presenter.on)
                          c.ui.presenter.panel = &ShownPanels::concepts;
                        else
                          c.ui.shown.concepts = true;
                      }});
  }
  for (const Sample& sample : context.status.source.samples)
    list.push_back({.text = fmt::format("Open: {}", sample.title),
                    .run = [path = sample.path](PanelContext& c) { c.commands.push_back(command::OpenFile{path}); }});
  return list;
}

}  // namespace

// Returns whether an entry was clicked, and chooses it.
static bool draw_entries(PanelContext& context, const std::vector<Entry>& list) {
  Search& search = context.ui.palette.search;
  bool clicked = false;
  for (int i = 0; i < static_cast<int>(list.size()); ++i) {
    const Entry& entry = list[i];
    ImGui::BeginDisabled(!entry.enabled);
    if (ImGui::Selectable(fmt::format("{}##{}", entry.text, i).c_str(), i == search.chosen)) {
      search.chosen = i;
      clicked = true;
    }
    ImGui::EndDisabled();
    if (search.moved && i == search.chosen) ImGui::SetScrollHereY(0.5f);
    if (entry.keys.empty()) continue;
    ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
    ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::CalcTextSize(entry.keys.c_str()).x);
    ImGui::TextColored(context.look.colours.quiet, "%s", entry.keys.c_str());
    ImGui::PopFont();
  }
  if (list.empty()) caption("No command matches.", context.look.colours.quiet);
  return clicked;
}

void draw_palette(PanelContext& context) {
  Search& search = context.ui.palette.search;
  if (std::exchange(context.ui.palette.open, false)) {
    search.clear();
    ImGui::OpenPopup("Command palette");
  }
  const float scale = ImGui::GetStyle().FontScaleMain;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos({viewport->GetCenter().x, viewport->WorkPos.y + 80 * scale}, ImGuiCond_Always, {0.5f, 0});
  ImGui::SetNextWindowSize({std::min(560 * scale, viewport->WorkSize.x - 32 * scale), 0});
  if (!ImGui::BeginPopup("Command palette")) return;
  search_field(search, "type a few letters of a command");
  std::vector<Entry> list = entries(context);
  std::erase_if(list, [&](const Entry& entry) { return !matches(search, entry.text + " " + entry.words); });
  bool take = search_keys(search, static_cast<int>(list.size()));
  if (ImGui::BeginChild("##list", {0, std::min(360 * scale, viewport->WorkSize.y - 160 * scale)}))
    take |= draw_entries(context, list);
  ImGui::EndChild();
  if (take && list[search.chosen].enabled) {
    list[search.chosen].run(context);
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
  if (ImGui::Begin("Keyboard shortcuts", &context.ui.shown.help, flags) && ImGui::BeginTable("keys", 4)) {
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
