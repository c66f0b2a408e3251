#include "app/app.h"

// glad before anything that includes an OpenGL header
#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <implot.h>
#include <portable_file_dialogs.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "app/settings_file.h"

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto refresh_period = std::chrono::milliseconds(250);  // numbers change at 4 Hz, so that they can be read
constexpr double toast_seconds = 8;
constexpr std::size_t undo_depth = 200;

float ms_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<float, std::milli>(to - from).count();
}

// Pictures and fonts: beside an installed program, else in the source folder.
fs::path shared_folder() {
  std::error_code error;
  const fs::path installed =
      fs::read_symlink("/proc/self/exe", error).parent_path().parent_path() / "share" / "convoscope";
  return fs::exists(installed, error) ? installed : fs::path(CONV_SOURCE_DIR);
}

std::vector<Sample> find_samples() {
  std::vector<Sample> samples;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(shared_folder() / "assets", error))
    if (file.path().extension() == ".png") {
      std::string title = file.path().stem().string();
      std::replace(title.begin(), title.end(), '_', ' ');
      title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
      samples.push_back({std::move(title), file.path().string()});
    }
  std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.title < b.title; });
  return samples;
}

std::string read_text(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void write_text(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const fs::path part = path.string() + ".part";
  std::ofstream out(part);
  out << text;
  out.close();
  if (out) fs::rename(part, path, error);
}

// "118 94 61" for 8-bit formats, four decimals for floats.
std::string value_text(const PixelProbe::Texel& texel, PixelType type) {
  switch (type) {
    case PixelType::f32: return fmt::format("{:.4f}", texel.values[0]);
    case PixelType::rgba8:
      return fmt::format("{:3.0f} {:3.0f} {:3.0f} {:3.0f}", texel.values[0], texel.values[1], texel.values[2],
                         texel.values[3]);
    case PixelType::rgba32f:
      return fmt::format("{:.4f} {:.4f} {:.4f} {:.4f}", texel.values[0], texel.values[1], texel.values[2],
                         texel.values[3]);
  }
  return {};
}

}  // namespace

struct App::Dialog {
  std::unique_ptr<pfd::open_file> open;
  std::unique_ptr<pfd::save_file> save;
};

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
  std::unique_ptr<App> app(new App);
  from_json(read_text(config_folder() / "settings.json"), app->settings_, app->preferences_);
  if (options.settings_given) app->settings_ = options.settings;
  if (options.theme) app->preferences_.theme = *options.theme;
  if (options.scale) app->preferences_.ui_scale = *options.scale;
  if (options.no_vsync) app->preferences_.vsync = false;
  app->remember_ = options.frames == 0 && options.screenshot.empty();

  auto window = Window::create(options.window_size.value_or(app->preferences_.window_size), "Convoscope",
                               app->preferences_.vsync);
  if (!window) return tl::unexpected(window.error());
  app->window_ = std::move(*window);
  app->applied_vsync_ = app->preferences_.vsync;
  app->contexts_ = std::make_unique<Contexts>(*app->window_);
  app->fonts_ = load_fonts(shared_folder());
  if (app->remember_) {
    const std::string layout = read_text(config_folder() / "layout.ini");
    ImGui::LoadIniSettingsFromMemory(layout.data(), layout.size());
  }
  auto renderer = ImageRenderer::create();
  if (!renderer) return tl::unexpected(renderer.error());
  app->renderer_ = std::move(*renderer);
  app->status_.samples = find_samples();
  App* self = app.get();
  auto pipeline = Pipeline::create({.device = options.device,
                                    .interop = !options.no_interop,
                                    .log = [self](const std::string& text) { self->say(text); }});
  if (!pipeline) return tl::unexpected(pipeline.error());
  app->pipeline_ = std::move(*pipeline);
  // Without a GPU the fast host variant gives a smooth picture; a choice made by hand or remembered is kept.
  Status first;
  app->pipeline_->fill(first);
  const bool remembered = fs::exists(config_folder() / "settings.json");
  if (!first.no_gpu.empty() && !options.settings_given && !remembered)
    app->settings_.lanes[0].variant = "cpu_separable";

  if (!app->settings_.source.path.empty()) {
    const Result<void> opened = app->open(app->settings_.source.path);
    if (!opened && options.settings_given) return tl::unexpected(opened.error());
    if (!opened) app->settings_.source.path.clear();
  } else if (!options.settings_given && !remembered) {
    app->open((shared_folder() / "assets" / "harbour.png").string());
    app->ui_.show_welcome = true;
  }
  app->update_source();
  app->seen_ = app->settings_;
  return app;
}

App::~App() {
  if (window_ && contexts_ && remember_) save_settings();
}

void App::save_settings() const {
  const fs::path folder = config_folder();
  if (folder.empty()) return;
  Preferences preferences = preferences_;
  preferences.window_size = window_->size();
  write_text(folder / "settings.json", to_json(settings_, preferences));
  write_text(folder / "layout.ini", ImGui::SaveIniSettingsToMemory());
}

void App::say(const std::string& text) {
  ui_.log.push_back(text);
  ui_.toast = {text.substr(0, text.find('\n')), (ImGui::GetCurrentContext() ? ImGui::GetTime() : 0) + toast_seconds};
}

Result<void> App::open(const std::string& path) {
  Result<Picture> picture = load_picture(path);
  if (!picture) {
    say(picture.error().text);
    return tl::unexpected(picture.error());
  }
  settings_.source.path = ui_.path_text = path;
  opened_ = settings_.source;
  picture_ = std::make_shared<const Picture>(std::move(*picture));
  pipeline_->set_source(picture_);
  ui_.view.fitted = true;
  return {};
}

// Follows a source that a panel or undo has changed.
void App::update_source() {
  if (picture_ && opened_ == settings_.source) return;
  const SourceSettings& source = settings_.source;
  if (!source.path.empty()) {
    if (!open(std::string(source.path))) settings_.source = opened_;
    return;
  }
  opened_ = source;
  ui_.path_text.clear();
  picture_ = std::make_shared<const Picture>(make_pattern(source.pattern, source.pattern_size, source.seed));
  pipeline_->set_source(picture_);
  ui_.view.fitted = true;
}

// A step of undo is what changed between two moments at which no control was held.
void App::update_history() {
  if (ImGui::IsAnyItemActive() || settings_ == seen_) return;
  undo_.push_back(seen_);
  if (undo_.size() > undo_depth) undo_.erase(undo_.begin());
  redo_.clear();
  seen_ = settings_;
}

void App::execute(const Command& any_command) {
  const auto step_back = [this](std::vector<Settings>& from, std::vector<Settings>& to) {
    if (from.empty()) return;
    to.push_back(settings_);
    settings_ = seen_ = from.back();
    from.pop_back();
  };
  struct Visitor {
    App& app;
    decltype(step_back)& step;
    void operator()(const command::ChooseFile&) const {
      if (!pfd::settings::available())
        return app.say(
            "No file dialog found (zenity or kdialog). Drop a file on the window, or type its path under Source.");
      app.dialog_->open = std::make_unique<pfd::open_file>(
          "Open a picture", "",
          std::vector<std::string>{"Pictures", "*.png *.jpg *.jpeg *.bmp *.tga *.hdr *.npy", "All", "*"});
    }
    void operator()(const command::OpenFile& c) const { app.open(c.path); }
    void operator()(const command::Reload&) const {
      if (!app.settings_.source.path.empty()) app.open(std::string(app.settings_.source.path));
    }
    void operator()(const command::ChooseSaveFile&) const {
      if (!pfd::settings::available())
        return app.say("No file dialog found (zenity or kdialog). `convoscope convolve` saves results without one.");
      app.dialog_->save = std::make_unique<pfd::save_file>(
          "Save the result of lane A", "result.png", std::vector<std::string>{"Pictures", "*.png *.npy *.hdr *.jpg"});
    }
    void operator()(const command::Undo&) const { step(app.undo_, app.redo_); }
    void operator()(const command::Redo&) const { step(app.redo_, app.undo_); }
    void operator()(const command::ResetLayout&) const {
      app.ui_.reset_layout = app.ui_.show_settings = app.ui_.show_timing = true;
    }
    void operator()(const command::ResetSettings&) const {
      const SourceSettings source = app.settings_.source;
      app.settings_ = {};
      app.settings_.source = source;
    }
    void operator()(const command::RetryInterop&) const { app.pipeline_->retry_interop(); }
    void operator()(const command::CopyText& c) const { ImGui::SetClipboardText(c.text.c_str()); }
    void operator()(const command::ToggleFullScreen&) const { app.window_->toggle_full_screen(); }
    void operator()(const command::Quit&) const { app.window_->close(); }
  };
  if (!dialog_) dialog_ = std::make_unique<Dialog>();
  std::visit(Visitor{*this, step_back}, any_command);
}

void App::poll_dialogs() {
  if (!dialog_) return;
  if (dialog_->open && dialog_->open->ready(0)) {
    const std::vector<std::string> chosen = dialog_->open->result();
    dialog_->open.reset();
    if (!chosen.empty()) open(chosen.front());
  }
  if (dialog_->save && dialog_->save->ready(0)) {
    const std::string path = dialog_->save->result();
    dialog_->save.reset();
    const std::optional<HostImage> result = path.empty() ? std::nullopt : pipeline_->result(0);
    if (!result) return;
    const Result<void> saved = save_picture(to_picture(*result, picture_->channels), path);
    say(saved ? fmt::format("Saved {}", path) : saved.error().text);
  }
}

void App::apply_preferences() {
  const float scale = preferences_.ui_scale > 0 ? preferences_.ui_scale : window_->content_scale();
  if (applied_theme_ != preferences_.theme || applied_scale_ != scale) {
    apply_style(preferences_.theme, scale);
    if (applied_scale_ != scale && applied_scale_ != 0) ui_.reset_layout = true;
    applied_theme_ = preferences_.theme;
    applied_scale_ = scale;
  }
  if (applied_vsync_ != preferences_.vsync) window_->set_vsync(applied_vsync_ = preferences_.vsync);
}

void App::draw_panels() {
  PanelContext context{settings_, preferences_, ui_, status_, {palette(preferences_.theme), fonts_}, commands_};
  handle_keys(context);
  draw_menu_bar(context);
  draw_toolbar(context);
  draw_status_bar(context);
  draw_dockspace(context);
  draw_viewport(context);
  draw_settings(context);
  draw_timing(context);
  draw_log(context);
  draw_help(context);
  draw_toast(context);
}

// Under the panels: the viewport window is transparent where these are.
void App::draw_pictures() {
  const Size2 framebuffer = window_->framebuffer_size();
  const ImVec4 ground = palette(preferences_.theme).background;
  glDisable(GL_SCISSOR_TEST);
  glViewport(0, 0, framebuffer.width, framebuffer.height);
  glClearColor(ground.x, ground.y, ground.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  const ImVec2 density = ImGui::GetIO().DisplayFramebufferScale;
  draw_timer_.begin();
  for (int i = 0; i < 2; ++i) {
    const ViewArea& area = ui_.areas[i];
    const DisplayTexture& texture = pipeline_->texture(i);
    if (area.width < 1 || !status_.lanes[i].has_picture) continue;
    const Vec2 origin = ui_.view.screen_at_image({0, 0}, {area.width / 2, area.height / 2});
    // From one screen pixel per image pixel on, image pixels begin on whole screen pixels.
    const auto snapped = [&](float v) { return ui_.view.zoom >= 1 ? std::round(v) : v; };
    renderer_->draw(
        {.texture = texture.name(),
         .image = texture.size(),
         .grey = texture.type() == PixelType::f32,
         .area = {area.left * density.x, area.top * density.y, area.width * density.x, area.height * density.y},
         .origin_x = snapped(origin.x * density.x),
         .origin_y = snapped(origin.y * density.y),
         .zoom = ui_.view.zoom * density.x},
        framebuffer);
  }
  draw_timer_.end();
  if (const auto ms = draw_timer_.poll()) draw_ms_.add(*ms);
}

void App::update_cursor() {
  status_.cursor.clear();
  if (!ui_.hovered) return;
  status_.cursor = fmt::format("x {:4} y {:4}", ui_.pixel.x, ui_.pixel.y);
  for (int i = 0; i < 2; ++i) {
    const DisplayTexture& texture = pipeline_->texture(i);
    const Size2 size = texture.size();
    if (!status_.lanes[i].active || !status_.lanes[i].has_picture || ui_.pixel.x >= size.width ||
        ui_.pixel.y >= size.height)
      continue;
    if (const auto texel = probes_[i].poll()) texels_[i] = *texel;
    const bool here = texels_[i].at == ui_.pixel;
    // Each frame while the cursor moves, else often enough to follow a picture that changes.
    if (!here || ImGui::GetFrameCount() % 8 == 0) probes_[i].request(texture.name(), texture.type(), ui_.pixel);
    status_.cursor +=
        fmt::format("   {} {}", static_cast<char>('A' + i), here ? value_text(texels_[i], texture.type()) : "–");
  }
}

void App::refresh_status() {
  pipeline_->fill(status_);
  status_.can_undo = !undo_.empty();
  status_.can_redo = !redo_.empty();
  // Figures stand for a quarter of a second, unless they are of other settings by now.
  const Clock::time_point now = Clock::now();
  if (now - refreshed_ < refresh_period && pipeline_->times_are_of(status_)) return;
  refreshed_ = now;
  pipeline_->fill_times(status_);
  status_.frame_ms = frame_ms_.summary();
  status_.launch_ms = launch_ms_.summary();
  status_.panels_ms = panels_ms_.summary();
  status_.draw_ms = draw_ms_.summary();
  status_.swap_ms = swap_ms_.summary();
  status_.display_fps = status_.frame_ms ? 1000 / status_.frame_ms->median : 0;
}

bool App::settled() const {
  return std::all_of(status_.lanes.begin(), status_.lanes.end(),
                     [](const LaneStatus& lane) { return !lane.active || lane.settled; });
}

void App::frame(Picture* capture) {
  const Clock::time_point start = Clock::now();
  if (frame_start_ != Clock::time_point{}) frame_ms_.add(ms_between(frame_start_, start));
  frame_start_ = start;

  window_->poll();
  for (const std::string& path : window_->take_dropped()) open(path);
  poll_dialogs();
  apply_preferences();
  const Clock::time_point launch = Clock::now();
  pipeline_->frame(settings_, preferences_.every_frame);
  launch_ms_.add(ms_between(launch, Clock::now()));

  const Clock::time_point panels = Clock::now();
  refresh_status();
  update_cursor();
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
  draw_panels();
  for (const Command& command : std::exchange(commands_, {})) execute(command);
  update_source();
  update_history();
  ImGui::Render();
  panels_ms_.add(ms_between(panels, Clock::now()));

  draw_pictures();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  if (capture) {
    *capture = {.size = window_->framebuffer_size(), .channels = 3};
    const std::string pixels = read_framebuffer(capture->size);
    capture->levels.assign(pixels.begin(), pixels.end());
  }
  const Clock::time_point swap = Clock::now();
  window_->swap();
  swap_ms_.add(ms_between(swap, Clock::now()));
}

int run_window(const Options& options) {
  auto app = App::create(options);
  if (!app) {
    fmt::print(stderr, "convoscope: {}\n", app.error().text);
    return 2;
  }
  App& a = **app;
  const Clock::time_point start = Clock::now();
  // A screenshot waits until the picture is final and 64 launches have been measured, or for 30 seconds.
  const auto final_picture = [&] {
    const LaneStatus& lane = a.status().lanes[0];
    const int enough = lane.on_cpu ? 1 : Samples::capacity;
    return (a.settled() && lane.kernel_ms && lane.kernel_ms->count >= enough) ||
           Clock::now() - start > std::chrono::seconds(30);
  };
  for (int frame = 1; a.running(); ++frame) {
    a.frame();
    if (!options.screenshot.empty() && frame > 10 && final_picture()) {
      Picture picture;
      a.frame(&picture);
      if (const Result<void> saved = save_picture(picture, options.screenshot); !saved) {
        fmt::print(stderr, "convoscope: {}\n", saved.error().text);
        return 2;
      }
      break;
    }
    if (options.frames > 0 && frame >= options.frames) break;
  }
  return 0;
}
