// Plays a stream: opens and reads it on a thread of its own, in the stream's time; the newest frame wins.
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
  std::string text;  // of lost and failed: why, and what to do
  StreamInfo info;
  double at_s = 0;  // of the newest frame
  long long number = 0;
  long long shown = 0;    // frames that were taken
  long long dropped = 0;  // frames that nobody took in time, or that came too late to be shown
  double opening_s = 0;
};

struct Playback {
  double speed = 1;  // of the stream's own; 0: as fast as frames are taken, none is dropped
  bool loops = true;
  bool page_locks = true;  // with FeedOptions::pin
  int device = 0;          // what was page-locked for another one is so no more
  bool takes_yuv = false;  // frames may stay so, where the stream has them so
  friend bool operator==(const Playback&, const Playback&) = default;
};

struct FeedOptions {
  Playback playback;
  // Page-locks memory of frames until what it returns is let go; none: they stay as they are.
  std::function<std::shared_ptr<void>(void* memory, std::size_t bytes)> pin;
  std::chrono::milliseconds open_limit{5000}, retry_period{1000};
  std::string no_answer = "did not answer";  // what to say beyond open_limit
};

class Feed {
 public:
  Feed(OpenReader open, FeedOptions options);
  // Does not wait for a device that does not answer: its thread ends by itself when it does.
  ~Feed();
  Feed(const Feed&) = delete;  // owns its thread
  Feed& operator=(const Feed&) = delete;

  // The newest frame, once; null when there is none since the last.
  std::shared_ptr<const Frame> take();
  FeedStatus status() const;
  void pause(bool on);
  // The next frame, or the one before, while paused.
  void step(int frames);
  void seek(double seconds);
  void set(const Playback& playback);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  // the thread's too
  std::jthread thread_;
};

}  // namespace conv
