#include "app/shell/source_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/live/kernel_check.h"
#include "app/live/kernel_twin.h"
#include "app/live/own_kernels.h"
#include "app/measure/bench_json.h"
#include "app/model/session_source.h"
#include "app/model/settings_file.h"
#include "app/ui/panels/panels.h"
#include "kernels/core/file.h"
#include "kernels/core/registry.h"

namespace conv {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto patience_at_start = std::chrono::milliseconds(5000);

}  // namespace

SourceControl::SourceControl(AppState& state, Pipeline& pipeline, SessionRights rights)
    : state_(state),
      pipeline_(pipeline),
      rights_(rights),
      loader_([this] { return FeedOptions{.playback = playback(), .pin = pipeline_.page_locking()}; }) {}

tl::unexpected<Error> SourceControl::refuse(const Error& error) {
  state_.say_unopened(error.text);
  return tl::unexpected(error);
}

Result<void> SourceControl::open(const std::string& path, int percent) {
  if (path.empty())
    return refuse(
        {"Type the path of a picture, a video, a folder, a session, results, a lesson or a bundle, then press Enter."});
  if (is_bundle(path)) return open_bundle(path);
  const std::string ending = ending_of(path);
  if (ending == ".md") {
    state_.ui.wants.lesson_file = LessonFileQuestion{path};
    state_.ui.shown.lesson = true;
    return {};
  }
  if (ending == ".json") {
    if (!is_results_file(path)) return open_session({.path = path});
    state_.ui.wants.results = ResultsQuestion{path};
    state_.ui.shown.bench = true;
    return {};
  }
  // As an absolute path, so that the next start finds it from any folder.
  std::error_code error;
  const std::string whole = is_generator(path) ? path : fs::absolute(path, error).lexically_normal().string();
  if (error)
    return refuse({fmt::format("{}: the current folder does not exist any more: {}. Type the whole path", path,
                               error.message())});
  SourceSettings& source = state_.settings.source;
  source.path = whole;
  source.camera.clear();
  source.percent = percent;
  loader_.open(source);
  return {};
}

// Its kernels wait in the editor as text.
Result<void> SourceControl::open_bundle(const std::string& path) {
  const Result<BundleContents> contents = contents_of(path);
  if (!contents) return refuse(contents.error());
  std::string offered, unknown;
  int unknown_ones = 0;
  for (const std::string& kernel : contents->kernels) {
    const std::string file = kernel_file_named(fs::path(kernel).filename().string());
    if (file.empty()) {
      if (++unknown_ones == 1) unknown = fmt::format("\n{} belongs to no variant of this program", kernel);
      continue;
    }
    const Result<std::string> text = read_any_file(fs::path(path) / kernel, most_kernel_bytes);
    if (!text) return refuse(text.error());
    CodeView& code = state_.ui.panels.code;
    code.edit.offered[file] = {fs::path(path).filename().string(), *text};
    state_.ui.shown.code = code.shows_edit = true;
    offered += (offered.empty() ? "" : ", ") + fs::path(kernel).stem().string();
  }
  if (unknown_ones > 1) unknown += fmt::format(" (and {} more)", unknown_ones - 1);
  if (!offered.empty())
    offered =
        fmt::format("\nIt has kernels that have not run: {}. To see one, choose its variant, then Code, Edit", offered);
  if (!contents->kernels.empty())
    state_.say(fmt::format("{}{}{}", fs::path(path).filename().string(), offered, unknown));
  return contents->document.empty() ? Result<void>() : open((fs::path(path) / contents->document).string(), 100);
}

void SourceControl::follow_settings() {
  if (loader_.said() != state_.settings.source) loader_.open(state_.settings.source);
}

void SourceControl::reload() {
  if (!state_.settings.source.path.empty()) loader_.open(state_.settings.source);
}

void SourceControl::paste() {
  paste_.start(++pastes_);
}

void SourceControl::take_arrivals() {
  arrived_.reset();
  static_cast<void>(take_arrival());  // it reports errors itself
  take_pasted();
}

// Applies what the loader has brought. Errors have been reported.
Result<void> SourceControl::take_arrival() {
  const auto news = loader_.poll(
      playback(), !state_.ui.compare.holds_reference);  // computing the reference takes longer than a frame
  if (!news) return {};
  if (!*news) {
    const SourceRefusal& refusal = news->error();
    state_.say_unopened(refusal.text);
    state_.ui.toast.offer_path = refusal.path;
    state_.ui.toast.offer_percent = refusal.percent_that_fits;
    take_back();
    return failure(refusal.text);
  }
  const SourceArrival& arrival = **news;
  if (arrival.session) {
    state_.settings = arrival.session->session.settings;
    if (state_.ui.panels.lesson.taught()) state_.ui.panels.lesson.end();
  }
  if (!arrival.next) {
    state_.ui.toast.offer_percent = 0;  // it belonged to another file
    remember(loader_.shown()->path);
  }
  if (arrival.frame) {
    arrived_ = arrival.frame;
    wait_ms_.add(arrived_->wait_ms);
    decode_ms_.add(arrived_->decode_ms);
  }
  show(arrival);
  if (arrival.session) take_view(arrival.session->session.view);
  return {};
}

Result<void> SourceControl::bring_first_picture() {
  follow_settings();
  const Clock::time_point start = Clock::now();
  while (loader_.holds_up() && Clock::now() - start < patience_at_start) {
    CONV_TRY(take_arrival());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!picture_) show(loader_.meanwhile(state_.settings.source.pattern_size));
  return {};
}

// Shows the whole picture; pixels picked in the last picture are dropped. Not if the same source was read again.
void SourceControl::show(const SourceArrival& arrival) {
  const bool alike = (arrival.next || arrival.again) && picture_->size == arrival.picture->size;
  picture_ = arrival.picture;
  if (alike && arrival.next) return pipeline_.set_frame(picture_);
  pipeline_.set_source(picture_);
  if (alike) return;
  state_.ui.path_text = loader_.shown()->path;
  state_.ui.probe.forget_pixels();
  state_.ui.probe.pins.clear();
  state_.ui.probe.inspected_pin = -1;
  state_.ui.view.fitted = true;
}

// Files that come with the program can always be opened again.
void SourceControl::remember(const std::string& path) {
  const bool sample = std::any_of(state_.status.source.samples.begin(), state_.status.source.samples.end(),
                                  [&](const Sample& row) { return row.path == path; });
  if (path.empty() || sample || is_pasted(path) || state_.ui.panels.lesson.taught()) return;
  std::vector<std::string>& recent = state_.preferences.recent;
  std::erase(recent, path);
  recent.insert(recent.begin(), path);
  if (recent.size() > max_recent) recent.resize(max_recent);
}

void SourceControl::take_pasted() {
  const std::shared_ptr<const Pasted> pasted = paste_.answer();
  if (!pasted || pasted->ticket == pasted_) return;
  pasted_ = pasted->ticket;
  if (!pasted->error.empty()) return state_.warn(pasted->error);
  state_.settings.source = {.path = loader_.keep(pasted->picture)};
  loader_.open(state_.settings.source);
}

void SourceControl::give_up_opening() {
  loader_.give_up();
  take_back();
}

// Restores the source from before one that cannot be opened, also for undo.
void SourceControl::take_back() {
  state_.settings.source = loader_.said().value_or(SourceSettings{});
  state_.history.take_back_source(state_.settings);
}

Playback SourceControl::playback() const {
  const Settings& settings = state_.settings;
  return {settings.playback.speed, settings.playback.loops, settings.transfer.pinned, pipeline_.device_generation(),
          settings.transfer.as_yuv && pipeline_.takes_yuv()};
}

SourceSettings SourceControl::to_remember() const {
  const auto& before_lesson = state_.ui.panels.lesson.before;
  const SourceSettings source = before_lesson        ? before_lesson->source
                                : loader_.holds_up() ? *loader_.shown()
                                                     : state_.settings.source;
  return is_pasted(source.path) ? SourceSettings{} : source;
}

void SourceControl::report(SourceStatus& status, bool times) const {
  status.feed = feed() ? std::optional(feed()->status()) : std::nullopt;
  status.opening = loader_.opening();
  if (!times) return;
  if (feed()) status.link_rate = pipeline_.link_rate();
  status.wait_ms = wait_ms_.summary();
  status.decode_ms = decode_ms_.summary();
}

std::string SourceControl::session_text(const std::filesystem::path& file) const {
  SourceSettings source = state_.settings.source;
  if (is_pasted(source.path)) source = {};
  if (!file.empty()) source.path = path_for_session(source.path, file);
  return session_with(std::move(source));
}

std::string SourceControl::session_with(SourceSettings source) const {
  Settings settings = state_.settings;
  settings.source = std::move(source);
  return session_to_json(
      settings, {.centre = {static_cast<int>(state_.ui.view.centre.x), static_cast<int>(state_.ui.view.centre.y)},
                 .zoom = state_.ui.view.zoom,
                 .fitted = state_.ui.view.fitted,
                 .wipe_at = state_.ui.compare.wipe.at,
                 .wipe_level = state_.ui.compare.wipe.level,
                 .pins = state_.ui.probe.pins,
                 .panels = state_.ui.shown.open_ones()});
}

Result<BundledFiles> SourceControl::session_bundle() const {
  SourceSettings source = state_.settings.source;
  BundledFiles files{{.name = "session.json", .bytes = {}, .from = {}}};
  if (!source.camera.empty() || is_pasted(source.path) || (!source.path.empty() && source.moves()))
    return failure("a bundle holds one picture from a file. Open one, or save the session as .json");
  if (!source.path.empty()) source.path = add_picture(files, source.path);
  files.front().bytes = session_with(source);
  for (const LaneSettings& lane : state_.settings.lanes) {
    const CodeStatus& code = state_.status.code;
    const Variant* variant = find_variant(lane.variant);
    const std::string file = variant ? kernel_file_of(*variant) : "";
    const std::string name = fs::path(file).filename().string();
    const bool added = std::ranges::find(files, name, &BundledFile::name) != files.end();
    if (code.edited_here.contains(file) && code.kernels && !added)
      files.push_back({.name = name, .bytes = code.kernels->files.at(file), .from = {}});
  }
  return files;
}

// What was there remains, also as an undo step, until the whole session is known to be valid.
Result<void> SourceControl::open_session(const command::OpenSession& asked) {
  using Outside = command::OpenSession::OutsidePicture;
  using State = SessionPicture::State;
  const std::string file = std::filesystem::path(asked.path).filename().string();
  const auto refuse_session = [&](const std::string& why) { return refuse({fmt::format("{}: {}", file, why)}); };
  const Result<std::string> text = read_any_file(asked.path, max_session_bytes);
  if (!text) return refuse_session(text.error().text);
  Result<Session> session = session_from_json(*text);
  if (!session) return refuse_session(session.error().text);
  SourceSettings& source = session->settings.source;
  const SessionPicture picture = resolve_picture(source, asked.path);
  const bool leads_out = picture.state == State::leads_out;
  // The file may have changed since the user agreed.
  const bool agreed = rights_.trusts || (asked.outside == Outside::open && asked.agreed == picture.path);
  const bool asks = leads_out && !agreed && asked.outside != Outside::leave;
  if (asks && rights_.unattended)
    return refuse_session(fmt::format("its picture is outside its folder: {}. Use --trust to open it", picture.path));
  if (asks) {
    state_.ui.question = {"Open this picture?",
                          fmt::format("{} names a picture outside its own folder:\n{}", file, picture.path),
                          "Open it",
                          "Settings only",
                          command::OpenSession{asked.path, Outside::open, picture.path},
                          command::OpenSession{asked.path, Outside::leave}};
    return {};
  }
  if (!picture.note.empty()) state_.warn(fmt::format("{}: {}", file, picture.note));
  for (const std::string& correction : session->corrections) state_.warn(fmt::format("{}: {}", file, correction));
  if (picture.state == State::missing)
    state_.say_unopened(fmt::format("{}: its picture {} was not found; the settings are used with the current picture",
                                    file, picture.path));
  if (picture.state == State::missing || (leads_out && asked.outside == Outside::leave))
    source = state_.settings.source;
  loader_.open(state_.settings.source, NamedSession{file, std::move(*session)});
  return {};
}

void SourceControl::take_view(const SessionView& view) {
  state_.ui.view.fitted = view.fitted;
  if (!view.fitted) go_to(state_.ui, view.centre, view.zoom);
  state_.ui.shown.open(view.panels);  // a race is not started: its panel has a button
  state_.ui.probe.forget_pixels();
  state_.ui.compare.wipe = {view.wipe_at, view.wipe_level};
  state_.ui.probe.pins.clear();
  for (const Point2 pin : view.pins)
    if (pin.x >= 0 && pin.y >= 0 && pin.x < picture_->size.width && pin.y < picture_->size.height &&
        state_.ui.probe.pins.size() < most_pins)
      state_.ui.probe.pins.push_back(pin);
}

}  // namespace conv
