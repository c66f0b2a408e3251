#include "app/shell/app.h"

// glad before anything that includes an OpenGL header
#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <implot.h>

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "app/gpu/gpu_backend.h"
#include "app/measure/race.h"
#include "app/measure/rankings.h"
#include "app/model/normalise.h"
#include "app/model/session_source.h"
#include "app/model/settings_file.h"
#include "app/shell/restart_state.h"
#include "kernels/core/file.h"
#include "kernels/core/registry.h"
#include "kernels/variants/support/cpu_rows.h"

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

// The backend asks the X server for monitors and the pointer. Each answer is a round trip, all of them together take as
// long as the panels; few screens show frames more often than this. Keys, buttons, moves and sizes come as events.
constexpr auto inquiry_period = std::chrono::milliseconds(8);
constexpr auto refresh_period = std::chrono::milliseconds(250);  // numbers change at 4 Hz, so that they can be read
constexpr auto trace_patience = std::chrono::seconds(5);  // with times that do not come, as of a lane that is gone
constexpr double toast_seconds = 8;
constexpr double sweep_frame_s = 0.1;  // between two pictures while a sweep runs
constexpr std::size_t undo_depth = 200;
constexpr int picture_bytes = 256 << 10;  // from here on memory is a picture's: its pages go back when it does

// The image's top left 3x3 pixels and the row and column before them.
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

constexpr std::size_t max_config_bytes = std::size_t{4} << 20;
constexpr int max_layout_sections = 1000;  // our own layouts have some 30

// Where the windows of the last session were; empty where there is none that could be used.
std::string read_layout() {
  const fs::path folder = config_folder();
  const std::string layout = folder.empty() ? "" : read_file(folder / "layout.ini", max_config_bytes).value_or("");
  const auto sections = std::count(layout.begin(), layout.end(), '[');
  return sections > max_layout_sections ? "" : layout;
}

}  // namespace

App::Contexts::Contexts(Window& window) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
  io.IniFilename = nullptr;  // the application reads and writes it with its settings
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
  // Else glibc raises this bound with each large block that is let go, and keeps holes between pictures of every thread
  // that a source had: 23 MB in thirty minutes of changing sources, 0.4 MB so.
  mallopt(M_MMAP_THRESHOLD, picture_bytes);
  std::unique_ptr<App> app(new App);
  const bool remembered = app->read_settings_file();
  if (options.settings_given) app->settings_ = options.settings;
  const std::optional<std::string> before_fault = take_restart_state(options.restart_state);
  if (before_fault) static_cast<void>(from_json(*before_fault, app->settings_, app->preferences_));
  if (options.theme) app->preferences_.theme = *options.theme;
  if (options.scale) app->preferences_.ui_scale = *options.scale;
  if (options.no_vsync) app->preferences_.vsync = false;
  app->remember_ = options.frames == 0 && options.screenshot.empty();
  app->unattended_ = options.unattended;
  app->trusts_ = options.trust;

  auto window = Window::create(options.window_size.value_or(app->preferences_.window_size), "Convoscope",
                               app->preferences_.vsync);
  if (!window) return tl::unexpected(window.error());
  app->window_ = std::move(*window);
  app->applied_vsync_ = app->preferences_.vsync;
  app->contexts_ = std::make_unique<Contexts>(*app->window_);
  app->fonts_ = load_fonts(shared_folder());
  if (app->remember_) {
    const std::string layout = read_layout();
    ImGui::LoadIniSettingsFromMemory(layout.data(), layout.size());
  }
  app->status_.samples = find_samples();
  App* self = app.get();
  auto pipeline = Pipeline::create({.device = options.device,
                                    .interop = !options.no_interop,
                                    .gpu = gpu_backends(),
                                    .log = [self](const std::string& text) { self->say(text); }});
  if (!pipeline) return tl::unexpected(pipeline.error());
  app->pipeline_ = std::move(*pipeline);
  auto pictures = Pictures::create(app->settings_, app->ui_, app->status_, *app->pipeline_);
  if (!pictures) return tl::unexpected(pictures.error());
  app->pictures_ = std::move(*pictures);
  if (before_fault) {
    const Faults faults = faults_from_json(*before_fault);
    app->pipeline_->mark_crashed(faults);
    for (const auto& [variant, text] : faults)
      app->say(fmt::format("{} crashed the GPU: {}. Started again.", variant, text));
  }
  // Without a GPU the fast host variant gives a smooth picture; a choice made by hand or remembered is kept.
  Status first;
  app->pipeline_->fill(first);
  if (!first.no_gpu.empty() && !options.settings_given && !remembered)
    app->settings_.lanes[0].variant = "cpu_separable";

  const std::string given = app->settings_.source.path;
  if (given.ends_with(".json")) app->settings_.source.path.clear();
  Result<void> opened;
  if (!given.empty() && app->settings_.source.camera.empty()) {
    opened = app->open(given, app->settings_.source.percent);
  } else if (!options.settings_given && !remembered) {
    app->settings_.source.path = (samples_folder() / "harbour.png").string();
    app->ui_.show_welcome = true;
  }
  if (opened) opened = app->bring_first_picture();
  if (!opened && options.settings_given && !before_fault) return tl::unexpected(opened.error());
  if (!opened) static_cast<void>(app->bring_first_picture());  // a pattern
  app->seen_ = app->settings_;
  constexpr bool UiState::*shown[] = {&UiState::show_race,      &UiState::show_block,    &UiState::show_code,
                                      &UiState::show_occupancy, &UiState::show_lab,      &UiState::show_bench,
                                      &UiState::show_published, &UiState::show_roofline, &UiState::show_crossover,
                                      &UiState::show_idea};
  static_assert(std::size(shown) == panel_ids.size());
  for (const std::string& panel : options.panels)
    app->ui_.*shown[std::find(panel_ids.begin(), panel_ids.end(), panel) - panel_ids.begin()] = true;
  app->ui_.race.runs = app->ui_.show_race;
  return app;
}

// Whether there was one that could be used. One that could not is kept under another name.
bool App::read_settings_file() {
  const fs::path folder = config_folder();
  if (folder.empty()) return false;
  const fs::path file = folder / "settings.json";
  const Result<std::string> text = read_file(file, max_config_bytes);
  if (!text && !file_exists(file)) return false;
  const auto corrections = text ? from_json(*text, settings_, preferences_) : std::nullopt;
  if (!corrections) {
    const fs::path aside = folder / "settings-unusable.json";
    std::error_code error;
    fs::rename(file, aside, error);
    say(fmt::format("{}. The program starts with its standard settings{}",
                    text ? fmt::format("{}: is no settings file", file.string()) : text.error().text,
                    error ? "" : fmt::format("; the file is kept as {}", aside.string())));
    return false;
  }
  for (const std::string& correction : *corrections) say(fmt::format("Settings: {}", correction));
  // The program never starts these by itself.
  settings_.source.camera.clear();
  if (is_generator(settings_.source.path)) settings_.source.path.clear();
  return true;
}

void App::save_settings() const {
  const fs::path folder = config_folder();
  if (folder.empty()) return;
  Preferences preferences = preferences_;
  preferences.window_size = window_->size();
  Settings settings = settings_;
  if (loader_.holds_up())
    settings.source = *loader_.shown();  // a file that never answers is not asked at the next start
  if (is_pasted(settings.source.path)) settings.source = {};
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  // A disk that takes nothing loses the settings, not the program.
  static_cast<void>(write_file(folder / "settings.json", to_json(settings, preferences)));
  static_cast<void>(write_file(folder / "layout.ini", ImGui::SaveIniSettingsToMemory()));
}

void App::say(const std::string& text) {
  ui_.log.push_back(text);
  ui_.toast = {.text = text.substr(0, text.find('\n')),
               .until = (ImGui::GetCurrentContext() ? ImGui::GetTime() : 0) + toast_seconds};
}

// A step of undo is what changed between two moments at which no control and no key was held. A source is one once it
// is open.
void App::update_history() {
  if (ImGui::IsAnyItemActive() || ui_.holds_key) return;
  Settings now = settings_;
  if (loader_.opening()) now.source = seen_.source;
  if (now == seen_) return;
  undo_.push_back(seen_);
  if (undo_.size() > undo_depth) undo_.erase(undo_.begin());
  redo_.clear();
  seen_ = std::move(now);
}

void App::apply_preferences() {
  const float scale = preferences_.ui_scale > 0 ? preferences_.ui_scale : window_->content_scale();
  // A projector makes dark pictures on a dark ground too dark.
  const Theme theme = ui_.presents && preferences_.theme == Theme::dark ? Theme::light : preferences_.theme;
  if (applied_theme_ != theme || applied_scale_ != scale) {
    apply_style(theme, scale);
    if (applied_scale_ != scale && applied_scale_ != 0) ui_.reset_layout = true;
    applied_theme_ = theme;
    applied_scale_ = scale;
  }
  if (applied_vsync_ != preferences_.vsync) window_->set_vsync(applied_vsync_ = preferences_.vsync);
}

void App::draw_panels() {
  PanelContext context{settings_, preferences_, ui_, status_, {palette(*applied_theme_), fonts_}, commands_};
  handle_keys(context);
  if (ui_.presents) {
    draw_presenter(context);
    draw_help(context);
    draw_palette(context);
    draw_toast(context);
    draw_question(context);
    return;
  }
  draw_menu_bar(context);
  draw_toolbar(context);
  draw_status_bar(context);
  draw_dockspace(context);
  draw_viewport(context);
  draw_settings(context);
  draw_timing(context);
  draw_inspector(context);
  draw_race(context);
  draw_bench(context);
  draw_published(context);
  draw_roofline(context);
  draw_crossover(context);
  draw_block(context);
  draw_code(context);
  draw_occupancy(context);
  draw_idea(context);
  draw_lab(context);
  draw_log(context);
  draw_help(context);
  draw_palette(context);
  draw_toast(context);
  draw_question(context);
}

void App::refresh_status() {
  pipeline_->fill(status_);
  if (picture_) status_.corner = corner_of(*picture_, settings_.border, settings_.border_value);
  if (ui_.show_lab) status_.lab = lab_.status();
  bench_.load(status_.device);
  const auto before = std::exchange(status_.bench, bench_.status()).results;
  if (before != status_.bench.results) {
    // Lanes that go by them begin anew: only when there is something new for them.
    const auto old_rows = rows_of(before->rows, auto_id), rows = rows_of(status_.bench.results->rows, auto_id);
    if (!std::equal(rows.begin(), rows.end(), old_rows.begin(), old_rows.end(),
                    [](const auto& a, const auto& b) { return a.ms == b.ms; }))
      pipeline_->set_rankings(rankings_of(rows));
  }
  if (std::exchange(ui_.wants_thumbnails, false)) {
    if (!wall_picture_) wall_picture_ = picture_;  // a moving source stands still there
    wall_.update(wall_picture_, settings_.filter);
    status_.thumbnails = wall_.textures();
  } else {
    wall_picture_.reset();
  }
  if (const auto wanted = std::exchange(ui_.block.wanted, std::nullopt)) blocks_.ask(*wanted);
  status_.block = blocks_.answer();
  if (const auto wanted = std::exchange(ui_.wanted_code, std::nullopt)) code_.ask(*wanted);
  status_.code = code_.answer();
  if (std::exchange(ui_.wants_cameras, false)) cameras_.ask(++cameras_asked_);
  status_.cameras = cameras_.answer();
  status_.recording = recording_ ? std::optional(recording_->status()) : std::nullopt;
  status_.feed = loader_.feed() ? std::optional(loader_.feed()->status()) : std::nullopt;
  status_.opening = loader_.opening();
  status_.can_undo = !undo_.empty();
  status_.can_redo = !redo_.empty();
  // Figures stand for a quarter of a second, unless they are of other settings by now.
  const Clock::time_point now = Clock::now();
  if (now - refreshed_ < refresh_period && pipeline_->times_are_of(status_)) return;
  refreshed_ = now;
  pipeline_->fill_times(status_);
  if (loader_.feed()) status_.link_rate = pipeline_->link_rate();
  status_.wait_ms = wait_ms_.summary();
  status_.decode_ms = decode_ms_.summary();
  status_.latency_ms = latency_ms_.summary();
  status_.frame_ms = frame_ms_.summary();
  status_.launch_ms = launch_ms_.summary();
  status_.panels_ms = panels_ms_.summary();
  status_.draw_ms = pictures_->draw_ms();
  status_.swap_ms = swap_ms_.summary();
  status_.display_fps = status_.frame_ms ? 1000 / status_.frame_ms->median : 0;
}

bool App::finished() const {
  const bool timed = std::all_of(status_.lanes.begin(), status_.lanes.end(), [](const LaneStatus& lane) {
    return !lane.active || (lane.kernel_ms && lane.kernel_ms->count >= (lane.on_cpu ? 1 : Samples::capacity));
  });
  const bool raced = std::all_of(status_.race.entries.begin(), status_.race.entries.end(), [](const auto& entry) {
    return entry.state >= RaceState::refused || (entry.checked && entry.ms && entry.ms->count >= 16);
  });
  if (ui_.show_race && ui_.race.runs) return settled() && !status_.race.entries.empty() && raced;
  return settled() && timed &&
         (settings_.view != ViewMode::difference || status_.metrics || !status_.no_difference.empty());
}

bool App::settled() const {
  return !loader_.holds_up() && std::all_of(status_.lanes.begin(), status_.lanes.end(),
                                            [](const LaneStatus& lane) { return !lane.active || lane.settled; });
}

Picture App::drawn() const {
  Picture picture{.size = window_->framebuffer_size(), .channels = 3};
  const std::string pixels = read_framebuffer(picture.size);
  picture.levels.assign(pixels.begin(), pixels.end());
  return picture;
}

// The lanes as they are on the screen, without the panels around them.
std::optional<Picture> App::drawn_view() const {
  const Picture all = drawn();
  const ImVec2 density = ImGui::GetIO().DisplayFramebufferScale;
  Point2 from{all.size.width, all.size.height}, to{0, 0};
  for (const LaneArea& lane : ui_.areas) {
    const ViewArea& area = lane.visible;
    if (area.width < 1) continue;
    from = {std::min(from.x, static_cast<int>(area.left * density.x)),
            std::min(from.y, static_cast<int>(area.top * density.y))};
    to = {std::max(to.x, static_cast<int>((area.left + area.width) * density.x)),
          std::max(to.y, static_cast<int>((area.top + area.height) * density.y))};
  }
  to = {std::min(to.x, all.size.width), std::min(to.y, all.size.height)};
  if (to.x <= from.x || to.y <= from.y) return std::nullopt;
  Picture view{.size = {to.x - from.x, to.y - from.y}, .channels = 3};
  for (int y = from.y; y < to.y; ++y) {
    const auto row = all.levels.begin() + (static_cast<std::ptrdiff_t>(y) * all.size.width + from.x) * 3;
    view.levels.insert(view.levels.end(), row, row + static_cast<std::ptrdiff_t>(view.size.width) * 3);
  }
  return view;
}

void App::save_view(const std::string& path) {
  const std::optional<Picture> view = drawn_view();
  if (!view) return say("The view is too small to be saved.");
  Result<void> saved = check_output(path, files_of(settings_.source), true);
  if (saved) saved = save_picture(*view, path);
  say(saved ? fmt::format("Saved {}", path) : saved.error().text);
}

void App::copy_view() {
  const std::optional<Picture> view = drawn_view();
  if (!view) return say("The view is too small to be copied.");
  const Result<void> copied = copy_to_desktop(*view);
  say(copied ? "Copied the view" : copied.error().text);
}

// One frame out of many, and of a moving source one that it brought.
void App::begin_trace(Clock::time_point start) {
  if (trace_ && trace_->whole()) status_.trace = std::exchange(trace_, nullptr);
  if (trace_ && start - trace_->start() > trace_patience) trace_.reset();
  const bool wanted = std::exchange(ui_.wants_trace, false) && !status_.bench.running;
  const bool fresh = status_.trace && start - status_.trace->start() < refresh_period;
  if (!wanted || trace_ || fresh || (status_.moves() && !arrived_) || !pipeline_->has_free_lane()) return;
  trace_ = std::make_shared<FrameTrace>(start);
  if (!arrived_) return;
  const Frame& frame = *arrived_;
  trace_->add({.title = "decode", .by = TracedBy::source}, frame.decoding_began(), frame.decoded);
  trace_->add({.title = "until its time and a frame of the window", .by = TracedBy::source, .waits = true},
              frame.decoded, std::max(frame.decoded, start));
}

void App::frame(Picture* capture) {
  const Clock::time_point start = Clock::now();
  const bool first = frame_start_ == Clock::time_point{};
  const float elapsed_ms = first ? 16 : ms_between(frame_start_, start);
  if (!first) frame_ms_.add(elapsed_ms);
  frame_start_ = start;

  // While a sweep runs the window looks for input, but draws seldom: every picture drawn is a disturbance.
  window_->poll(status_.bench.running ? sweep_frame_s : 0);
  if (const std::vector<std::string> dropped = window_->take_dropped(); !dropped.empty()) open(dropped.back());
  static_cast<void>(take_source());  // says itself what is wrong
  take_pasted();
  poll_dialogs();
  apply_preferences();
  const Clock::time_point launch = Clock::now();
  begin_trace(start);
  const bool races = ui_.show_race && ui_.race.runs;
  if (!status_.bench.running) {  // a sweep has the processor for itself
    pipeline_->frame(settings_, preferences_.every_frame && !status_.lab.running && !races,
                     traces() ? trace_ : nullptr);
    if (!races || !ui_.race.frozen)
      pipeline_->race(settings_, races ? racing_variants(settings_) : std::vector<std::string>());
  }
  const Clock::time_point panels = Clock::now();
  launch_ms_.add(ms_between(launch, panels));

  refresh_status();
  record_result();
  pictures_->read(picture_.get());
  ImGui_ImplOpenGL3_NewFrame();
  if (window_->take_resized() || start - inquired_ >= inquiry_period) {
    inquired_ = start;
    ImGui_ImplGlfw_NewFrame();
  }
  ImGui::GetIO().DeltaTime = std::max(elapsed_ms / 1000, 1e-5f);  // the backend's is since it was asked
  ImGui::NewFrame();
  draw_panels();
  for (const Command& command : std::exchange(commands_, {})) execute(command);
  apply_auto_radius(settings_);
  update_source();
  update_history();
  ImGui::Render();
  const Clock::time_point draw = Clock::now();
  panels_ms_.add(ms_between(panels, draw));

  pictures_->draw(palette(*applied_theme_), settled(), trace_.get());
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  if (capture) *capture = drawn();
  if (!view_path_.empty()) save_view(std::exchange(view_path_, {}));
  if (std::exchange(copies_view_, false)) copy_view();
  const Clock::time_point swap = Clock::now();
  window_->swap();
  const Clock::time_point end = Clock::now();
  swap_ms_.add(ms_between(swap, end));
  if (arrived_) latency_ms_.add(ms_between(arrived_->captured, end));
  arrived_.reset();
  if (traces()) {
    trace_->add({.title = "input"}, start, launch);
    trace_->add({.title = "submit"}, launch, panels);
    trace_->add({.title = "panels"}, panels, draw);
    trace_->add({.title = "GL calls"}, draw, swap);
    trace_->add({.title = "swap", .waits = true}, swap, end);
    trace_->end();
  }
}
