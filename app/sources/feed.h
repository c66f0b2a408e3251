// Plays a moving source: opens and reads it on its own thread, at the stream's speed; the newest frame replaces older
// ones.
#pragma once
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "app/sources/frames.h"

namespace conv {

enum class FeedState { opening, playing, paused, ended, lost, failed };

struct FeedStatus {
  FeedState state = FeedState::opening;
  std::string text;  // if lost or failed: why, and what to do
  StreamInfo info;
  double at_s = 0;  // of the newest frame
  long long number = 0;
  long long shown = 0;    // frames that were taken
  long long dropped = 0;  // frames that nobody took in time, or that came too late to be shown
  double opening_s = 0;
};

struct Playback {
  double speed = 1;  // relative to the stream's own speed; 0: as fast as frames are taken, without dropping any
  bool loops = true;
  bool page_locks = true;  // with FeedOptions::pin
  int device = 0;          // memory page-locked for another device does not count
  bool takes_yuv = false;  // frames may be YUV if the stream has YUV
  friend bool operator==(const Playback&, const Playback&) = default;
};

struct FeedOptions {
  Playback playback;
  // Page-locks the memory of frames until its result is released; null: no page-locking.
  std::function<std::shared_ptr<void>(void* memory, std::size_t bytes)> pin;
  std::chrono::milliseconds open_limit{5000}, retry_period{1000};
  std::string no_answer = "did not answer";  // the message after open_limit
};

class Feed {
 public:
  Feed(OpenReader open, FeedOptions options);
  // Does not wait for a device that does not answer: its thread ends by itself later.
  ~Feed();
  Feed(const Feed&) = delete;  // owns its thread
  Feed& operator=(const Feed&) = delete;

  // The newest frame, each only once; null if there is no new one.
  std::shared_ptr<const Frame> take();
  FeedStatus status() const;
  void pause(bool on);
  // The next frame, or the one before, while paused.
  void step(int frames);
  void seek(double seconds);
  void set(const Playback& playback);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  // shared with the thread
  std::jthread thread_;
};

}  // namespace conv
