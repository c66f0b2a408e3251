// Results written as they are shown, on a thread of its own.
#pragma once
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "app/sources/frame_writer.h"

namespace conv {

struct RecordingStatus {
  std::string path, error;  // error: why it ended before it was told to
  long long written = 0;
  long long lost = 0;  // the disk or the encoder was not fast enough
  bool ended = false;  // all is in its place, or nothing is
};

class Recording {
 public:
  // rate: of the source, frames a second; 0: unknown. The user has agreed that the file is replaced where it exists.
  Recording(std::string path, double rate);
  ~Recording();                          // waits until what was given is written
  Recording(const Recording&) = delete;  // owns its thread
  Recording& operator=(const Recording&) = delete;

  // Never waits: without room for it the picture is lost, and counted. at_s: when it was shown, by any clock that
  // counts seconds; the first one begins the recording.
  void add(Picture picture, double at_s);
  // Writes what is waiting, then puts the file in its place.
  void finish();
  RecordingStatus status() const;

 private:
  void work(double rate);
  Result<void> write(FrameWriter& writer);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  struct Shown {
    Picture picture;
    double at_s;  // since the first
  };
  std::deque<Shown> waiting_;
  std::optional<double> began_s_;
  RecordingStatus status_;
  bool finishing_ = false;
  std::jthread thread_;
};

}  // namespace conv
