// Writes results, or the window, as they are shown, on its own thread.
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
  std::string path, error;  // error: why it ended by itself
  long long written = 0;
  long long lost = 0;      // the disk or the encoder was not fast enough
  bool ended = false;      // the file is complete, or was not written
  bool finishing = false;  // it takes no more pictures
  bool of_window = false;  // otherwise of the results of lane A
};

// A result or the window, and the picture that it becomes: to_picture.
struct RecordedImage {
  HostImage image;
  int channels = 3;
  FloatStorage storage = FloatStorage::f32;
};

class Recording {
 public:
  // rate: of a video, frames per second; 0: unknown. of_window: the images' rows are bottom up, and their size may
  // differ from that of the first. The user has agreed that an existing file is replaced.
  Recording(std::string path, double rate, bool of_window = false);
  ~Recording();                          // waits until all pictures are written
  Recording(const Recording&) = delete;  // owns its thread
  Recording& operator=(const Recording&) = delete;

  // Never waits: if there is no room the result is dropped, and counted. at_s: when it was shown, in seconds of any
  // clock; the first one starts the recording.
  void add(RecordedImage image, double at_s);
  // Writes what is waiting, then renames the file.
  void finish();
  // The same; returns when that is done.
  RecordingStatus complete();
  RecordingStatus status() const;
  bool of_window() const { return of_window_; }

 private:
  void work(double rate);
  Result<void> write(FrameWriter& writer);

  const bool of_window_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  struct Shown {
    RecordedImage result;
    double at_s;  // since the first
  };
  std::deque<Shown> waiting_;
  std::optional<double> began_s_;
  RecordingStatus status_;
  std::jthread thread_;
};

}  // namespace conv
