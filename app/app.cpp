#include "app/app.h"

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
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "app/measure/race.h"
#include "app/measure/rankings.h"
#include "app/settings_file.h"
#include "kernels/core/file.h"
#include "kernels/core/registry.h"
#include "kernels/variants/cpu_rows.h"

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

// Results that lie around 0, in a format that can hold them.
bool lies_around_zero(const Taps& taps, PixelType format) {
  if (is_8_bit(format) || taps.offset != 0 || !taps.chain.empty() || !taps.negative()) return false;
  const float sum = std::accumulate(taps.values.begin(), taps.values.end(), 0.0f);
  const float magnitude = std::accumulate(taps.values.begin(), taps.values.end(), 0.0f,
                                          [](float total, float tap) { return total + std::fabs(tap); });
  return std::fabs(sum) < 0.05f * magnitude;
}

// "118 94 61" for 8-bit formats, four decimals for floats.
std::string value_text(const HostImage& texel) {
  std::string text;
  for (int c = 0; c < info(texel.type).channels; ++c)
    text += fmt::format(fmt::runtime(is_8_bit(texel.type) ? "{}{:3.0f}" : "{}{:.4f}"), c > 0 ? " " : "",
                        texel.channel(0, c));
  return text;
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
  from_json(read_file(config_folder() / "settings.json").value_or(""), app->settings_, app->preferences_);
  if (options.settings_given) app->settings_ = options.settings;
  const std::optional<std::string> resumed = options.resume.empty() ? std::nullopt : read_file(options.resume);
  if (resumed) from_json(*resumed, app->settings_, app->preferences_);
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
    const std::string layout = read_file(config_folder() / "layout.ini").value_or("");
    ImGui::LoadIniSettingsFromMemory(layout.data(), layout.size());
  }
  auto renderer = ImageRenderer::create();
  if (!renderer) return tl::unexpected(renderer.error());
  app->renderer_ = std::move(*renderer);
  Result<MetricsPass> metrics = MetricsPass::create();
  if (!metrics) return tl::unexpected(metrics.error());
  app->metrics_ = std::move(*metrics);
  Result<HistogramPass> histogram = HistogramPass::create();
  if (!histogram) return tl::unexpected(histogram.error());
  app->histogram_ = std::move(*histogram);
  app->colour_maps_ = colour_map_texture();
  app->status_.colour_maps = app->colour_maps_.name();
  app->status_.samples = find_samples();
  App* self = app.get();
  auto pipeline = Pipeline::create({.device = options.device,
                                    .interop = !options.no_interop,
                                    .log = [self](const std::string& text) { self->say(text); }});
  if (!pipeline) return tl::unexpected(pipeline.error());
  app->pipeline_ = std::move(*pipeline);
  if (resumed) {
    const Faults faults = faults_from_json(*resumed);
    app->pipeline_->mark_crashed(faults);
    for (const auto& [variant, text] : faults)
      app->say(fmt::format("{} crashed the GPU: {}. Started again.", variant, text));
    fs::remove(options.resume);
  }
  // Without a GPU the fast host variant gives a smooth picture; a choice made by hand or remembered is kept.
  Status first;
  app->pipeline_->fill(first);
  const bool remembered = fs::exists(config_folder() / "settings.json");
  if (!first.no_gpu.empty() && !options.settings_given && !remembered)
    app->settings_.lanes[0].variant = "cpu_separable";

  const std::string given = app->settings_.source.path;
  if (given.ends_with(".json")) app->settings_.source.path.clear();
  Result<void> opened;
  if (!given.empty() && app->settings_.source.camera.empty()) {
    opened = app->open(given, app->settings_.source.percent);
  } else if (!options.settings_given && !remembered) {
    app->settings_.source.path = (shared_folder() / "assets" / "harbour.png").string();
    app->ui_.show_welcome = true;
  }
  if (opened) opened = app->bring_first_picture();
  if (!opened && options.settings_given) return tl::unexpected(opened.error());
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
}

// A lane's picture where the panels left room for it.
ImageDraw App::seen(const DisplayTexture& texture, const LaneArea& area, const ViewTransform& transform) const {
  const ImVec2 density = ImGui::GetIO().DisplayFramebufferScale;
  const ViewArea &view = area.view, &visible = area.visible;
  const Point2 corner = corner_in_source(texture.size(), status_.source_size);
  const Vec2 origin =
      transform.screen_at_image({static_cast<float>(corner.x), static_cast<float>(corner.y)},
                                {view.left - visible.left + view.width / 2, view.top - visible.top + view.height / 2});
  // From one screen pixel per image pixel on, image pixels begin on whole screen pixels.
  const auto snapped = [&](float v) { return transform.zoom >= 1 ? std::round(v) : v; };
  return {.texture = texture.name(),
          .image = texture.size(),
          .grey = info(texture.type()).channels == 1,
          .area = {visible.left * density.x, visible.top * density.y, visible.width * density.x,
                   visible.height * density.y},
          .origin_x = snapped(origin.x * density.x),
          .origin_y = snapped(origin.y * density.y),
          .zoom = transform.zoom * density.x};
}

void App::draw_difference(Size2 framebuffer) {
  const DisplayTexture &a = pipeline_->texture(0), &b = pipeline_->texture(1);
  status_.no_difference.clear();
  status_.metrics.reset();
  if (!status_.lanes[0].has_picture || !status_.lanes[1].has_picture)
    status_.no_difference = "waiting for both pictures";
  else if (a.size() != b.size())
    status_.no_difference = fmt::format("A is {}x{}, B is {}x{}: no difference", a.size().width, a.size().height,
                                        b.size().width, b.size().height);
  else if (info(a.type()).channels != info(b.type()).channels)
    status_.no_difference = "One is a colour picture, the other is luma: choose formats alike";
  if (!status_.no_difference.empty() || ui_.areas[0].view.width < 1) return;
  const ImVec4 hatch = palette(*applied_theme_).fault;
  renderer_->draw_difference(seen(a, ui_.areas[0], ui_.view),
                             {.other = b.name(),
                              .maps = colour_maps_.name(),
                              .settings = settings_.difference,
                              .hatch = {hatch.x, hatch.y, hatch.z}},
                             framebuffer);
}

// A graphics processor does a large picture in a frame; a CPU that draws takes a little of it with every frame.
int App::groups_a_frame() const {
  return status_.no_gpu.empty() ? 4096 : 32;
}

void App::measure_difference() {
  if (!status_.no_difference.empty() || !settled()) return;
  if (status_.moves() && !status_.no_gpu.empty()) return;  // it would be of many frames, a little of each
  const DisplayTexture &a = pipeline_->texture(0), &b = pipeline_->texture(1);
  const MetricsJob job{.a = a.name(),
                       .b = b.name(),
                       .size = a.size(),
                       .channels = info(a.type()).channels == 1 ? 1 : 3,
                       .tolerance = settings_.difference.threshold,
                       .generation = status_.lanes[0].picture + (status_.lanes[1].picture << 32)};
  metrics_->advance(job, groups_a_frame());
  status_.metrics = metrics_->result(job);
}

// Over what the screen shows from black to white, so that what lies beyond is seen to be lost.
void App::measure_histogram() {
  const LaneStatus& lane = status_.lanes[0];
  if (!lane.has_picture) return;
  const DisplayTexture& texture = pipeline_->texture(0);
  const auto [gain, zero] = shown_range(lane);
  histogram_->advance({.texture = texture.name(),
                       .size = texture.size(),
                       .channels = info(texture.type()).channels == 1 ? 1 : 3,
                       .low = -zero / gain,
                       .high = (1 - zero) / gain,
                       .generation = lane.picture},
                      groups_a_frame());
  status_.histogram = histogram_->result();
}

// Values are multiplied by the first and the second is added: then 0 is black and 1 is white.
std::pair<float, float> App::shown_range(const LaneStatus& lane) const {
  const DisplaySettings& display = settings_.display;
  return {std::exp2(display.exposure) * (lane.centred ? 0.5f : 1.0f), display.offset + (lane.centred ? 0.5f : 0.0f)};
}

// reference: drawn in the lane's place, when not null.
void App::draw_lane(int index, const DisplayTexture* reference, Size2 framebuffer) {
  LaneStatus& lane = status_.lanes[index];
  if (ui_.areas[index].view.width < 1 || !lane.has_picture) return;
  const DisplayTexture& texture = reference ? *reference : pipeline_->texture(index);
  const DisplaySettings& display = settings_.display;
  lane.centred =
      display.range == DisplayRange::centred || (display.range == DisplayRange::automatic && status_.taps &&
                                                 lies_around_zero(*status_.taps, pipeline_->texture(index).type()));
  ImageDraw draw = seen(texture, ui_.areas[index], ui_.view_of(index));
  std::tie(draw.gain, draw.zero) = shown_range(lane);
  draw.srgb = display.srgb;
  draw.gamma = display.gamma;
  draw.channels = display.channels;
  renderer_->draw(draw, framebuffer);
}

// Under the panels: the viewport window is transparent where these are.
void App::draw_pictures() {
  const ImDrawData& panels = *ImGui::GetDrawData();  // what they were laid out for
  const Size2 framebuffer{static_cast<int>(panels.DisplaySize.x * panels.FramebufferScale.x),
                          static_cast<int>(panels.DisplaySize.y * panels.FramebufferScale.y)};
  const ImVec4 ground = palette(*applied_theme_).background;
  glDisable(GL_SCISSOR_TEST);
  glViewport(0, 0, framebuffer.width, framebuffer.height);
  glClearColor(ground.x, ground.y, ground.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  if (draw_timer_.begin(traces()) && traces()) trace_->await();
  if (settings_.view == ViewMode::difference) {
    draw_difference(framebuffer);
  } else {
    const DisplayTexture* reference = ui_.holds_reference ? pipeline_->reference(settings_) : nullptr;
    status_.has_reference = reference != nullptr;
    for (int i = 0; i < max_lanes; ++i) draw_lane(i, reference, framebuffer);
  }
  draw_timer_.end();
  if (settings_.view == ViewMode::difference) measure_difference();
  if (std::exchange(ui_.wants_histogram, false)) measure_histogram();
  if (const auto drawn = draw_timer_.poll()) {
    draw_ms_.add(drawn->ms);
    if (drawn->began && trace_)
      trace_->came({.title = "draw", .by = TracedBy::graphics}, *drawn->began, {0, drawn->ms});
  }
}

// The pixel of this texture, once it has been read; null meanwhile.
const HostImage* App::TexelReading::at(const DisplayTexture& texture, Point2 pixel) {
  if (auto read = probe.poll()) texel = std::move(*read);
  const bool here = texel && texel->at == pixel && texel->image.type == texture.type();
  // Each frame while the place changes, else often enough to follow a picture that does.
  if (!here || ImGui::GetFrameCount() % 8 == 0) probe.request(texture.name(), texture.type(), pixel);
  return here ? &texel->image : nullptr;
}

void App::update_cursor() {
  status_.cursor.clear();
  if (!ui_.hovered && !ui_.picked) return;
  const Point2 pixel = ui_.hovered ? ui_.pixel : *ui_.picked;
  status_.cursor = fmt::format("{}x {:4} y {:4}", ui_.hovered ? "" : "picked ", pixel.x, pixel.y);
  for (int i = 0; i < max_lanes; ++i) {
    if (i > 1 && i != ui_.hovered_lane) continue;
    const DisplayTexture& texture = pipeline_->texture(i);
    const Size2 size = texture.size();
    const Point2 corner = corner_in_source(size, status_.source_size);
    const Point2 at{pixel.x - corner.x, pixel.y - corner.y};
    if (!status_.lanes[i].active || !status_.lanes[i].has_picture || at.x < 0 || at.y < 0 || at.x >= size.width ||
        at.y >= size.height)
      continue;
    const HostImage* texel = readings_[i].cursor.at(texture, at);
    status_.cursor += fmt::format("   {} {}", static_cast<char>('A' + i), texel ? value_text(*texel) : "–");
  }
}

// The pixels that can be seen, where they are large enough for figures in them.
void App::update_pixels() {
  for (int i = 0; i < max_lanes; ++i) {
    const ViewArea& area = ui_.areas[i].view;
    const bool wanted = settings_.display.pixel_grid && ui_.view.zoom >= ViewTransform::values_zoom &&
                        area.width >= 1 && status_.lanes[i].has_picture &&
                        (settings_.view != ViewMode::difference || status_.no_difference.empty());
    if (!wanted) {
      status_.pixels[i].reset();
      continue;
    }
    Readings& probe = readings_[i];
    if (auto pixels = probe.visible.poll()) status_.pixels[i] = std::move(*pixels);
    const DisplayTexture& texture = pipeline_->texture(i);
    const Point2 corner = corner_in_source(texture.size(), status_.source_size);
    const Vec2 middle{area.left + area.width / 2, area.top + area.height / 2};
    const ViewTransform view = ui_.view_of(i);
    const Vec2 from = view.image_at_screen({area.left, area.top}, middle);
    const Vec2 to = view.image_at_screen({area.left + area.width, area.top + area.height}, middle);
    const auto within = [](float v, int most) { return std::clamp(static_cast<int>(std::floor(v)), 0, most); };
    const Size2 size = texture.size();
    const Point2 first{within(from.x - corner.x, size.width - 1), within(from.y - corner.y, size.height - 1)};
    const Point2 last{within(to.x - corner.x, size.width - 1), within(to.y - corner.y, size.height - 1)};
    probe.visible.request(texture.name(), texture.type(), first, {last.x - first.x + 1, last.y - first.y + 1});
  }
}

void App::update_inspection() {
  status_.inspection.reset();
  status_.inspected = {};
  if (!std::exchange(ui_.wants_inspection, false)) return;
  const auto none = [&](std::string_view why) { status_.no_inspection = why; };
  const bool pinned = ui_.inspected_pin >= 0;
  if (!pinned && !ui_.hovered && !ui_.picked) return none("Point at a pixel of the picture, or click one to keep it.");
  if (!picture_ || !status_.taps) return none("No filter.");
  if (status_.moves()) return none("Pause the source (P) to take a pixel apart.");
  if (!status_.taps->chain.empty() || settings_.iterations > 1)
    return none("A chain of filters: the inspector takes a single one apart.");
  const Point2 pixel = pinned ? ui_.pins[ui_.inspected_pin] : ui_.hovered ? ui_.pixel : *ui_.picked;
  const ConvSettings job = conv_settings(settings_.lanes[0], settings_, status_.taps);
  const Size2 result = target_size(picture_->size, status_.taps->radius(), settings_.border);
  const Point2 corner = corner_in_source(result, picture_->size);
  const Point2 at{pixel.x - corner.x, pixel.y - corner.y};
  if (at.x < 0 || at.y < 0 || at.x >= result.width || at.y >= result.height)
    return none("Valid padding has no result here.");
  status_.inspection =
      inspect(*pipeline_->source_in(job.format), *status_.taps, settings_.border, outside_of(job), pixel);
  for (int i = 0; i < 2; ++i) {
    const PixelType type = pipeline_->texture(i).type();
    const bool alike = (info(type).channels == 1) == (status_.inspection->channels == 1);
    if (!status_.lanes[i].active || !status_.lanes[i].has_picture || !alike || pipeline_->texture(i).size() != result)
      continue;
    const HostImage* texel = readings_[i].inspected.at(pipeline_->texture(i), at);
    if (!texel) continue;
    auto& values = status_.inspected[i].emplace();
    for (int c = 0; c < status_.inspection->channels; ++c)
      values[c] = static_cast<double>(texel->channel(0, c)) / info(type).one * info(job.format).one;
  }
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
  status_.draw_ms = draw_ms_.summary();
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
  const Result<void> saved = save_picture(*view, path);
  say(saved ? fmt::format("Saved {}", path) : saved.error().text);
}

void App::copy_view() {
  const std::optional<Picture> view = drawn_view();
  if (!view) return say("The view is too small to be copied.");
  const fs::path file = fs::temp_directory_path() / fmt::format("convoscope-copy-{}.png", getpid());
  const Result<void> saved = save_picture(*view, file.string());
  if (!saved) return say(saved.error().text);
  const bool copied = copy_to_desktop(file.string());
  std::error_code ignored;
  fs::remove(file, ignored);
  say(copied
          ? "Copied the view"
          : "The clipboard takes pictures by xclip, or wl-copy under Wayland: install it, or save the view (Ctrl+S).");
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
              frame.decoded, start);
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
  update_cursor();
  update_pixels();
  update_inspection();
  ImGui_ImplOpenGL3_NewFrame();
  if (window_->take_resized() || start - inquired_ >= inquiry_period) {
    inquired_ = start;
    ImGui_ImplGlfw_NewFrame();
  }
  ImGui::GetIO().DeltaTime = std::max(elapsed_ms / 1000, 1e-5f);  // the backend's is since it was asked
  ImGui::NewFrame();
  draw_panels();
  for (const Command& command : std::exchange(commands_, {})) execute(command);
  update_source();
  update_history();
  ImGui::Render();
  const Clock::time_point draw = Clock::now();
  panels_ms_.add(ms_between(panels, draw));

  draw_pictures();
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
