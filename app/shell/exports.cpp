#include "app/shell/exports.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/cli/lesson_file.h"
#include "app/cli/settings_text.h"
#include "app/display/image_renderer.h"
#include "app/live/kernel_twin.h"
#include "app/live/new_variant.h"
#include "app/model/session_source.h"
#include "app/platform/clipboard.h"
#include "kernels/core/file.h"

namespace conv {

namespace {

Result<void> check_free(const AppState& state, const std::string& path) {
  return check_output(path, files_of(state.settings.source), true);
}

// Of a recording of the window, frames per second. GIF counts in hundredths of a second.
constexpr double video_rate = 30, gif_rate = 12.5;

struct Rectangle {
  Point2 from, to;
};

// The rectangle around the lanes, in window pixels; empty if none is drawn.
Rectangle drawn_area(const std::array<LaneArea, max_lanes>& lanes, Size2 window) {
  const ImVec2 density = ImGui::GetIO().DisplayFramebufferScale;
  Rectangle all{{window.width, window.height}, {0, 0}};
  for (const LaneArea& lane : lanes) {
    const ViewArea& area = lane.visible;
    if (area.width < 1) continue;
    all.from = {std::min(all.from.x, static_cast<int>(area.left * density.x)),
                std::min(all.from.y, static_cast<int>(area.top * density.y))};
    all.to = {std::max(all.to.x, static_cast<int>((area.left + area.width) * density.x)),
              std::max(all.to.y, static_cast<int>((area.top + area.height) * density.y))};
  }
  all.to = {std::min(all.to.x, window.width), std::min(all.to.y, window.height)};
  return all;
}

}  // namespace

Picture drawn_window(const AppWindow& window) {
  Picture picture{.size = window.framebuffer_size(), .channels = 3};
  const std::string pixels = read_framebuffer(picture.size);
  picture.levels.assign(pixels.begin(), pixels.end());
  return picture;
}

std::optional<Picture> Exports::drawn_view() const {
  const Picture all = drawn_window(window_);
  const auto [from, to] = drawn_area(state_.ui.areas, all.size);
  if (to.x <= from.x || to.y <= from.y) return std::nullopt;
  Picture view{.size = {to.x - from.x, to.y - from.y}, .channels = 3};
  for (int y = from.y; y < to.y; ++y) {
    const auto row = all.levels.begin() + (static_cast<std::ptrdiff_t>(y) * all.size.width + from.x) * 3;
    view.levels.insert(view.levels.end(), row, row + static_cast<std::ptrdiff_t>(view.size.width) * 3);
  }
  return view;
}

void Exports::take_drawn(std::chrono::steady_clock::time_point frame_start) {
  take_view();
  take_window(frame_start);
}

void Exports::take_view() {
  const std::string path = std::exchange(view_path_, {});
  const bool copies = std::exchange(copies_view_, false);
  if (path.empty() && !copies) return;
  std::optional<Picture> drawn = drawn_view();
  if (!drawn) return state_.warn("The view is too small to be saved or copied.");
  const auto view = std::make_shared<const Picture>(std::move(*drawn));
  if (const Result<void> free = path.empty() ? Result<void>{} : check_free(state_, path); !free)
    state_.warn(free.error().text);
  else if (!path.empty())
    saver_.start({path, fmt::format("Saved {}", path),
                  [=](const OnProgress& progress) { return save_picture(*view, path, progress); }});
  if (copies)
    saver_.start(
        {"the view", "Copied the view", [=](const OnProgress& progress) { return copy_to_desktop(*view, progress); }});
}

void Exports::ask_for_result(Asked asked) {
  take_results(true);  // of the frame before, if it is late
  if (asked_) return state_.warn("The result cannot be read: the graphics driver does not answer.");
  const DisplayTexture& texture = pipeline_.texture(0);
  result_.request(texture.tiled(), texture.type(), {}, texture.size());
  const Picture& source = *source_.picture();
  asked.channels = source_.feed() ? 3 : source.channels;  // frames have no alpha
  asked.storage = source.storage;
  asked_ = std::move(asked);
}

void Exports::take_results(bool waits) {
  if (!asked_) return;
  std::optional<ImagePart> result = result_.poll(waits);
  if (!result) return;
  const Asked asked = *std::exchange(asked_, std::nullopt);
  if (!asked.path.empty()) return save(asked, std::move(result->image));
  if (recording_ && asked.is_window == recording_->of_window())
    recording_->add({std::move(result->image), asked.channels, asked.storage}, asked.shown_s);
}

void Exports::save(const Asked& asked, HostImage result) {
  // 16-bit levels are only for 16-bit pictures: they have no values below 0 or above 1.
  const bool levels = asked.storage == FloatStorage::u16 && ending_of(asked.path) != ".png";
  const FloatStorage storage = levels ? FloatStorage::f32 : asked.storage;
  const auto image = std::make_shared<const HostImage>(std::move(result));
  saver_.start({asked.path, fmt::format("Saved {}", asked.path), [=](const OnProgress& progress) {
                  return save_picture(to_picture(*image, asked.channels, storage), asked.path, progress);
                }});
}

void Exports::save_result(const std::string& path) {
  const LaneStatus& lane = state_.status.lanes[0];
  if (!state_.status.filter.error.empty()) return state_.warn(fmt::format("Not saved: {}", state_.status.filter.error));
  if (!lane.refusal.empty()) return state_.warn(fmt::format("Not saved: lane A cannot run: {}", lane.refusal));
  if (!lane.settled) return state_.warn("Not saved: lane A is still computing. Save again when it is done.");
  if (!lane.has_picture) return state_.warn("Not saved: lane A has no result yet.");
  if (const Result<void> free = check_free(state_, path); !free) return state_.warn(free.error().text);
  ask_for_result({.path = path});
}

void Exports::advance_saving() {
  take_results(false);
  if (const auto outcome = saver_.poll()) *outcome ? state_.say(**outcome) : state_.warn(outcome->error().text);
}

std::optional<SavingStatus> Exports::saving() const {
  if (const auto status = saver_.status()) return status;
  return asked_ && !asked_->path.empty() ? std::optional(SavingStatus{.what = asked_->path}) : std::nullopt;
}

void Exports::complete() {
  if (recording_) {  // what is still being copied is given up: the display may be gone
    if (const std::string error = recording_->complete().error; !error.empty())
      fmt::print(stderr, "convoscope: {}\n", error);
    recording_.reset();
  }
  saver_.finish(std::chrono::milliseconds(500));
  if (const auto left = saving())
    fmt::print(stderr, "convoscope: {} was not saved: the program ended before it was written.\n", left->what);
}

void Exports::save_plot(const std::string& path) {
  const Chart& plot = state_.ui.panels.bench.plot_to_save;
  state_.say_saved(path, check_free(state_, path).and_then([&] { return conv::save_plot(plot, path); }));
}

void Exports::save_kernel(const std::string& path) {
  const OwnKernel& kernel = state_.ui.panels.code.edit.to_export;
  state_.say_saved(path, check_free(state_, path).and_then([&]() -> Result<void> {
    const Variant* own = owner_of(kernel.file);
    return own ? export_variant(path, *own, kernel.text) : failure("no kernel was chosen for the export");
  }));
}

// In the background: pictures can be large.
void Exports::save_bundle(const std::string& path, const Result<BundledFiles>& files) {
  if (!files) return state_.warn(fmt::format("{}: not saved: {}", path, files.error().text));
  std::vector<std::filesystem::path> inputs = files_of(state_.settings.source);
  for (const BundledFile& file : *files)
    for (std::filesystem::path& input : files_of({.path = file.from.string()})) inputs.push_back(std::move(input));
  const Result<void> free = check_output(path, inputs, true);
  if (!free) return state_.warn(free.error().text);
  saver_.start({path, fmt::format("Saved {}", path),
                [path, files = *files](const OnProgress&) { return write_bundle(path, files); }});
}

void Exports::save_session(const std::string& path) {
  if (is_bundle(path)) return save_bundle(path, source_.session_bundle());
  state_.say_saved(path,
                   check_free(state_, path).and_then([&] { return write_file(path, source_.session_text(path)); }));
}

void Exports::save_lesson(const std::string& path) {
  const std::optional<LessonDraft>& draft = state_.ui.panels.lesson.draft;
  if (!draft) return;
  const Result<BundledFiles> files = bundle_of(draft->lesson);
  if (is_bundle(path)) return save_bundle(path, files);
  if (!files) return state_.warn(fmt::format("{}: not saved: {}", path, files.error().text));
  if (files->size() > 1)
    return state_.warn("The lesson shows pictures of your own. Save it as a .zip file: it holds them, too");
  state_.say_saved(path,
                   check_free(state_, path).and_then([&] { return write_file(path, lesson_text(draft->lesson)); }));
}

void Exports::copy_state(command::CopyState::As as) {
  using As = command::CopyState::As;
  const Settings& settings = state_.settings;
  const bool pasted = is_pasted(settings.source.path);
  if (as == As::session) return ImGui::SetClipboardText(source_.session_text({}).c_str());
  if (as == As::link) {
    ImGui::SetClipboardText(link_text(settings, state_.ui.shown.open_ones()).c_str());
    return state_.say("Copied a link. To open it: paste it in a window, or start convoscope with it");
  }
  const Result<std::string> text =
      pasted ? failure("A pasted picture is in no file. Export the result instead") : command_text(settings);
  if (!text) return state_.warn(text.error().text);
  ImGui::SetClipboardText(text->c_str());
  state_.say("Copied. The command computes the result of lane A again");
}

void Exports::start_recording(const std::string& path, double rate, bool of_window) {
  if (recording_) return state_.warn("A recording is under way. Stop it first.");
  if (const Result<void> free = check_free(state_, path); !free) return state_.warn(free.error().text);
  recorded_ = -1;
  rate_ = rate;
  recording_ = std::make_unique<Recording>(path, rate, of_window);
}

void Exports::record(const std::string& path) {
  start_recording(path, source_.feed() ? source_.feed()->status().info.rate : 0, false);
}

void Exports::record_window(const std::string& path) {
  start_recording(path, ending_of(path) == ".gif" ? gif_rate : video_rate, true);
}

void Exports::stop_recording() {
  take_results(true);
  if (recording_) recording_->finish();
}

std::optional<RecordingStatus> Exports::recording() const {
  return recording_ ? std::optional(recording_->status()) : std::nullopt;
}

void Exports::record_frame(std::chrono::steady_clock::time_point frame_start) {
  if (!recording_) return;
  const RecordingStatus status = recording_->status();
  if (status.ended) {
    if (status.error.empty())
      state_.say(fmt::format("Recorded {} frames to {}", status.written, status.path));
    else
      state_.warn(status.error);
    recording_.reset();
    return;
  }
  const LaneStatus& lane = state_.status.lanes[0];
  if (recording_->of_window() || !lane.settled || !lane.has_picture || lane.frame == recorded_) return;
  recorded_ = lane.frame;
  ask_for_result({.shown_s = std::chrono::duration<double>(frame_start.time_since_epoch()).count()});
}

// The frame in which the file was chosen still shows the choice. One whose predecessor is still being copied is left
// out: the window does not wait.
void Exports::take_window(std::chrono::steady_clock::time_point frame_start) {
  if (!recording_ || !recording_->of_window() || asked_) return;
  const double now_s = std::chrono::duration<double>(frame_start.time_since_epoch()).count();
  const auto place = static_cast<long long>(now_s * rate_);
  const Size2 window = window_.framebuffer_size();
  const Size2 even{window.width & ~1, window.height & ~1};  // what video players expect
  if (place == recorded_ || even.area() == 0) return;
  const bool starts = std::exchange(recorded_, place) < 0;
  if (!starts && result_.request_window(even)) asked_ = Asked{.channels = 3, .shown_s = now_s, .is_window = true};
}

}  // namespace conv
