// Pictures written one after the other: as numbered files, or as a video.
#pragma once
#include <memory>
#include <string>

#include "app/sources/picture.h"

namespace conv {

class FrameWriter {
 public:
  FrameWriter() = default;
  virtual ~FrameWriter() = default;          // what was not finished leaves no half file under its name
  FrameWriter(const FrameWriter&) = delete;  // owns the files
  FrameWriter& operator=(const FrameWriter&) = delete;

  // All of a video are as large as the first. at_s: when it was shown, since the first; none: one frame after the one
  // before. In a video a picture that would be at the place of the one before it is left out.
  virtual Result<void> add(const Picture& picture, std::optional<double> at_s = std::nullopt) = 0;
  // Nothing comes after it.
  virtual Result<void> finish() = 0;
};

// A video (its kind by the ending: .mp4, .mkv, .avi, .mov, .webm), or a file name with a number in it, such as
// "out/frame%05d.png", or a folder, which is made and gets such names. rate: frames a second, of a video.
// replace: files that exist may be replaced; else they are an error, before anything is written to them.
Result<std::unique_ptr<FrameWriter>> frame_writer(const std::string& path, double rate, bool replace);
Result<std::unique_ptr<FrameWriter>> video_writer(const std::string& path, double rate);

}  // namespace conv
