#include "app/sources/feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace conv {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

namespace {

// Frames in use: one is being written, one waits, and readers may hold one each.
constexpr std::size_t most_frames = 12;
constexpr auto late_for_good = std::chrono::seconds(1);
constexpr double longest_gap_s = 60;  // in the stream's time; more is a jump in a damaged or joined file

}  // namespace

struct Feed::Shared {
  OpenReader open;
  FeedOptions options;

  mutable std::mutex mutex;
  std::condition_variable_any changed;
  FeedStatus status;
  std::shared_ptr<Frame> newest;  // not taken yet
  std::vector<std::shared_ptr<Frame>> frames;
  bool paused = false, finished = false;
  bool cannot_rewind = false;  // it failed to start again
  bool wrapped = false;        // it was rewound, and no frame has arrived since
  bool was_sought = false;     // no frame has arrived since a seek
  int steps = 0;
  std::optional<double> sought;
  Clock::time_point opening_since = Clock::now();

  // The stream's time and the clock's time at the same moment.
  struct Anchor {
    double at_s;
    Clock::time_point when;
  };
  std::optional<Anchor> anchor;

  void run(const std::stop_token& stop);
  // Plays until the stream fails or is stopped.
  Result<void> play(FrameReader& reader, const std::stop_token& stop);
  bool wait_for_turn(FrameReader& reader, bool ended, const std::stop_token& stop);
  std::shared_ptr<Frame> free_frame();
  bool hold_until_due(const Frame& frame, double rate, const std::stop_token& stop);
  bool takes_yuv() const {
    const std::lock_guard lock(mutex);
    return options.playback.takes_yuv;
  }
  void pin(Frame& frame);
  void publish(std::shared_ptr<Frame> frame, bool begins, const std::stop_token& stop);
  void set_state(FeedState state, std::string text = "") {
    const std::lock_guard lock(mutex);
    status.state = state;
    status.text = std::move(text);
  }
};

void Feed::Shared::run(const std::stop_token& stop) {
  bool once_open = false;
  while (!stop.stop_requested()) {
    Result<std::unique_ptr<FrameReader>> reader = in_words([&] { return open(stop); });
    if (stop.stop_requested()) break;
    Result<void> played;
    if (reader) {
      {
        const std::lock_guard lock(mutex);
        status.info = (*reader)->info();
        status.state = paused ? FeedState::paused : FeedState::playing;
        status.text.clear();
        anchor.reset();
      }
      once_open = true;
      played = in_words([&] { return play(**reader, stop); });
      reader->reset();  // a device must be closed before it is opened again
    } else {
      played = tl::unexpected(reader.error());
    }
    if (stop.stop_requested()) break;
    const bool comes_back = once_open && [this] {
      const std::lock_guard lock(mutex);
      return status.info.paces_itself;
    }();
    if (!comes_back) {
      set_state(FeedState::failed, played ? "" : played.error().text);
      break;
    }
    set_state(FeedState::lost, "Camera lost, retrying");
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop, options.retry_period, [] { return false; });
  }
  const std::lock_guard lock(mutex);
  finished = true;
  changed.notify_all();
}

// Waits while paused or at the end; seeks. False if it is stopped.
bool Feed::Shared::wait_for_turn(FrameReader& reader, bool ended, const std::stop_token& stop) {
  std::unique_lock lock(mutex);
  const auto may_go = [&] {
    return sought || (!ended && (!paused || steps > 0)) ||
           (ended && options.playback.loops && !cannot_rewind && !paused);
  };
  while (changed.wait(lock, stop, may_go), !stop.stop_requested()) {
    if (!sought && !ended) {
      if (paused) --steps;
      return true;
    }
    wrapped = !sought;
    was_sought = true;
    const double to = sought.value_or(0);
    sought.reset();
    anchor.reset();
    if (paused) steps = 1;  // the frame at the new position is shown
    lock.unlock();
    const Result<void> found = reader.seek(to);
    lock.lock();
    if (!found) status.text = found.error().text;
    if (!found && ended) {
      cannot_rewind = true;
      status.state = FeedState::ended;
      continue;
    }
    ended = false;
    status.state = paused ? FeedState::paused : FeedState::playing;
  }
  return false;
}

Result<void> Feed::Shared::play(FrameReader& reader, const std::stop_token& stop) {
  const StreamInfo info = reader.info();
  long long frames_read = 0;
  bool ended = false;
  while (wait_for_turn(reader, ended, stop)) {
    const std::shared_ptr<Frame> frame = free_frame();
    frame->takes_yuv = takes_yuv();
    const Result<bool> got = reader.next(*frame, stop);
    frame->decoded = Clock::now();
    if (stop.stop_requested()) break;
    if (!got) return tl::unexpected(got.error());
    ended = !*got;
    if (ended) {
      if (info.paces_itself) return failure(fmt::format("{} ended", info.name));
      if (frames_read == 0) return failure(fmt::format("{}: has no frame that can be decoded", info.name));
      const std::lock_guard lock(mutex);
      cannot_rewind = cannot_rewind || wrapped;
      if (!options.playback.loops || cannot_rewind) status.state = FeedState::ended;
      continue;
    }
    ++frames_read;
    const bool begins = [this] {
      const std::lock_guard lock(mutex);
      wrapped = false;
      return std::exchange(was_sought, false);
    }();
    frame->captured = frame->decoding_began();
    frame->picture.name = info.name;
    frame->picture.note = reader.info().note;
    pin(*frame);
    if (!info.paces_itself) {
      if (!hold_until_due(*frame, info.rate, stop)) continue;
      frame->captured = Clock::now();  // it was ready before its time
    }
    publish(frame, begins, stop);
  }
  return {};
}

// A frame that nobody holds; while all are in use, one that is used only once.
std::shared_ptr<Frame> Feed::Shared::free_frame() {
  const std::lock_guard lock(mutex);
  for (const auto& frame : frames)
    if (frame.use_count() == 1) {
      std::atomic_thread_fence(std::memory_order_acquire);  // after the last read of whoever released it
      return frame;
    }
  if (frames.size() < most_frames) return frames.emplace_back(std::make_shared<Frame>());
  return std::make_shared<Frame>();
}

void Feed::Shared::pin(Frame& frame) {
  std::unique_lock lock(mutex);
  const auto page_lock = options.playback.page_locks ? options.pin : nullptr;
  if (std::exchange(frame.pinned_for, options.playback.device) != options.playback.device) frame.pinned.reset();
  lock.unlock();
  if (!page_lock)
    frame.pinned.reset();
  else if (!frame.pinned)
    frame.pinned = page_lock(frame.picture.levels.data(), frame.picture.levels.size());
}

// Waits for the frame's time. False if that has passed: too late to be shown.
bool Feed::Shared::hold_until_due(const Frame& frame, double rate, const std::stop_token& stop) {
  std::unique_lock lock(mutex);
  if (options.playback.speed <= 0 || paused) return true;
  if (!anchor) anchor = {frame.at_s, Clock::now()};
  const auto due = [&] {
    return anchor->when +
           std::chrono::duration_cast<Clock::duration>(Seconds((frame.at_s - anchor->at_s) / options.playback.speed));
  };
  const double period_s = rate > 0 ? 1 / (rate * options.playback.speed) : 0.04;
  const auto late = Clock::now() - due();
  if (Seconds(-late).count() * options.playback.speed > longest_gap_s) {
    anchor = {frame.at_s, Clock::now()};
  } else if (late > late_for_good) {
    anchor = {frame.at_s, Clock::now()};  // this machine is too slow: play slower, so that the delay does not grow
  } else if (late > Seconds(period_s)) {
    ++status.dropped;
    return false;
  }
  const double speed = options.playback.speed;
  changed.wait_until(lock, stop, due(), [&] { return paused || sought || options.playback.speed != speed || !anchor; });
  return true;
}

// begins: the frame of a seek; it is shown even if another seek was requested.
void Feed::Shared::publish(std::shared_ptr<Frame> frame, bool begins, const std::stop_token& stop) {
  std::unique_lock lock(mutex);
  if (sought && !begins) return;
  if (options.playback.speed <= 0 && !status.info.paces_itself)
    changed.wait(lock, stop, [&] { return !newest || options.playback.speed > 0 || sought || paused; });
  if (newest) ++status.dropped;
  status.at_s = frame->at_s;
  status.number = frame->number;
  newest = std::move(frame);
}

Feed::Feed(OpenReader open, FeedOptions options) : shared_(std::make_shared<Shared>()) {
  shared_->open = std::move(open);
  shared_->options = std::move(options);
  thread_ = std::jthread([shared = shared_](const std::stop_token& stop) { shared->run(stop); });
}

Feed::~Feed() {
  thread_.request_stop();
  std::unique_lock lock(shared_->mutex);
  const bool finished =
      shared_->changed.wait_for(lock, std::chrono::milliseconds(200), [this] { return shared_->finished; });
  lock.unlock();
  if (!finished) thread_.detach();
}

std::shared_ptr<const Frame> Feed::take() {
  const std::lock_guard lock(shared_->mutex);
  if (!shared_->newest) return nullptr;
  ++shared_->status.shown;
  shared_->changed.notify_all();
  return std::exchange(shared_->newest, nullptr);
}

FeedStatus Feed::status() const {
  const std::lock_guard lock(shared_->mutex);
  FeedStatus status = shared_->status;
  if (status.state != FeedState::opening) return status;
  const Clock::duration waiting = Clock::now() - shared_->opening_since;
  status.opening_s = Seconds(waiting).count();
  if (waiting > shared_->options.open_limit) {
    status.state = FeedState::failed;
    status.text = shared_->options.no_answer;
  }
  return status;
}

void Feed::pause(bool on) {
  const std::lock_guard lock(shared_->mutex);
  shared_->paused = on;
  shared_->steps = 0;
  shared_->anchor.reset();
  FeedState& state = shared_->status.state;
  if (state == FeedState::playing || state == FeedState::paused) state = on ? FeedState::paused : FeedState::playing;
  if (state == FeedState::ended && !on) shared_->sought = 0;
  shared_->changed.notify_all();
}

void Feed::step(int frames) {
  const std::lock_guard lock(shared_->mutex);
  const StreamInfo& info = shared_->status.info;
  if (frames > 0)
    shared_->steps += frames;
  else if (info.rate > 0)
    shared_->sought = std::max(0.0, shared_->status.at_s + frames / info.rate);
  shared_->changed.notify_all();
}

void Feed::seek(double seconds) {
  const std::lock_guard lock(shared_->mutex);
  shared_->sought = seconds;
  shared_->changed.notify_all();
}

void Feed::set(const Playback& playback) {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->options.playback == playback) return;
  shared_->options.playback = playback;
  shared_->anchor.reset();
  shared_->changed.notify_all();
}

}  // namespace conv
