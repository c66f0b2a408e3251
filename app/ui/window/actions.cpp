#include "app/ui/window/actions.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>

namespace conv {

namespace {

template <class Command>
void ask(PanelContext& context) {
  context.commands.push_back(Command{});
}

template <class Infos, class Value, class Get>
void next(const Infos& infos, Value& value, Get get) {
  const auto now = std::find_if(infos.begin(), infos.end(), [&](const auto& row) { return get(row) == value; });
  value = get(now == infos.end() || now + 1 == infos.end() ? infos.front() : *(now + 1));
}

void next_filter(PanelContext& c) {
  FilterKind kind = c.settings.filter.kind;
  next(filters, kind, [](const FilterInfo& row) { return row.kind; });
  choose_kind(c.settings.filter, kind);
}

template <command::CopyState::As as>
void copy_as(PanelContext& context) {
  context.commands.push_back(command::CopyState{as});
}

template <int step>
void next_block(PanelContext& c) {
  Size2& block = c.settings.lanes[0].block;
  constexpr int count = std::size(block_presets);
  const auto at = static_cast<int>(std::find(std::begin(block_presets), std::end(block_presets), block) -
                                   std::begin(block_presets));
  block = block_presets[at == count ? 1 : (at + step + count) % count];
}

template <int step>
void change_radius(PanelContext& c) {
  FilterSpec& filter = c.settings.filter;
  if (info(filter.kind).size == FilterSize::fixed) return;
  c.settings.auto_radius = false;  // otherwise it would undo the key
  const auto [least, most] = radius_range(filter.kind);
  filter.radius = std::clamp(filter.radius + step, least, most);
}

template <int step>
void change_sigma(PanelContext& c) {
  double& sigma = c.settings.filter.sigma;
  sigma = std::clamp(step > 0 ? sigma * 1.1 : sigma / 1.1, min_sigma, max_sigma);
}

template <ViewMode mode>
void show(PanelContext& c) {
  c.settings.view = mode;
}
template <ViewMode mode>
void toggle_view(PanelContext& c) {
  c.settings.view = c.settings.view == mode ? ViewMode::single : mode;
}
template <ViewMode mode>
bool shows(const PanelContext& c) {
  return c.settings.view == mode;
}

template <Theme theme>
void take_theme(PanelContext& c) {
  c.preferences.theme = theme;
}
template <Theme theme>
bool has_theme(const PanelContext& c) {
  return c.preferences.theme == theme;
}

bool& flag_of(UiState& ui, bool ShownPanels::*flag) {
  return ui.shown.*flag;
}
bool& flag_of(UiState& ui, bool CompareView::*flag) {
  return ui.compare.*flag;
}
bool& flag_of(UiState& ui, bool Presenter::*flag) {
  return ui.presenter.*flag;
}
template <auto flag>
void toggle(PanelContext& c) {
  bool& on = flag_of(c.ui, flag);
  on = !on;
}
template <auto flag>
bool is_open(const PanelContext& c) {
  return flag_of(c.ui, flag);
}

// In presenter mode the panel is shown in place of the pictures.
template <bool ShownPanels::*flag>
void toggle_panel(PanelContext& c) {
  Presenter& presenter = c.ui.presenter;
  if (presenter.on)
    presenter.panel = presenter.panel == flag ? nullptr : flag;
  else
    c.ui.shown.*flag = !(c.ui.shown.*flag);
}
template <bool ShownPanels::*flag>
bool shows_panel(const PanelContext& c) {
  return c.ui.shows(flag);
}

template <int step>
void change_scale(PanelContext& c) {
  const float now = ImGui::GetStyle().FontScaleMain;
  const auto at = std::min_element(std::begin(ui_scales), std::end(ui_scales),
                                   [&](float a, float b) { return std::fabs(a - now) < std::fabs(b - now); }) -
                  std::begin(ui_scales);
  c.preferences.ui_scale = ui_scales[std::clamp<long>(at + step, 0, std::size(ui_scales) - 1)];
}

template <int step>
void move_wipe(PanelContext& c) {
  c.ui.compare.wipe.at = std::clamp(c.ui.compare.wipe.at + 0.01f * step, 0.0f, 1.0f);
}

template <int dx, int dy>
void move_picked(PanelContext& c) {
  const Size2 size = c.status.source.size;
  const int step = ImGui::GetIO().KeyShift ? 10 : 1;
  const Vec2 centre = c.ui.view.centre;
  const Point2 p = c.ui.probe.picked.value_or(Point2{static_cast<int>(centre.x), static_cast<int>(centre.y)});
  c.ui.probe.picked = {std::clamp(p.x + dx * step, 0, std::max(0, size.width - 1)),
                       std::clamp(p.y + dy * step, 0, std::max(0, size.height - 1))};
}
bool can_move_picked(const PanelContext& c) {
  const LessonQuestion* asked = asked_question(c);
  if (asked && asked->curve) return false;
  return (asked && asked->place) || (c.ui.probe.picked && !ImGui::GetIO().NavVisible);
}

// The picked pixel, otherwise the one under the pointer; a pinned one is unpinned.
void pin(PanelContext& c) {
  std::vector<Point2>& pins = c.ui.probe.pins;
  const Point2 pixel = c.ui.probe.picked ? *c.ui.probe.picked : c.ui.probe.pixel;
  if (std::erase(pins, pixel) == 0 && pins.size() < most_pins) pins.push_back(pixel);
  c.ui.probe.inspected_pin = std::min(c.ui.probe.inspected_pin, static_cast<int>(pins.size()) - 1);
}
bool can_pin(const PanelContext& c) {
  return (c.ui.probe.picked || c.ui.probe.hovered) && !ImGui::GetIO().NavVisible;
}

bool presents(const PanelContext& c) {
  return c.ui.presenter.on;
}
bool at_the_desk(const PanelContext& c) {
  return !c.ui.presenter.on;
}

void closer(PanelContext& c) {
  ViewTransform& view = c.ui.view;
  if (!view.fitted) {
    view.fitted = true;
    return;
  }
  if (c.ui.probe.hovered)
    view.centre = {static_cast<float>(c.ui.probe.pixel.x), static_cast<float>(c.ui.probe.pixel.y)};
  view.zoom = std::min(3 * view.zoom, ViewTransform::max_zoom);
  view.fitted = false;
}

void escape(PanelContext& c) {
  if (c.ui.presenter.on && c.ui.presenter.panel && !c.ui.shown.help) {
    c.ui.presenter.panel = nullptr;
    c.ui.panels.race.runs = c.ui.panels.race.runs && c.ui.shown.race;
    return;
  }
  c.ui.shown.help = c.ui.presenter.on = c.ui.presenter.blank = false;
  if (c.status.lab.running) c.commands.push_back(command::CancelLab{});
  if (c.status.bench.running) c.commands.push_back(command::CancelBench{});
}

bool has_feed(const PanelContext& c) {
  return c.status.source.feed.has_value();
}
// Pauses the source and steps it.
template <int step>
void step_frame(PanelContext& c) {
  if (c.status.source.feed->state != FeedState::paused) c.commands.push_back(command::Pause{true});
  c.commands.push_back(command::Step{step});
}

// The panel keeps it within the recording.
template <int warps, int requests>
void move_trace(PanelContext& c) {
  TraceView& view = c.ui.panels.trace;
  view.warp += warps;
  view.request += requests;
  view.playing = false;
}

// An open lesson has these keys.
bool pages_requests(const PanelContext& c) {
  return c.ui.shows(&ShownPanels::trace) && !lesson_is_open(c);
}

template <int steps>
void move_thread(PanelContext& c) {
  c.ui.panels.thread.step = std::max(0, c.ui.panels.thread.step + steps);
  c.ui.panels.thread.playing = false;
}

// Whether all panels are open in their places.
struct Layout {
  bool timing, inspector, race, block, code, occupancy, bench, idea;
};
constexpr Layout layouts[] = {{.timing = true, .inspector = true},
                              {.timing = true, .inspector = true, .race = true},
                              {.inspector = true, .block = true, .code = true, .idea = true},
                              {.timing = true, .race = true, .code = true, .occupancy = true, .bench = true}};
template <std::size_t number>
void take_layout(PanelContext& c) {
  constexpr Layout layout = layouts[number];
  UiState& ui = c.ui;
  ui.shown.settings = ui.layout.reset = true;
  ui.shown.timing = layout.timing;
  ui.shown.inspector = layout.inspector;
  ui.shown.race = ui.panels.race.runs = layout.race;
  ui.shown.block = layout.block;
  ui.shown.code = layout.code;
  ui.shown.occupancy = layout.occupancy;
  ui.shown.bench = layout.bench;
  ui.shown.idea = layout.idea;
  ui.shown.lab = ui.shown.log = ui.shown.kernel = ui.shown.trace = ui.shown.published = ui.shown.roofline =
      ui.shown.crossover = false;
  if (number == 1 && c.settings.view == ViewMode::single) c.settings.view = ViewMode::side;
}

bool has_picture(const PanelContext& c) {
  return c.status.lanes[0].has_picture;
}
bool compares(const PanelContext& c) {
  return c.settings.view != ViewMode::single;
}

constexpr ImGuiKeyChord ctrl = ImGuiMod_Ctrl, shift = ImGuiMod_Shift;

Action held(Action action) {
  action.repeats = true;
  return action;
}

const auto table = std::to_array<Action>({
    {"open", "File", "Open…", ctrl | ImGuiKey_O, 0, ask<command::ChooseFile>},
    {"reload", "File", "Reload", ctrl | ImGuiKey_R, 0, ask<command::Reload>,
     [](const PanelContext& c) { return !c.settings.source.path.empty(); }},
    {"paste", "File", "Paste picture or link", ctrl | ImGuiKey_V, 0, ask<command::Paste>},
    {"save_view", "File", "Export view…", ctrl | ImGuiKey_S, 0,
     [](PanelContext& c) { c.commands.push_back(command::ChooseSaveFile{command::What::view}); }, has_picture},
    {"save_result", "File", "Export result of A…", ctrl | shift | ImGuiKey_S, 0,
     [](PanelContext& c) { c.commands.push_back(command::ChooseSaveFile{command::What::result}); }, has_picture},
    {"copy_view", "File", "Copy view", ctrl | ImGuiKey_C, 0, ask<command::CopyView>, has_picture},
    {"copy_settings", "File", "Copy settings", 0, 0, copy_as<command::CopyState::As::session>},
    {"copy_command", "File", "Copy as command", 0, 0, copy_as<command::CopyState::As::command>},
    {"copy_link", "File", "Copy link", 0, 0, copy_as<command::CopyState::As::link>},
    {"save_session", "File", "Save session…", 0, 0,
     [](PanelContext& c) { c.commands.push_back(command::ChooseSaveFile{command::What::session}); }},
    {"new_lesson", "File", "New lesson", 0, 0, new_lesson},
    {"record", "File", "Record results of A…", 0, 0,
     [](PanelContext& c) { c.commands.push_back(command::ChooseSaveFile{command::What::recording}); },
     [](const PanelContext& c) { return has_feed(c) && !c.status.source.recording; }},
    {"record_window", "File", "Record the window…", 0, 0,
     [](PanelContext& c) { c.commands.push_back(command::ChooseSaveFile{command::What::window}); },
     [](const PanelContext& c) { return !c.status.source.recording; }},
    {"stop_recording", "File", "Stop recording", 0, 0, ask<command::StopRecording>,
     [](const PanelContext& c) { return c.status.source.recording.has_value(); }},
    {"quit", "File", "Quit", ctrl | ImGuiKey_Q, 0, ask<command::Quit>},
    held({"undo", "Edit", "Undo", ctrl | ImGuiKey_Z, 0, ask<command::Undo>,
     [](const PanelContext& c) { return !c.status.undo.empty() && !c.ui.panels.lesson.taught(); }}),
    held({"redo", "Edit", "Redo", ctrl | ImGuiKey_Y, 0, ask<command::Redo>,
     [](const PanelContext& c) { return !c.status.redo.empty() && !c.ui.panels.lesson.taught(); }}),
    {"reset_settings", "Edit", "Reset settings", 0, 0, ask<command::ResetSettings>},

    {"single", "View", "Single", ImGuiKey_1, 0, show<ViewMode::single>, nullptr, shows<ViewMode::single>},
    {"side", "View", "Side by side", ImGuiKey_2, 0, show<ViewMode::side>, nullptr, shows<ViewMode::side>},
    {"wipe", "View", "Wipe", ImGuiKey_3, 0, show<ViewMode::wipe>, nullptr, shows<ViewMode::wipe>},
    {"difference", "View", "Difference", ImGuiKey_4, 0, show<ViewMode::difference>, nullptr,
     shows<ViewMode::difference>},
    {"flip", "View", "Flip", ImGuiKey_5, 0, show<ViewMode::flip>, nullptr, shows<ViewMode::flip>},
    {"grid", "View", "Grid", ImGuiKey_6, 0, show<ViewMode::grid>, nullptr, shows<ViewMode::grid>},
    {"wipe_and_back", "View", "Wipe, and back", ImGuiKey_W, 0, toggle_view<ViewMode::wipe>},
    {"difference_and_back", "View", "Difference, and back", ImGuiKey_D, 0, toggle_view<ViewMode::difference>},
    {"grid_and_back", "View", "Grid, and back", ImGuiKey_G, 0, toggle_view<ViewMode::grid>},
    {"fit", "View", "Zoom to fit", ImGuiKey_F, 0, [](PanelContext& c) { c.ui.view.fitted = true; }},
    {"one_to_one", "View", "Zoom 100 %", ctrl | ImGuiKey_0, ImGuiKey_Keypad1,
     [](PanelContext& c) { c.ui.view.one_to_one(); }},
    {"go_to", "View", "Go to x, y…", ctrl | ImGuiKey_G, 0, [](PanelContext& c) { c.ui.go_to.open = true; }},
    {"full_screen", "View", "Full screen", ImGuiKey_F11, 0, ask<command::ToggleFullScreen>},
    {"present", "View", "Presenter mode", ImGuiKey_F5, 0,
     [](PanelContext& c) {
       c.ui.presenter.on = !c.ui.presenter.on;
       c.ui.presenter.blank = false;
       c.ui.presenter.panel = nullptr;
       c.ui.presenter.since = ImGui::GetTime();
       c.ui.panels.lesson.arrives = true;
       c.ui.panels.lesson.band = 0;
     },
     nullptr, is_open<&Presenter::on>},
    {"blank", "View", "While presenting: blank", ImGuiKey_B, 0, toggle<&Presenter::blank>, presents},
    {"closer", "View", "Presenter mode: zoom in three times, and back", ImGuiKey_Z, 0, closer, presents},
    {"timer", "View", "Presenter mode: timer", ImGuiKey_T, 0, toggle<&Presenter::shows_timer>, presents,
     is_open<&Presenter::shows_timer>},
    {"dark", "Theme", "Dark", 0, 0, take_theme<Theme::dark>, nullptr, has_theme<Theme::dark>},
    {"light", "Theme", "Light", 0, 0, take_theme<Theme::light>, nullptr, has_theme<Theme::light>},
    {"contrast", "Theme", "High contrast", 0, 0, take_theme<Theme::contrast>, nullptr, has_theme<Theme::contrast>},
    {"larger", "Size of controls", "Larger", ctrl | ImGuiKey_Equal, ctrl | ImGuiKey_KeypadAdd, change_scale<1>},
    {"smaller", "Size of controls", "Smaller", ctrl | ImGuiKey_Minus, ctrl | ImGuiKey_KeypadSubtract, change_scale<-1>},
    {"as_monitor", "Size of controls", "As the monitor", 0, 0, [](PanelContext& c) { c.preferences.ui_scale = 0; },
     nullptr, [](const PanelContext& c) { return c.preferences.ui_scale == 0; }},

    {"pause", "Source", "Pause or continue the source", ImGuiKey_P, 0,
     [](PanelContext& c) {
       const FeedState state = c.status.source.feed->state;
       c.commands.push_back(command::Pause{state != FeedState::paused && state != FeedState::ended});
     },
     has_feed, [](const PanelContext& c) { return has_feed(c) && c.status.source.feed->state == FeedState::paused; }},
    held({"next_frame", "Source", "The next frame", ctrl | ImGuiKey_RightArrow, 0, step_frame<1>, has_feed}),
    held({"frame_before", "Source", "The frame before", ctrl | ImGuiKey_LeftArrow, 0, step_frame<-1>, has_feed}),

    {"variant_a", "Lanes", "Choose the variant of A", ImGuiKey_A, 0,
     [](PanelContext& c) { c.ui.chooser.open[0] = true; }, at_the_desk},
    {"variant_b", "Lanes", "Choose the variant of B", ImGuiKey_B, 0,
     [](PanelContext& c) { c.ui.chooser.open[1] = true; },
     [](const PanelContext& c) { return compares(c) && at_the_desk(c); }},
    {"swap", "Lanes", "Swap A and B", ImGuiKey_X, 0,
     [](PanelContext& c) { std::swap(c.settings.lanes[0], c.settings.lanes[1]); }},
    {"block_before", "Lanes", "Block shape before", ImGuiKey_Semicolon, 0, next_block<-1>},
    {"block_after", "Lanes", "Next block shape", ImGuiKey_Apostrophe, 0, next_block<1>},
    {"next_filter", "Filter", "Next filter", ImGuiKey_K, 0, next_filter},
    {"next_padding", "Filter", "Next padding", ImGuiKey_N, 0,
     [](PanelContext& c) { next(borders, c.settings.border, [](const BorderInfo& row) { return row.border; }); }},
    held({"radius_down", "Filter", "Radius smaller", ImGuiKey_LeftBracket, 0, change_radius<-1>}),
    held({"radius_up", "Filter", "Radius larger", ImGuiKey_RightBracket, 0, change_radius<1>}),
    held({"sigma_down", "Filter", "Sigma smaller", ImGuiKey_Minus, ImGuiKey_KeypadSubtract, change_sigma<-1>}),
    held({"sigma_up", "Filter", "Sigma larger", ImGuiKey_Equal, ImGuiKey_KeypadAdd, change_sigma<1>}),

    held({"wipe_left", "Compare", "Wipe bar back", ImGuiKey_Comma, 0, move_wipe<-1>, shows<ViewMode::wipe>}),
    held({"wipe_right", "Compare", "Wipe bar forward", ImGuiKey_Period, 0, move_wipe<1>, shows<ViewMode::wipe>}),
    {"wipe_turn", "Compare", "Rotate the divider", ImGuiKey_V, 0,
     [](PanelContext& c) { c.ui.compare.wipe.level = !c.ui.compare.wipe.level; }, shows<ViewMode::wipe>},
    {"flip_over", "Compare", "Flip to the other picture", ImGuiKey_Space, 0, toggle<&CompareView::flipped>,
     shows<ViewMode::flip>},
    {"unlock", "Compare", "Unlock the lanes' views", ImGuiKey_L, 0, toggle<&CompareView::unlocked>, shows<ViewMode::side>,
     is_open<&CompareView::unlocked>},
    {"original", "Compare", "Original in place of A", shift | ImGuiKey_S, 0, toggle<&CompareView::original>, nullptr,
     is_open<&CompareView::original>},
    {"histogram", "Compare", "Histogram of A", ImGuiKey_H, 0, toggle<&ShownPanels::histogram>, nullptr,
     is_open<&ShownPanels::histogram>},
    {"overlay", "Compare", "Next overlay: blocks, overlap, loads, sectors", ImGuiKey_O, 0,
     [](PanelContext& c) {
       BlockOverlay& overlay = c.ui.panels.block.overlay;
       overlay = static_cast<BlockOverlay>((static_cast<std::size_t>(overlay) + 1) % block_overlays.size());
     }},
    {"pin", "Inspect", "Pin the pixel", ImGuiKey_Enter, ImGuiKey_KeypadEnter, pin, can_pin},
    {"unpin", "Inspect", "Remove all pins", 0, 0,
     [](PanelContext& c) {
       c.ui.probe.pins.clear();
       c.ui.probe.inspected_pin = -1;
     },
     [](const PanelContext& c) { return !c.ui.probe.pins.empty(); }},
    held({"left", "Inspect", "Move the picked pixel left (Shift: by 10)", ImGuiKey_LeftArrow, shift | ImGuiKey_LeftArrow,
     move_picked<-1, 0>, can_move_picked}),
    held({"right", "Inspect", "Picked pixel right", ImGuiKey_RightArrow, shift | ImGuiKey_RightArrow, move_picked<1, 0>,
     can_move_picked}),
    held({"up", "Inspect", "Picked pixel up", ImGuiKey_UpArrow, shift | ImGuiKey_UpArrow, move_picked<0, -1>,
     can_move_picked}),
    held({"down", "Inspect", "Picked pixel down", ImGuiKey_DownArrow, shift | ImGuiKey_DownArrow, move_picked<0, 1>,
     can_move_picked}),

    {"lesson_next", "Lesson", "The next step", 0, 0, [](PanelContext& c) { turn_lesson(c, 1); },
     lesson_is_open},
    {"lesson_back", "Lesson", "The step before", 0, 0, [](PanelContext& c) { turn_lesson(c, -1); },
     lesson_is_open},

    held({"request_after", "Inspect", "Trace: next request", ImGuiKey_PageDown, 0, move_trace<0, 1>,
     pages_requests}),
    held({"request_before", "Inspect", "Trace: request before", ImGuiKey_PageUp, 0, move_trace<0, -1>, pages_requests}),
    held({"warp_after", "Inspect", "Trace: next warp", shift | ImGuiKey_PageDown, 0, move_trace<1, 0>,
     shows_panel<&ShownPanels::trace>}),
    held({"warp_before", "Inspect", "Trace: warp before", shift | ImGuiKey_PageUp, 0, move_trace<-1, 0>,
     shows_panel<&ShownPanels::trace>}),
    {"play_trace", "Inspect", "Trace: play or pause", ctrl | ImGuiKey_Space, 0,
     [](PanelContext& c) { c.ui.panels.trace.playing = !c.ui.panels.trace.playing; }, shows_panel<&ShownPanels::trace>},

    held({"step_after", "Inspect", "Code: next step of the thread", ctrl | ImGuiKey_PageDown, 0, move_thread<1>,
          shows_panel<&ShownPanels::code>}),
    held({"step_before", "Inspect", "Code: step before", ctrl | ImGuiKey_PageUp, 0, move_thread<-1>,
          shows_panel<&ShownPanels::code>}),

    {"settings_panel", "Panels", "Settings", 0, 0, toggle<&ShownPanels::settings>, nullptr,
     is_open<&ShownPanels::settings>},
    {"timing_panel", "Panels", "Timing", 0, 0, toggle<&ShownPanels::timing>, nullptr, is_open<&ShownPanels::timing>},
    {"inspector_panel", "Panels", "Inspector", ctrl | ImGuiKey_I, 0, toggle_panel<&ShownPanels::inspector>, nullptr,
     shows_panel<&ShownPanels::inspector>},
    {"profile_panel", "Panels", "Profile", shift | ImGuiKey_L, 0, toggle_panel<&ShownPanels::profile>, nullptr,
     shows_panel<&ShownPanels::profile>},
    {"race_panel", "Panels", "Race", ImGuiKey_R, 0,
     [](PanelContext& c) {
       toggle_panel<&ShownPanels::race>(c);
       bool& runs = c.ui.panels.race.runs;
       const bool at_desk = c.ui.presenter.on && c.ui.shown.race;  // a race there goes on
       runs = c.ui.shows(&ShownPanels::race) || (at_desk && runs);
     },
     nullptr, shows_panel<&ShownPanels::race>},
    {"bench_panel", "Panels", "Benchmark", ctrl | shift | ImGuiKey_B, 0, toggle<&ShownPanels::bench>,
     nullptr, is_open<&ShownPanels::bench>},
    {"roofline_panel", "Panels", "Roofline", ctrl | ImGuiKey_M, 0, toggle<&ShownPanels::roofline>, nullptr,
     is_open<&ShownPanels::roofline>},
    {"crossover_panel", "Panels", "Crossover map", ctrl | shift | ImGuiKey_M, 0, toggle<&ShownPanels::crossover>,
     nullptr, is_open<&ShownPanels::crossover>},
    {"published_panel", "Panels", "Published", ctrl | ImGuiKey_U, 0,
     toggle<&ShownPanels::published>, nullptr, is_open<&ShownPanels::published>},
    {"block_panel", "Panels", "Block", ctrl | ImGuiKey_B, 0, toggle_panel<&ShownPanels::block>, nullptr,
     shows_panel<&ShownPanels::block>},
    {"trace_panel", "Panels", "Trace", ctrl | ImGuiKey_T, 0, toggle_panel<&ShownPanels::trace>, nullptr,
     shows_panel<&ShownPanels::trace>},
    {"code_panel", "Panels", "Code", ctrl | ImGuiKey_E, 0, toggle<&ShownPanels::code>, nullptr,
     is_open<&ShownPanels::code>},
    {"occupancy_panel", "Panels", "Occupancy", ctrl | ImGuiKey_K, 0, toggle<&ShownPanels::occupancy>, nullptr,
     is_open<&ShownPanels::occupancy>},
    {"explain_panel", "Panels", "Explain", ctrl | shift | ImGuiKey_E, 0, toggle<&ShownPanels::explain>, nullptr,
     is_open<&ShownPanels::explain>},
    {"idea_panel", "Panels", "How it works", ctrl | ImGuiKey_H, 0, toggle_panel<&ShownPanels::idea>, nullptr,
     shows_panel<&ShownPanels::idea>},
    {"kernel_panel", "Panels", "Kernel", ctrl | shift | ImGuiKey_K, 0, toggle_panel<&ShownPanels::kernel>, nullptr,
     shows_panel<&ShownPanels::kernel>},
    {"puzzle_panel", "Panels", "Puzzles", ctrl | ImGuiKey_P, 0, toggle_panel<&ShownPanels::puzzle>, nullptr,
     shows_panel<&ShownPanels::puzzle>},
    {"lesson_panel", "Panels", "Lessons", ctrl | shift | ImGuiKey_L, 0, toggle<&ShownPanels::lesson>, nullptr,
     is_open<&ShownPanels::lesson>},
    {"concepts_panel", "Panels", "Concepts", 0, 0, toggle_panel<&ShownPanels::concepts>, nullptr,
     shows_panel<&ShownPanels::concepts>},
    {"lab_panel", "Panels", "Lab", ctrl | ImGuiKey_L, 0, toggle<&ShownPanels::lab>, nullptr,
     is_open<&ShownPanels::lab>},
    {"log_panel", "Panels", "Log", ImGuiKey_F12, 0, toggle<&ShownPanels::log>, nullptr, is_open<&ShownPanels::log>},
    {"layout_workbench", "Layout", "Workbench", 0, 0, take_layout<0>},
    {"layout_compare", "Layout", "Compare", 0, 0, take_layout<1>},
    {"layout_teach", "Layout", "Teach", 0, 0, take_layout<2>},
    {"layout_bench", "Layout", "Bench", 0, 0, take_layout<3>},
    {"reset_layout", "Layout", "Reset layout", 0, 0, ask<command::ResetLayout>},
    {"palette", "Help", "Command palette", ctrl | shift | ImGuiKey_P, 0,
     [](PanelContext& c) { c.ui.palette.open = true; }},
    {"help", "Help", "Keyboard shortcuts", ImGuiKey_F1, shift | ImGuiKey_Slash, toggle<&ShownPanels::help>, nullptr,
     is_open<&ShownPanels::help>},
    {"escape", "Help", "Close, or cancel", ImGuiKey_Escape, 0, escape},
});

// Words by which the palette finds an action too.
struct Synonym {
  std::string_view id, words;
};
constexpr Synonym synonyms[] = {
    {"save_view", "save screenshot picture image"},
    {"save_result", "save picture image"},
    {"copy_command", "share shell terminal command line"},
    {"copy_link", "share url send"},
    {"paste", "open"},
    {"record", "video"},
    {"record_window", "video gif screencast"},
    {"reload", "refresh"},
    {"quit", "exit close"},
    {"fit", "whole picture"},
    {"one_to_one", "actual size"},
    {"present", "fullscreen lecture"},
    {"help", "keys hotkeys"},
    {"bench_panel", "sweep plot"},
    {"race_panel", "compare all variants time"},
    {"profile_panel", "line plot region statistics mean standard deviation noise edge"},
    {"lab_panel", "correctness check"},
    {"lesson_panel", "teach class question course"},
    {"new_lesson", "write teach author record"},
    {"concepts_panel", "ideas explain cards teach glossary terms"},
    {"puzzle_panel", "exercise learn edit write kernel check hint"},
    {"published_panel", "papers documents"},
    {"block_panel", "phases threads tile"},
    {"trace_panel", "warp lanes memory banks conflicts coalescing sectors broadcast divergence"},
    {"code_panel", "source ptx sass"},
    {"kernel_panel", "matrix weights taps numbers"},
    {"log_panel", "messages errors"},
    {"idea_panel", "memory"},
    {"explain_panel", "why slow speed bottleneck limit hints"},
};

constexpr auto held_or_mouse = std::to_array<Gesture>({
    {"View", "wheel, drag", "Zoom at the pointer, pan"},
    {"Lesson", "A to D", "Answer; while presenting: count a vote (Shift: one less)"},
    {"Lesson", "Enter", "Show the answer"},
    {"Lesson", "Page down, Page up", "Next step, step before"},
    {"Lesson", "Space", "While presenting: vote again"},
    {"Compare", "` held", "Flip: B"},
    {"Compare", "C held", "The reference"},
    {"Compare", "S held", "The original"},
    {"Inspect", "click", "Pick a pixel"},
    {"Inspect", "Shift+drag", "Select a region for Profile; Shift+click: none"},
    {"Inspect", "Shift held", "Values of pixels as bits"},
});

// Letters, signs, arrows and Escape belong to the focused control, or close the open list; all other keys always belong
// to the program.
bool belongs_to_widgets(ImGuiKeyChord key) {
  const auto bare = static_cast<ImGuiKey>(key & ~ImGuiMod_Mask_);
  return !(key & ImGuiMod_Ctrl) && !(bare >= ImGuiKey_F1 && bare <= ImGuiKey_F24);
}

bool pressed(ImGuiKeyChord key, bool repeats) {
  if (key == 0) return false;
  const ImGuiInputFlags flags = repeats ? ImGuiInputFlags_Repeat : 0;
  if (!belongs_to_widgets(key)) return ImGui::Shortcut(key, ImGuiInputFlags_RouteGlobal | flags);
  const ImGuiIO& io = ImGui::GetIO();
  return !io.WantTextInput && !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId) &&
         ImGui::IsKeyChordPressed(key, flags);
}

// Until a question has been answered, keys do not change what it asks about.
bool changes_experiment(const Action& action) {
  return action.group == "Lanes" || action.group == "Filter";
}

// Keys that belong to a lesson while its question waits for an answer.
bool answers_question(ImGuiKeyChord key) {
  const auto bare = static_cast<ImGuiKey>(key & ~ImGuiMod_Mask_);
  return !(key & ImGuiMod_Ctrl) && ((bare >= ImGuiKey_A && bare <= ImGuiKey_D) || bare == ImGuiKey_Enter ||
                                    bare == ImGuiKey_KeypadEnter || bare == ImGuiKey_Space);
}

}  // namespace

std::span<const Action> actions() {
  return table;
}

std::span<const Gesture> gestures() {
  return held_or_mouse;
}

const Action& action(std::string_view id) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Action& a) { return a.id == id; });
  IM_ASSERT(found != table.end());
  return *found;
}

std::string title_of(const PanelContext& context, const Action& action) {
  std::string title(action.title);
  if (action.id == "undo" && !context.status.undo.empty()) title += " " + context.status.undo;
  if (action.id == "redo" && !context.status.redo.empty()) title += " " + context.status.redo;
  return title;
}

std::string_view words_of(const Action& action) {
  const auto found = std::ranges::find(synonyms, action.id, &Synonym::id);
  return found == std::end(synonyms) ? "" : found->words;
}

bool enabled(const PanelContext& context, const Action& action) {
  return !action.enabled || action.enabled(context);
}

std::string key_text(ImGuiKeyChord key) {
  if (key == 0) return "";
  std::string text;
  if (key & ImGuiMod_Ctrl) text += "Ctrl+";
  const auto bare = static_cast<ImGuiKey>(key & ~ImGuiMod_Mask_);
  if (bare == ImGuiKey_Slash && key & ImGuiMod_Shift) return "?";
  if (key & ImGuiMod_Shift) text += "Shift+";
  struct Sign {
    ImGuiKey key;
    const char* text;
  };
  static constexpr Sign signs[] = {
      {ImGuiKey_LeftBracket, "["}, {ImGuiKey_RightBracket, "]"}, {ImGuiKey_Minus, "-"},   {ImGuiKey_Equal, "="},
      {ImGuiKey_Semicolon, ";"},   {ImGuiKey_Apostrophe, "'"},   {ImGuiKey_Comma, ","},   {ImGuiKey_Period, "."},
      {ImGuiKey_LeftArrow, "←"},   {ImGuiKey_RightArrow, "→"},   {ImGuiKey_UpArrow, "↑"}, {ImGuiKey_DownArrow, "↓"},
  };
  for (const Sign& sign : signs)
    if (sign.key == bare) return text + sign.text;
  return text + ImGui::GetKeyName(bare);
}

void menu_item(PanelContext& context, std::string_view id) {
  const Action& a = action(id);
  if (ImGui::MenuItem(fmt::format("{}###{}", title_of(context, a), a.title).c_str(), key_text(a.key).c_str(),
                      a.checked && a.checked(context), enabled(context, a)))
    a.run(context);
}

void handle_keys(PanelContext& context) {
  UiState& ui = context.ui;
  take_page_keys(context);
  const bool asks = asked_question(context) != nullptr;
  if (asks) take_lesson_keys(context);
  for (const Action& a : table) {
    if (asks && (answers_question(a.key) || answers_question(a.second) || changes_experiment(a))) continue;
    if ((pressed(a.key, a.repeats) || pressed(a.second, a.repeats)) && enabled(context, a)) a.run(context);
  }
  const auto is_down = [](ImGuiKeyChord key) {
    return key != 0 && ImGui::IsKeyDown(static_cast<ImGuiKey>(key & ~ImGuiMod_Mask_));
  };
  ui.holds_key = std::any_of(table.begin(), table.end(),
                             [&](const Action& a) { return a.repeats && (is_down(a.key) || is_down(a.second)); });
  const ImGuiIO& io = ImGui::GetIO();
  const bool typing = io.WantTextInput || io.KeyCtrl || io.KeyAlt;
  ui.compare.holds_b = !typing && context.settings.view == ViewMode::flip && ImGui::IsKeyDown(ImGuiKey_GraveAccent);
  ui.compare.holds_reference = !typing && !asks && ImGui::IsKeyDown(ImGuiKey_C);
  ui.compare.holds_original = !typing && !io.KeyShift && ImGui::IsKeyDown(ImGuiKey_S);
}

}  // namespace conv
