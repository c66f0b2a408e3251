// Writes pictures one after the other: as numbered files, or as a video.
#pragma once
#include <memory>
#include <string>

#include "app/sources/picture.h"

namespace conv {

class FrameWriter {
 public:
  FrameWriter() = default;
  virtual ~FrameWriter() = default;          // an unfinished file does not remain under its name
  FrameWriter(const FrameWriter&) = delete;  // owns the files
  FrameWriter& operator=(const FrameWriter&) = delete;

  // All pictures of a video have the size of the first. at_s: when it was shown, in seconds since the first; none: one
  // frame after the one before. A video skips a picture that would have the same frame number as the one before.
  virtual Result<void> add(const Picture& picture, std::optional<double> at_s = std::nullopt) = 0;
  // Called after the last picture.
  virtual Result<void> finish() = 0;
};

// A video (by its ending: .mp4, .mkv, .avi, .mov, .webm, .gif), or a file name with a number, such as
// "out/frame%05d.png", or a folder, which is created and gets such names. rate: frames per second of a video. replace:
// existing files may be replaced; otherwise they are an error, before anything is written.
Result<std::unique_ptr<FrameWriter>> frame_writer(const std::string& path, double rate, bool replace);
Result<std::unique_ptr<FrameWriter>> video_writer(const std::string& path, double rate, Existing existing);

}  // namespace conv
