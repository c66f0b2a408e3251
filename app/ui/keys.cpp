#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/ui/panels.h"
#include "app/ui/widgets.h"

namespace {

struct KeyHelp {
  const char *keys, *what;
};
constexpr KeyHelp key_help[] = {
    {"Ctrl+O", "open a picture"},
    {"Ctrl+R", "read it again"},
    {"Ctrl+S", "save the view as a picture"},
    {"Ctrl+Shift+S", "save the result of lane A"},
    {"1 to 6", "single, side by side, wipe, difference, flip, grid"},
    {"W  D  G", "wipe, difference, grid, and back"},
    {"L", "side by side: drag each lane by itself"},
    {",  .  V", "wipe bar: move, turn"},
    {"Space  `", "flip: A or B; B while held"},
    {"C", "the reference, while held"},
    {"A  B", "choose the variant of a lane"},
    {"X", "exchange the lanes"},
    {"K", "next filter"},
    {"N", "next padding"},
    {"[  ]", "radius smaller, larger"},
    {"-  =", "sigma smaller, larger"},
    {";  '", "previous, next block shape"},
    {"wheel, drag", "zoom at the cursor, pan"},
    {"F  Ctrl+0", "fit, one to one"},
    {"Ctrl+G", "go to x, y at a zoom"},
    {"click, arrows", "pick a pixel, move it by 1 (Shift: 10)"},
    {"Ctrl+Z  Ctrl+Y", "undo, redo a setting"},
    {"F11  F12", "full screen, log"},
    {"R", "race: all variants on this picture"},
    {"O", "blocks, overlap, nothing over the picture"},
    {"Ctrl+B", "one block, phase by phase"},
    {"Ctrl+L", "correctness lab"},
    {"F1  ?", "this sheet"},
};

template <class Infos, class Value, class Get>
void next(const Infos& infos, Value& value, Get get) {
  for (std::size_t i = 0; i < infos.size(); ++i)
    if (get(infos[i]) == value) {
      value = get(infos[(i + 1) % infos.size()]);
      return;
    }
}

void next_block(Size2& block, int step) {
  constexpr int count = std::size(block_presets);
  const auto at = static_cast<int>(std::find(std::begin(block_presets), std::end(block_presets), block) -
                                   std::begin(block_presets));
  block = block_presets[at == count ? 1 : (at + step + count) % count];
}

void single_keys(PanelContext& context) {
  Settings& s = context.settings;
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key); };
  for (std::size_t i = 0; i < view_modes.size(); ++i)
    if (pressed(static_cast<ImGuiKey>(ImGuiKey_1 + i))) s.view = view_modes[i].mode;
  const auto toggle = [&](ViewMode mode) { s.view = s.view == mode ? ViewMode::single : mode; };
  if (pressed(ImGuiKey_W)) toggle(ViewMode::wipe);
  if (pressed(ImGuiKey_D)) toggle(ViewMode::difference);
  if (pressed(ImGuiKey_G)) toggle(ViewMode::grid);
  if (pressed(ImGuiKey_L)) context.ui.unlocked = !context.ui.unlocked;
  WipeBar& wipe = context.ui.wipe;
  if (pressed(ImGuiKey_Comma)) wipe.at = std::max(0.0f, wipe.at - 0.01f);
  if (pressed(ImGuiKey_Period)) wipe.at = std::min(1.0f, wipe.at + 0.01f);
  if (pressed(ImGuiKey_V)) wipe.level = !wipe.level;
  if (s.view == ViewMode::flip) {
    if (pressed(ImGuiKey_Space)) context.ui.flipped = !context.ui.flipped;
    context.ui.holds_b = ImGui::IsKeyDown(ImGuiKey_GraveAccent);
  }
  context.ui.holds_reference = ImGui::IsKeyDown(ImGuiKey_C);
  if (pressed(ImGuiKey_A)) context.ui.open_variants[0] = true;
  if (pressed(ImGuiKey_B) && s.view != ViewMode::single) context.ui.open_variants[1] = true;
  if (pressed(ImGuiKey_X)) std::swap(s.lanes[0], s.lanes[1]);
  if (pressed(ImGuiKey_K)) {
    FilterKind kind = s.filter.kind;
    next(filters, kind, [](const FilterInfo& row) { return row.kind; });
    choose_kind(s.filter, kind);
  }
  if (pressed(ImGuiKey_N)) next(borders, s.border, [](const BorderInfo& row) { return row.border; });
  if (pressed(ImGuiKey_LeftBracket)) s.filter.radius = std::max(0, s.filter.radius - 1);
  if (pressed(ImGuiKey_RightBracket)) s.filter.radius = std::min(max_radius, s.filter.radius + 1);
  if (pressed(ImGuiKey_Minus) || pressed(ImGuiKey_KeypadSubtract))
    s.filter.sigma = std::max(min_sigma, s.filter.sigma / 1.1);
  if (pressed(ImGuiKey_Equal) || pressed(ImGuiKey_KeypadAdd))
    s.filter.sigma = std::min(max_sigma, s.filter.sigma * 1.1);
  if (pressed(ImGuiKey_Semicolon)) next_block(s.lanes[0].block, -1);
  if (pressed(ImGuiKey_Apostrophe)) next_block(s.lanes[0].block, 1);
  if (pressed(ImGuiKey_O))
    context.ui.block.overlay = static_cast<BlockOverlay>((static_cast<int>(context.ui.block.overlay) + 1) % 3);
  if (pressed(ImGuiKey_R)) context.ui.show_race = context.ui.race.runs = !context.ui.show_race;
  if (pressed(ImGuiKey_F)) context.ui.view.fitted = true;
  if (context.ui.picked && !ImGui::GetIO().NavVisible) {
    const int step = ImGui::GetIO().KeyShift ? 10 : 1;
    const Size2 size = context.status.source_size;
    Point2& p = *context.ui.picked;
    if (pressed(ImGuiKey_LeftArrow)) p.x = std::max(0, p.x - step);
    if (pressed(ImGuiKey_RightArrow)) p.x = std::min(size.width - 1, p.x + step);
    if (pressed(ImGuiKey_UpArrow)) p.y = std::max(0, p.y - step);
    if (pressed(ImGuiKey_DownArrow)) p.y = std::min(size.height - 1, p.y + step);
  }
}

}  // namespace

void handle_keys(PanelContext& context) {
  UiState& ui = context.ui;
  ui.holds_b = ui.holds_reference = false;
  const auto chord = [](ImGuiKeyChord keys) { return ImGui::Shortcut(keys, ImGuiInputFlags_RouteGlobal); };
  if (chord(ImGuiMod_Ctrl | ImGuiKey_O)) context.commands.push_back(command::ChooseFile{});
  if (chord(ImGuiMod_Ctrl | ImGuiKey_R)) context.commands.push_back(command::Reload{});
  if (chord(ImGuiMod_Ctrl | ImGuiKey_S)) context.commands.push_back(command::ChooseSaveFile{.view = true});
  if (chord(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_S)) context.commands.push_back(command::ChooseSaveFile{});
  if (chord(ImGuiMod_Ctrl | ImGuiKey_G)) ui.open_go_to = true;
  if (chord(ImGuiMod_Ctrl | ImGuiKey_Q)) context.commands.push_back(command::Quit{});
  if (chord(ImGuiMod_Ctrl | ImGuiKey_Z)) context.commands.push_back(command::Undo{});
  if (chord(ImGuiMod_Ctrl | ImGuiKey_Y)) context.commands.push_back(command::Redo{});
  if (chord(ImGuiMod_Ctrl | ImGuiKey_0)) ui.view.one_to_one();
  if (chord(ImGuiKey_F11)) context.commands.push_back(command::ToggleFullScreen{});
  if (chord(ImGuiMod_Ctrl | ImGuiKey_B)) ui.show_block = !ui.show_block;
  if (chord(ImGuiMod_Ctrl | ImGuiKey_L)) ui.show_lab = !ui.show_lab;
  if (chord(ImGuiKey_F12)) ui.show_log = !ui.show_log;
  if (chord(ImGuiKey_F1) || (!ImGui::GetIO().WantTextInput && chord(ImGuiMod_Shift | ImGuiKey_Slash)))
    ui.show_help = !ui.show_help;
  if (chord(ImGuiKey_Escape)) {
    ui.show_help = false;
    if (context.status.lab.running) context.commands.push_back(command::CancelLab{});
  }
  const ImGuiIO& io = ImGui::GetIO();
  if (!io.WantTextInput && !io.KeyCtrl && !io.KeyAlt && !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId))
    single_keys(context);
}

void draw_help(PanelContext& context) {
  if (!context.ui.show_help) return;
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5f, 0.5f});
  constexpr ImGuiWindowFlags flags = ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoDocking |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse;
  if (ImGui::Begin("Keys", &context.ui.show_help, flags) && ImGui::BeginTable("keys", 2)) {
    ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, 150 * scale);
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthFixed, 220 * scale);
    for (const KeyHelp& help : key_help) {
      ImGui::TableNextColumn();
      number(context.look.fonts, help.keys, context.look.colours.text);
      ImGui::TableNextColumn();
      ImGui::TextDisabled("%s", help.what);
    }
    ImGui::EndTable();
  }
  ImGui::End();
}

void draw_log(PanelContext& context) {
  if (!context.ui.show_log) return;
  if (ImGui::Begin("Log", &context.ui.show_log)) {
    for (const std::string& line : context.ui.log)
      number(context.look.fonts, line, context.look.colours.text, text_size::caption);
    if (context.ui.log.empty()) caption("Nothing yet.", context.look.colours.quiet);
    if (ImGui::GetScrollY() >= ImGui::GetScrollMaxY()) ImGui::SetScrollHereY(1);
  }
  ImGui::End();
}

void draw_toast(PanelContext& context) {
  UiState::Toast& toast = context.ui.toast;
  if (toast.text.empty() || (ImGui::GetTime() > toast.until && toast.offer_percent == 0)) return;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImGui::SetNextWindowPos(
      {viewport->WorkPos.x + viewport->WorkSize.x / 2, viewport->WorkPos.y + viewport->WorkSize.y - 24 * scale},
      ImGuiCond_Always, {0.5f, 1});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {std::min(640 * scale, viewport->WorkSize.x - 48 * scale), FLT_MAX});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.look.colours.raised);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 4 * scale);
  const bool offers = toast.offer_percent > 0;  // stays until it is answered
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                                 ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav |
                                 (offers ? 0 : ImGuiWindowFlags_NoInputs);
  if (ImGui::Begin("##toast", nullptr, flags)) {
    ImGui::PushTextWrapPos(600 * scale);
    ImGui::TextUnformatted(toast.text.c_str());
    ImGui::PopTextWrapPos();
    if (offers) {
      if (ImGui::Button(fmt::format("Load at {} %", toast.offer_percent).c_str())) {
        context.commands.push_back(command::OpenFile{toast.offer_path, toast.offer_percent});
        toast = {};
      }
      ImGui::SameLine();
      if (ImGui::Button("Leave it")) toast = {};
    }
  }
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}
