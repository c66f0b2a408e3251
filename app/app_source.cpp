// Where the picture comes from: files, patterns, and what moves.
#include <fmt/format.h>

#include <algorithm>

#include "app/app.h"

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t most_recent = 10;
constexpr auto watch_period = std::chrono::milliseconds(500), patience_at_start = std::chrono::milliseconds(5000);

ReadStill read_still(const SourceSettings& source) {
  const fs::path path = source.path;
  std::error_code none;
  ReadStill still{.time = fs::last_write_time(path, none)};
  Result<Picture> picture = load_picture(path, source.percent);
  if (picture) {
    still.picture = std::make_shared<const Picture>(std::move(*picture));
  } else {
    still.error = picture.error().text;
    still.percent_that_fits = percent_that_fits(path);
  }
  return still;
}

}  // namespace

Result<void> App::open(const std::string& path, int percent) {
  if (path.ends_with(".json")) return open_session(path);
  SourceSettings& source = settings_.source;
  // Whole, so that it is found again from wherever the program is started next.
  source.path = is_generator(path) ? path : fs::absolute(path).lexically_normal().string();
  source.camera.clear();
  source.percent = percent;
  if (source == opened_) opened_ = {};  // once more, as if it were another one
  return {};
}

void App::ask_for_still(const SourceSettings& source, std::optional<NamedSession> session) {
  opening_.reset();
  pending_view_.reset();
  std::packaged_task<ReadStill()> read([source] { return read_still(source); });
  still_ = StillJob{source, read.get_future(), std::move(session), Clock::now()};
  std::thread(std::move(read)).detach();
}

// Takes the picture that is being read, once it is. What was there stays when it cannot be.
Result<void> App::update_still() {
  if (!still_ || still_->read.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return {};
  StillJob job = std::move(*still_);
  still_.reset();
  const ReadStill read = job.read.get();
  if (!read.picture) {
    const Error error{job.session ? fmt::format("{}: its picture cannot be read: {}", job.session->file, read.error)
                                  : read.error};
    say(error.text);
    ui_.toast.offer_path = job.source.path;
    ui_.toast.offer_percent = read.percent_that_fits;
    give_up_opening();
    return tl::unexpected(error);
  }
  ui_.toast.offer_percent = 0;
  if (job.session) settings_ = job.session->session.settings;
  file_time_ = read.time;
  show_still(read.picture, job.source);
  if (job.session) take_view(job.session->session.view);
  return {};
}

Result<void> App::finish_opening() {
  if (!still_) update_source();
  for (const Clock::time_point start = Clock::now(); still_ && Clock::now() - start < patience_at_start;) {
    if (Result<void> opened = update_still(); !opened) return opened;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!picture_) show_meanwhile();
  return {};
}

// Before the first picture of a source.
void App::show_meanwhile() {
  const SourceSettings meanwhile{.pattern_size = settings_.source.pattern_size};
  show(std::make_shared<const Picture>(make_pattern(meanwhile.pattern, meanwhile.pattern_size)), meanwhile);
}

// Seen whole; pixels picked in the last picture mean nothing in this one. But for the same source read again.
void App::show(std::shared_ptr<const Picture> picture, const SourceSettings& source) {
  if (picture_ && shown_ == source && picture_->size == picture->size) {
    picture_ = std::move(picture);
    return pipeline_->set_source(picture_);
  }
  shown_ = source;
  ui_.path_text = source.path;
  ui_.picked.reset();
  ui_.pins.clear();
  ui_.inspected_pin = -1;
  picture_ = std::move(picture);
  pipeline_->set_source(picture_);
  ui_.view.fitted = true;
}

void App::show_still(std::shared_ptr<const Picture> picture, const SourceSettings& source) {
  feed_.reset();
  opening_.reset();
  pending_view_.reset();
  opened_ = source;
  remember_source();
  show(std::move(picture), opened_);
}

// Follows a source that a panel or undo has changed.
void App::update_source() {
  const SourceSettings& source = settings_.source;
  if (picture_ && opened_ == source) return;
  if (source.moves()) {
    opened_ = source;
    start_feed();
    if (!picture_) show_meanwhile();
    return;
  }
  if (!source.path.empty()) {
    opened_ = source;
    return ask_for_still(source);
  }
  still_.reset();
  show_still(std::make_shared<const Picture>(make_pattern(source.pattern, source.pattern_size, source.seed)), source);
}

// Files that come with the program are at hand anyway.
void App::remember_source() {
  const std::string& path = opened_.path;
  const bool sample =
      std::any_of(status_.samples.begin(), status_.samples.end(), [&](const Sample& row) { return row.path == path; });
  if (path.empty() || sample || is_pasted(path)) return;
  std::vector<std::string>& recent = preferences_.recent;
  std::erase(recent, path);
  recent.insert(recent.begin(), path);
  if (recent.size() > most_recent) recent.resize(most_recent);
}

// A picture that another program has written again is read again, once it is whole.
void App::watch_file() {
  const Clock::time_point now = Clock::now();
  if (now - watched_ < watch_period || feed_ || opening_ || still_ || opened_.path.empty()) return;
  watched_ = now;
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(opened_.path, error);
  if (error || time == file_time_ || fs::file_time_type::clock::now() - time < watch_period) return;
  file_time_ = time;
  ask_for_still(opened_);
}

// A file of ours, which ends with the program.
bool App::is_pasted(const std::string& path) const {
  return std::find(pasted_files_.begin(), pasted_files_.end(), path) != pasted_files_.end();
}

void App::take_pasted() {
  const std::shared_ptr<const Pasted> pasted = paste_.answer();
  if (!pasted || pasted->ticket == pasted_) return;
  pasted_ = pasted->ticket;
  if (!pasted->error.empty()) return say(pasted->error);
  pasted_files_.push_back(pasted->path);
  static_cast<void>(open(pasted->path));  // a picture's path is no session's
}

void App::give_up_opening() {
  const bool made_room = shown_.moves() && !feed_ && opened_ != shown_;
  opening_.reset();
  still_.reset();
  pending_view_.reset();
  opened_ = shown_;
  take_back_source();
  if (made_room) start_feed();
}

// The source is again what it was before one that cannot be opened, also for undo.
void App::take_back_source() {
  settings_.source = seen_.source = opened_;
  while (!undo_.empty() && undo_.back() == settings_) undo_.pop_back();
}

Playback App::playback() const {
  return {settings_.playback.speed, settings_.playback.loops, settings_.transfer.pinned,
          pipeline_->device_generation()};
}

void App::start_feed() {
  const SourceSettings& source = opened_;
  opening_.reset();
  still_.reset();
  if (!source.camera.empty() && source.camera == shown_.camera) feed_.reset();  // it serves one at a time
  const std::string name = source.path.empty() ? "The scene" : fs::path(source.path).filename().string();
  FeedOptions options{
      .playback = playback(), .pin = pipeline_->page_locking(), .no_answer = name + " did not answer in time"};
  OpenReader reader;
  if (!source.camera.empty()) {
    options.no_answer = "Camera did not answer (in use?)";
    reader = video({.path = source.camera,
                    .camera = true,
                    .size = source.camera_size,
                    .rate = source.camera_rate,
                    .flip = source.flip});
  } else if (source.path.empty()) {
    reader = moving_scene(source.pattern_size);
  } else {
    reader = stream_of(source.path);
  }
  opening_ = std::make_unique<Feed>(std::move(reader), std::move(options));
}

// Takes the newest frame. A source that does not open leaves the one before as it was.
void App::update_feed() {
  if (opening_) {
    if (const auto frame = opening_->take()) {
      feed_ = std::move(opening_);
      remember_source();
      follow(frame, opened_);
      if (const auto view = std::exchange(pending_view_, std::nullopt)) take_view(*view);
      return;
    }
    if (const FeedStatus status = opening_->status(); status.state == FeedState::failed) {
      say(status.text);
      give_up_opening();
    }
  }
  if (!feed_) return;
  feed_->set(playback());
  if (ui_.holds_reference) return;  // it takes longer than a frame
  if (const auto frame = feed_->take()) follow(frame, shown_);
}

// source: where the frame comes from.
void App::follow(const std::shared_ptr<const Frame>& frame, const SourceSettings& source) {
  arrived_ = frame;
  wait_ms_.add(frame->wait_ms);
  decode_ms_.add(frame->decode_ms);
  const std::shared_ptr<const Picture> picture(frame, &frame->picture);
  if (shown_ != source || picture_->size != picture->size) return show(picture, source);
  picture_ = picture;
  pipeline_->set_frame(picture_);
}

// Frames have no alpha of their own.
std::optional<Picture> App::result_of_a() {
  const std::optional<HostImage> result = pipeline_->result(0);
  if (!result) return std::nullopt;
  return to_picture(*result, feed_ ? 3 : picture_->channels);
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
  if (std::optional<Picture> result = result_of_a()) recording_->add(std::move(*result));
}
