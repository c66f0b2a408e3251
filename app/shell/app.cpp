#include "app/shell/app.h"

// glad must come before anything that includes an OpenGL header
#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>
#include <implot.h>

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "app/gpu/gpu_backend.h"
#include "app/measure/race_times.h"
#include "app/model/normalise.h"
#include "app/model/settings_file.h"
#include "app/pipeline/lane_planner.h"
#include "app/shell/restart_state.h"
#include "app/shell/user_files.h"
#include "kernels/core/registry.h"
#include "kernels/gpu/device_order.h"
#include "kernels/variants/support/cpu_rows.h"

namespace conv {

using Clock = std::chrono::steady_clock;
using Stage = FrameTimes::Stage;

namespace {

// The backend asks the X server for monitors and the pointer. Each answer is a round trip; all of them together take as
// long as drawing the panels, and few screens show frames more often than this. Keys, buttons, moves and sizes arrive
// as events.
constexpr auto inquiry_period = std::chrono::milliseconds(8);
constexpr auto refresh_period = std::chrono::milliseconds(250);  // numbers change at 4 Hz, so that they can be read
constexpr double sweep_frame_s = 0.1;                            // between two frames during a sweep
constexpr double sleep_s = 0.5;                                  // the longest time without looking for changes
// What input has started is on the screen by then, or keeps the window awake itself.
constexpr auto awake_after_input = std::chrono::seconds(3);
constexpr const char* window_title = "Convoscope";
// OpenGL itself may stop for half a minute after a fault, and nothing can be drawn meanwhile.
constexpr const char* title_after_fault = "Convoscope · waiting for the graphics driver after a kernel crashed the GPU";
constexpr int picture_bytes = 256 << 10;  // larger blocks are pictures: their memory returns to the system

// The image's top left 3x3 pixels, and the row and column outside them.
std::array<CornerCell, 16> corner_of(const Picture& picture, Border border, float value) {
  std::array<CornerCell, 16> cells;
  for (int i = 0; i < 16; ++i) {
    const int x = cpu_rows::source_index(i % 4 - 1, picture.size.width, border);
    const int y = cpu_rows::source_index(i / 4 - 1, picture.size.height, border);
    CornerCell& cell = cells[i];
    cell.exists = i / 4 - 1 < picture.size.height && i % 4 - 1 < picture.size.width;
    if (x >= 0 && y >= 0) {
      const auto levels = levels_at(picture, {x, y});
      cell.r = levels[0], cell.g = levels[1], cell.b = levels[2];
    } else {
      cell.exists = cell.exists && border != Border::valid;
      cell.r = cell.g = cell.b = border == Border::constant ? to_level(value * 255) : 0;
    }
  }
  return cells;
}

// Dear ImGui takes all keys since the last frame at once, with the modifiers as they are at the end. After a long
// frame, Ctrl+Q would be Q alone if Ctrl is already released. So a modifier that changes after a key waits for the next
// frame.
void begin_imgui_frame() {
  ImVector<ImGuiInputEvent>& events = ImGui::GetCurrentContext()->InputEventsQueue;
  const auto is_modifier = [](ImGuiKey key) {
    return (key & ImGuiMod_Mask_) || (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper);
  };
  bool pressed = false;
  const auto* const first = std::ranges::find_if(events, [&](const ImGuiInputEvent& event) {
    if (event.Type != ImGuiInputEventType_Key) return false;
    if (is_modifier(event.Key.Key)) return pressed;
    pressed = pressed || event.Key.Down;
    return false;
  });
  const std::vector<ImGuiInputEvent> later(first, std::as_const(events).end());
  events.shrink(events.Size - static_cast<int>(later.size()));
  ImGui::NewFrame();
  for (const ImGuiInputEvent& event : later) events.push_back(event);
}

void take_preferences(const Options& options, Preferences& preferences) {
  if (options.window.theme) preferences.theme = *options.window.theme;
  if (options.window.scale) preferences.ui_scale = *options.window.scale;
  if (options.window.no_vsync) preferences.vsync = false;
}

}  // namespace

App::Contexts::Contexts(AppWindow& window) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
  io.IniFilename = nullptr;  // the application reads and writes it together with its settings
  ImGui_ImplGlfw_InitForOpenGL(window.handle(), true);
  ImGui_ImplOpenGL3_Init("#version 450 core");
}

App::Contexts::~Contexts() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImPlot::DestroyContext();
  ImGui::DestroyContext();
}

Result<std::unique_ptr<App>> App::create(const Options& options) {
  // Otherwise glibc raises this limit with each large block that is freed, and keeps gaps between the pictures of every
  // thread that a source had: 23 MB in thirty minutes of changing sources instead of 0.4 MB.
  mallopt(M_MMAP_THRESHOLD, picture_bytes);
  std::unique_ptr<App> app(new App);
  AppState& state = app->state_;
  const bool remembered =
      read_user_settings(state.settings, state.preferences, [&](const std::string& text) { state.warn(text); });
  if (options.settings_given) state.settings = options.settings;
  const std::optional<std::string> before_fault = take_restart_state(options.window.restart_state);
  if (before_fault) static_cast<void>(from_json(*before_fault, state.settings, state.preferences));
  take_preferences(options, state.preferences);
  app->remembers_ = options.window.frames == 0 && options.window.screenshot.empty();

  CONV_TRY(app->open_window(options, before_fault ? title_after_fault : window_title));
  CONV_TRY(app->create_parts(options));
  if (before_fault) {
    const Faults faults = faults_from_json(*before_fault);
    app->pipeline_->mark_crashed(faults);
    for (const auto& [variant, text] : faults)
      state.warn(fmt::format("{} crashed the GPU: {}. The program has restarted.", variant, text));
  }
  CONV_TRY(app->open_first_source(options, remembered, before_fault.has_value()));
  state.history.begin(state.settings);
  state.ui.shown.open(options.window.panels);
  state.ui.panels.race.runs = state.ui.shown.race;
  return app;
}

Result<void> App::open_window(const Options& options, const std::string& title) {
  const Preferences& preferences = state_.preferences;
  const auto& asked = options.window.window_size;
  window_ = CONV_TRY(
      AppWindow::create(asked.value_or(preferences.window_size), title, preferences.vsync, !asked.has_value()));
  applied_.vsync = preferences.vsync;
  contexts_ = std::make_unique<Contexts>(*window_);
  fonts_ = load_fonts(shared_folder());
  if (!remembers_) return {};
  const std::string layout = read_user_layout();
  ImGui::LoadIniSettingsFromMemory(layout.data(), layout.size());
  return {};
}

Result<void> App::create_parts(const Options& options) {
  // Kernels write the window's textures if they run on the GPU that draws it. No worker has anything to do yet.
  if (options.device != DeviceChoice::cpu) put_gpu_first(window_->gpu_uuid());
  state_.status.source.samples = find_samples();
  pipeline_ = CONV_TRY(Pipeline::create({.device = options.device,
                                         .interop = !options.window.no_interop,
                                         .gpu = gpu_backends(),
                                         .before_reset = [this] { jobs_.stop_measuring(); },
                                         .log = [this](const std::string& text) { state_.warn(text); },
                                         .tell = [this](const std::string& text) { state_.say(text); },
                                         .note = [this](const std::string& text) { state_.keep(text, true); }}));
  source_ = std::make_unique<SourceControl>(
      state_, *pipeline_, SessionRights{.trusts = options.window.trust, .unattended = options.window.unattended});
  lane_view_ = CONV_TRY(LaneView::create(state_.settings, state_.ui, state_.status, *pipeline_));
  exports_ = std::make_unique<Exports>(state_, *source_, *pipeline_, *window_);
  return {};
}

// remembered: there were settings from an earlier start. recovers: this process continues after a fault.
Result<void> App::open_first_source(const Options& options, bool remembered, bool recovers) {
  Settings& settings = state_.settings;
  const bool first_start = !options.settings_given && !remembered;
  // Without a GPU the fast host variant gives a smooth picture; a variant chosen by the user is kept.
  pipeline_->fill(state_.status);
  const DeviceStatus& device = state_.status.device;
  const bool chosen = recovers || (options.settings_given ? options.variant_given : remembered);
  const Result<Taps> taps = taps_of(settings.filter);
  if (!chosen && taps && !device.no_gpu.empty() && !device.connecting) settings.lanes[0].variant = fast_variant(*taps);

  const std::string given = settings.source.path;
  const std::string ending = ending_of(given);
  if (ending == ".json" || ending == ".md" || is_bundle(given)) settings.source.path.clear();
  Result<void> opened;
  if (!given.empty() && settings.source.camera.empty()) {
    opened = open(given, settings.source.percent);
  } else if (first_start) {
    settings.source.path = (samples_folder() / "harbour.png").string();
    state_.ui.shown.welcome = !options.window.unattended;
  }
  if (opened) opened = source_->bring_first_picture();
  if (!opened && options.settings_given && !recovers) return opened;
  if (!opened) static_cast<void>(source_->bring_first_picture());  // a pattern
  return {};
}

App::~App() {
  keep();
  AppWindow::on_lost_display({});  // what would be kept again is about to be destroyed
}

void App::keep() {
  jobs_.keep_texts(state_);
  if (exports_) exports_->complete();
  if (!contexts_ || !source_ || !std::exchange(remembers_, false)) return;
  if (const Result<void> kept =
          write_user_files(settings_to_keep(), preferences_to_keep(), ImGui::SaveIniSettingsToMemory());
      !kept)
    fmt::print(stderr, "convoscope: the settings are not kept: {}\n", kept.error().text);
}

Settings App::settings_to_keep() const {
  Settings settings = state_.ui.panels.lesson.settings_of_user(state_.settings);
  settings.source = source_->to_remember();
  return settings;
}

Preferences App::preferences_to_keep() const {
  Preferences preferences = state_.preferences;
  const ImVec2 size = ImGui::GetIO().DisplaySize;  // of the window, in the last frame
  if (size.x > 0) preferences.window_size = {static_cast<int>(size.x), static_cast<int>(size.y)};
  return preferences;
}

void App::apply_preferences() {
  const Preferences& preferences = state_.preferences;
  const float scale = preferences.ui_scale > 0 ? preferences.ui_scale : window_->content_scale();
  // A projector makes dark pictures on a dark background too dark.
  const bool lightens = state_.ui.presenter.on && preferences.theme == Theme::dark;
  const Theme theme = lightens ? Theme::light : preferences.theme;
  if (applied_.theme != theme || applied_.scale != scale) {
    apply_style(theme, scale);
    if (applied_.scale != scale && applied_.scale != 0) state_.ui.layout.reset = true;
    applied_.theme = theme;
    applied_.scale = scale;
  }
  if (applied_.vsync != preferences.vsync) window_->set_vsync(applied_.vsync = preferences.vsync);
}

PanelTextures App::textures() const {
  return {.thumbnails = jobs_.thumbnails(), .colour_maps = lane_view_->colour_maps()};
}

void App::draw_panels() {
  PanelContext context{.settings = state_.settings,
                       .preferences = state_.preferences,
                       .ui = state_.ui,
                       .status = state_.status,
                       .look = {palette(*applied_.theme), fonts_},
                       .commands = commands_,
                       .textures = textures()};
  handle_keys(context);
  if (state_.ui.presenter.on) {
    draw_presenter(context);
    draw_help(context);
    draw_palette(context);
    draw_file_chooser(context);
    draw_toast(context);
    draw_question(context);
    return;
  }
  draw_menu_bar(context);
  draw_toolbar(context);
  draw_comparison_strip(context);
  draw_status_bar(context);
  draw_dockspace(context);
  draw_viewport(context);
  draw_settings(context);
  draw_lesson(context);
  draw_timing(context);
  draw_inspector(context);
  draw_race(context);
  draw_bench(context);
  draw_published(context);
  draw_roofline(context);
  draw_crossover(context);
  draw_block(context);
  draw_trace(context);
  draw_code(context);
  draw_occupancy(context);
  draw_explanation(context);
  draw_idea(context);
  draw_concepts(context);
  draw_profile(context);
  draw_kernel(context);
  draw_puzzle(context);
  draw_lab(context);
  draw_log(context);
  draw_help(context);
  draw_palette(context);
  draw_file_chooser(context);
  draw_toast(context);
  draw_question(context);
}

void App::refresh_status() {
  AppStatus& status = state_.status;
  pipeline_->fill(status);
  if (const auto picture = source_->picture())
    status.filter.corner = corner_of(*picture, state_.settings.border, state_.settings.border_value);
  jobs_.update(state_, source_->picture());
  if (auto rankings = jobs_.take_new_rankings()) pipeline_->set_rankings(std::move(rankings));
  status.source.recording = exports_->recording();
  status.saving = exports_->saving();
  status.frame.trace = times_.last_trace();
  // Numbers remain for a quarter of a second, unless they belong to other settings by now.
  const Clock::time_point now = Clock::now();
  const bool stand = now - refreshed_ < refresh_period && pipeline_->times_are_of(status);
  source_->report(status.source, !stand);
  if (stand) return;
  refreshed_ = now;
  pipeline_->fill_times(status);
  status.source.latency_ms = times_.latency_ms();
  times_.report(status.frame);
  status.frame.draw_ms = lane_view_->draw_ms();
}

bool App::finished() const {
  const AppStatus& status = state_.status;
  const bool timed = std::all_of(status.lanes.begin(), status.lanes.end(), [](const LaneStatus& lane) {
    const auto& ms = lane.times.kernel_ms;
    return !lane.active || (ms && ms->count >= (lane.on_cpu ? 1 : Samples::capacity));
  });
  const bool raced = std::all_of(status.race.entries.begin(), status.race.entries.end(), [](const auto& entry) {
    return entry.state >= RaceState::refused || (entry.checked && entry.ms && entry.ms->count >= 16);
  });
  if (state_.ui.shows(&ShownPanels::race) && state_.ui.panels.race.runs)
    return settled() && !status.race.entries.empty() && raced;
  return settled() && timed && compared() && !jobs_.answers() && !status.bench.running;
}

bool App::compared() const {
  const PictureStatus& picture = state_.status.picture;
  return state_.settings.view != ViewMode::difference || picture.metrics || !picture.no_difference.empty();
}

bool App::settled() const {
  const auto& lanes = state_.status.lanes;
  return !state_.status.device.connecting && !source_->holds_up() &&
         std::all_of(lanes.begin(), lanes.end(), [](const LaneStatus& lane) { return !lane.active || lane.settled; });
}

bool App::sleeps() const {
  const AppStatus& status = state_.status;
  const auto& recording = status.source.recording;
  if (recording && (!recording->of_window || recording->finishing)) return false;
  if (status.saving || window_->should_close()) return false;
  if (!window_->visible()) return true;
  const UiState& ui = state_.ui;
  const bool moves = status.source.playing() || source_->opening() || ui.presenter.on || ui.panels.block.playing ||
                     (ui.shown.trace && ui.panels.trace.playing) || (ui.shown.code && ui.panels.thread.playing) ||
                     !compared() || (ui.compare.blinks && state_.settings.view == ViewMode::flip) ||
                     ui.compare.holds_reference || ui.compare.holds_original ||
                     (ui.compare.original && !status.picture.has_original) || ui.toast.until > ImGui::GetTime() ||
                     ImGui::GetIO().MouseDown[0];
  const bool works = status.lab.running || status.bench.running || jobs_.answers() || dialogs_.is_open();
  return !moves && !works && !source_->holds_up() && pipeline_->idle(state_.preferences.every_frame) &&
         Clock::now() - last_input_ > awake_after_input;
}

void App::wait_for_input() {
  times_.pause();
  poll(sleep_s);
  const auto recording = exports_->recording();
  if (pipeline_->poll_kernels() || (recording && recording->ended)) last_input_ = Clock::now();
}

void App::poll(double wait_s) {
  window_->poll(wait_s);
  if (!ImGui::GetCurrentContext()->InputEventsQueue.empty() || window_->take_asked()) last_input_ = Clock::now();
}

void App::take_input() {
  // During a sweep the window checks for input but draws rarely: every frame drawn disturbs the measurement.
  poll(state_.status.bench.running ? sweep_frame_s : 0);
  if (const std::vector<std::string> dropped = window_->take_dropped(); !dropped.empty()) open(dropped.back());
  source_->take_arrivals();
  if (const std::optional<Command> chosen = dialogs_.poll()) execute(*chosen);
  apply_preferences();
}

// A second request closes the window at once.
void App::close_when_saved() {
  const auto saving = exports_->saving();
  if (!window_->should_close()) {
    if (closes_when_saved_ && !saving) window_->close();
  } else if (saving && !closes_when_saved_) {
    closes_when_saved_ = true;
    window_->stay();
    state_.say(fmt::format("The program ends when {} is saved. Quit again to end without it.", saving->what));
  }
}

void App::run_lanes() {
  const AppStatus& status = state_.status;
  if (status.bench.running) return;  // the sweep needs the whole processor
  // For a moving source, only a frame that has arrived.
  const bool wants_trace =
      std::exchange(state_.ui.wants.trace, false) && (!status.source.playing() || source_->arrived());
  times_.trace_if(wants_trace, pipeline_->has_free_lane(), source_->arrived());
  const bool races = state_.ui.races();
  pipeline_->frame(state_.settings, state_.preferences.every_frame && !status.lab.running && !races, times_.trace());
  // The lab would change the times of a race.
  if (!races || (!state_.ui.panels.race.frozen && !status.lab.running))
    pipeline_->race(state_.settings, races ? racing_variants(state_.settings) : std::vector<std::string>());
}

void App::frame(Picture* capture) {
  const float elapsed_ms = times_.begin();
  take_input();
  times_.enter(Stage::submit);
  run_lanes();
  times_.enter(Stage::panels);
  exports_->advance_saving();
  close_when_saved();
  refresh_status();
  exports_->record_frame(times_.frame_start());
  lane_view_->read(source_->picture().get());
  ImGui_ImplOpenGL3_NewFrame();
  if (window_->take_resized() || times_.frame_start() - inquired_ >= inquiry_period) {
    inquired_ = times_.frame_start();
    ImGui_ImplGlfw_NewFrame();
  }
  ImGui::GetIO().DeltaTime = std::max(elapsed_ms / 1000, 1e-5f);  // the backend measures since its last call
  if (const std::string layout = std::exchange(state_.ui.layout.wanted, {}); !layout.empty())
    ImGui::LoadIniSettingsFromMemory(layout.data(), layout.size());
  begin_imgui_frame();
  draw_panels();
  for (const Command& command : std::exchange(commands_, {})) execute(command);
  apply_auto_radius(state_.settings);
  source_->follow_settings();
  update_history();
  ImGui::Render();
  draw_frame(capture);
  times_.end(source_->arrived());
}

// A new source becomes an undo step once it is open.
void App::update_history() {
  if (state_.ui.panels.lesson.taught()) return;  // its scenes are no steps of the user
  if (!ImGui::IsAnyItemActive() && !state_.ui.holds_key) {
    Settings now = state_.settings;
    if (source_->opening()) now.source = state_.history.source();
    state_.history.observe(std::move(now));
  }
  if (!state_.history.take_changed()) return;
  state_.status.undo = state_.history.undo_text();
  state_.status.redo = state_.history.redo_text();
}

void App::draw_frame(Picture* capture) {
  times_.enter(Stage::gl_calls);
  const float gain = state_.status.picture.gain;
  lane_view_->draw(palette(*applied_.theme), settled(), times_.unfinished_trace());
  if (gain != state_.status.picture.gain) last_input_ = Clock::now();  // the next frame draws with the new gain
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  if (capture) *capture = drawn_window(*window_);
  exports_->take_drawn(times_.frame_start());
  times_.enter(Stage::swap);
  window_->swap();
  if (settled()) window_->set_title(window_title);
}

void App::start_again(const std::vector<std::string>& arguments) {
  if (std::exchange(restart_failed_, true)) return;
  Settings settings = state_.ui.panels.lesson.settings_of_user(state_.settings);
  if (is_pasted(settings.source.path)) settings.source = {};  // it exists only in this process
  std::vector<std::string> words =
      with_restart_state(arguments, to_json(settings, preferences_to_keep(), pipeline_->crashed()));
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  jobs_.keep_texts(state_);
  execv("/proc/self/exe", argv.data());
  state_.warn(
      fmt::format("Convoscope could not restart itself: {}. It continues without the GPU", std::strerror(errno)));
}

}  // namespace conv
