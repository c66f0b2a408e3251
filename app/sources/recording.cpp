#include "app/sources/recording.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/sources/frames.h"

namespace conv {

namespace {

constexpr std::size_t most_waiting = 16;
constexpr double default_rate = 60;  // frames per second for a source that does not declare its rate

// The window from its upper left corner, top row first; what lies outside of it is black.
HostImage window_image(const HostImage& bottom_up, Size2 size) {
  HostImage image(bottom_up.type, size);
  const std::size_t from = bottom_up.bytes.size() / static_cast<std::size_t>(bottom_up.size.height);
  const std::size_t to = image.bytes.size() / static_cast<std::size_t>(size.height);
  for (int y = 0; y < std::min(size.height, bottom_up.size.height); ++y)
    std::copy_n(bottom_up.bytes.end() - static_cast<std::ptrdiff_t>(from * (y + 1)), std::min(from, to),
                image.bytes.begin() + static_cast<std::ptrdiff_t>(to * y));
  return image;
}

}  // namespace

Recording::Recording(std::string path, double rate, bool of_window) : of_window_(of_window) {
  status_.path = std::move(path);
  status_.of_window = of_window;
  thread_ = std::jthread([this, rate] { work(rate); });
}

Recording::~Recording() {
  finish();
}

void Recording::add(RecordedImage image, double at_s) {
  const std::lock_guard lock(mutex_);
  if (status_.finishing || status_.ended) return;
  if (!began_s_) began_s_ = at_s;
  if (waiting_.size() == most_waiting) {
    ++status_.lost;
    return;
  }
  waiting_.push_back({std::move(image), at_s - *began_s_});
  changed_.notify_one();
}

void Recording::finish() {
  const std::lock_guard lock(mutex_);
  status_.finishing = true;
  changed_.notify_one();
}

RecordingStatus Recording::complete() {
  finish();
  thread_.join();
  return status();
}

RecordingStatus Recording::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

Result<void> Recording::write(FrameWriter& writer) {
  std::optional<Size2> first;
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, [this] { return status_.finishing || !waiting_.empty(); }), !waiting_.empty()) {
    Shown shown = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    auto& [image, channels, storage] = shown.result;
    if (!first) first = image.size;
    if (of_window_) image = window_image(image, *first);
    Result<void> added = writer.add(to_picture(image, channels, storage), shown.at_s);
    lock.lock();
    if (!added) {
      if (status_.written == 0 || !writer.finish()) return added;
      return failure(fmt::format("{}. {} frames are kept", added.error().text, status_.written));
    }
    ++status_.written;
  }
  lock.unlock();
  return writer.finish();
}

void Recording::work(double rate) {
  const Result<std::unique_ptr<FrameWriter>> writer =
      frame_writer(status_.path, rate > 0 ? rate : default_rate, is_video(status_.path));
  const Result<void> written =
      writer ? in_words([&] { return write(**writer); }) : Result<void>(tl::unexpected(writer.error()));
  const std::lock_guard lock(mutex_);
  if (!written) status_.error = written.error().text;
  status_.ended = true;
}

}  // namespace conv
