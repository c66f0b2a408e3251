// Where the picture comes from: files, patterns, and what moves.
#include <fmt/format.h>

#include <algorithm>

#include "app/shell/app.h"

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t most_recent = 10;
constexpr auto patience_at_start = std::chrono::milliseconds(5000);

}  // namespace

Result<void> App::open(const std::string& path, int percent) {
  const auto refuse = [this](const Error& error) {
    say(error.text);
    return tl::unexpected(error);
  };
  if (path.empty()) return refuse({"Type the path of a picture, a video, a folder or a session, then press Enter."});
  if (path.ends_with(".json")) return open_session({.path = path});
  // Whole, so that it is found again from wherever the program is started next.
  std::error_code error;
  const std::string whole = is_generator(path) ? path : fs::absolute(path, error).lexically_normal().string();
  if (error)
    return refuse({fmt::format("{}: the current folder is gone: {}. Type the whole path", path, error.message())});
  SourceSettings& source = settings_.source;
  source.path = whole;
  source.camera.clear();
  source.percent = percent;
  loader_.open(source);
  return {};
}

// Follows a source that a panel or undo has changed.
void App::update_source() {
  if (loader_.said() != settings_.source) loader_.open(settings_.source);
}

// What has come of it. The error has been said.
Result<void> App::take_source() {
  const auto news = loader_.poll(playback(), !ui_.holds_reference);  // the reference takes longer than a frame
  if (!news) return {};
  if (!*news) {
    const SourceLoader::Refusal& refusal = news->error();
    say(refusal.text);
    ui_.toast.offer_path = refusal.path;
    ui_.toast.offer_percent = refusal.percent_that_fits;
    take_back_source();
    return failure(refusal.text);
  }
  const SourceLoader::Arrival& arrival = **news;
  if (arrival.session) settings_ = arrival.session->session.settings;
  if (!arrival.next) {
    ui_.toast.offer_percent = 0;  // of another file
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

// The program begins with its picture, where that is a file that answers soon, and with its session.
Result<void> App::bring_first_picture() {
  update_source();
  const Clock::time_point start = Clock::now();
  while (loader_.holds_up() && Clock::now() - start < patience_at_start) {
    if (Result<void> taken = take_source(); !taken) return taken;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!picture_) show(loader_.meanwhile(settings_.source.pattern_size));
  return {};
}

// Seen whole; pixels picked in the last picture mean nothing in this one. But for the same source read again.
void App::show(const SourceLoader::Arrival& arrival) {
  const bool alike = (arrival.next || arrival.again) && picture_->size == arrival.picture->size;
  picture_ = arrival.picture;
  if (alike && arrival.next) return pipeline_->set_frame(picture_);
  pipeline_->set_source(picture_);
  if (alike) return;
  ui_.path_text = loader_.shown()->path;
  ui_.picked.reset();
  ui_.pins.clear();
  ui_.inspected_pin = -1;
  ui_.view.fitted = true;
}

// Files that come with the program are at hand anyway.
void App::remember(const std::string& path) {
  const bool sample =
      std::any_of(status_.samples.begin(), status_.samples.end(), [&](const Sample& row) { return row.path == path; });
  if (path.empty() || sample || is_pasted(path)) return;
  std::vector<std::string>& recent = preferences_.recent;
  std::erase(recent, path);
  recent.insert(recent.begin(), path);
  if (recent.size() > most_recent) recent.resize(most_recent);
}

void App::take_pasted() {
  const std::shared_ptr<const Pasted> pasted = paste_.answer();
  if (!pasted || pasted->ticket == pasted_) return;
  pasted_ = pasted->ticket;
  if (!pasted->error.empty()) return say(pasted->error);
  settings_.source = {.path = loader_.keep(pasted->picture)};
  loader_.open(settings_.source);
}

void App::give_up_opening() {
  loader_.give_up();
  take_back_source();
}

// The source is again what it was before one that cannot be opened, also for undo.
void App::take_back_source() {
  settings_.source = seen_.source = loader_.said().value_or(SourceSettings{});
  while (!undo_.empty() && undo_.back() == settings_) undo_.pop_back();
}

Playback App::playback() const {
  return {settings_.playback.speed, settings_.playback.loops, settings_.transfer.pinned, pipeline_->device_generation(),
          settings_.transfer.as_yuv && pipeline_->takes_yuv()};
}

// Frames have no alpha of their own.
std::optional<Picture> App::result_of_a() {
  const std::optional<HostImage> result = pipeline_->result(0);
  if (!result) return std::nullopt;
  return to_picture(*result, loader_.feed() ? 3 : picture_->channels, picture_->storage);
}

void App::record_result() {
  if (!recording_) return;
  const RecordingStatus status = recording_->status();
  if (status.ended) {
    say(status.error.empty() ? fmt::format("Recorded {} frames to {}", status.written, status.path) : status.error);
    recording_.reset();
    return;
  }
  const LaneStatus& lane = status_.lanes[0];
  if (!lane.settled || lane.frame == recorded_) return;
  recorded_ = lane.frame;
  if (std::optional<Picture> result = result_of_a()) {
    const double shown_s = std::chrono::duration<double>(frame_start_.time_since_epoch()).count();
    recording_->add(std::move(*result), shown_s);
  }
}
