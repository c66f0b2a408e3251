// Sources that move: frames one after the other, read by a thread of their own.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "app/sources/picture.h"

namespace conv {

// One frame of a stream, in memory that the next frames use again.
struct Frame {
  Picture picture;                                   // RGBA of 8 bits, opaque, or YUV
  bool takes_yuv = false;                            // whoever shows it can make RGBA of it; else it must be
  long long number = 0;                              // in the stream, from 0
  double at_s = 0;                                   // since its beginning
  float wait_ms = 0;                                 // for the camera or the file
  float decode_ms = 0;                               // until it was a picture
  std::chrono::steady_clock::time_point decoded{};   // when it was a picture
  std::chrono::steady_clock::time_point captured{};  // by the camera; else when it was due
  int pinned_for = 0;                                // as Playback::device
  std::shared_ptr<void> pinned;  // while the picture's memory is page-locked; after it, so that it ends before

  std::chrono::steady_clock::time_point decoding_began() const {
    return decoded - std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                         std::chrono::duration<float, std::milli>(decode_ms));
  }
  // Uninitialised pixels of this size; as YUV only where that is taken.
  void resize(Size2 size, std::optional<YuvFormat> yuv = std::nullopt);
};

struct StreamInfo {
  std::string name;           // "clip.mp4"
  std::string note;           // "h264, 29.97 fps"
  double rate = 0;            // frames a second as the stream says; 0: it does not
  double duration_s = 0;      // 0: unknown, or without end
  bool is_yuv = false;        // its frames may stay so
  bool paces_itself = false;  // a camera: frames come when they come, and cannot be sought
};

class FrameReader {
 public:
  FrameReader() = default;
  virtual ~FrameReader() = default;
  FrameReader(const FrameReader&) = delete;  // owns what it reads from
  FrameReader& operator=(const FrameReader&) = delete;

  virtual StreamInfo info() const = 0;
  // Fills all of frame but takes_yuv, decoded, captured and pinned; false at the end of the stream. Returns early, with
  // an error, when asked to stop.
  virtual Result<bool> next(Frame& frame, const std::stop_token& stop) = 0;
  // Frames that were left out because they cannot be read, and why.
  virtual std::vector<std::string> failures() const { return {}; }
  // The next frame is the one shown at this time.
  virtual Result<void> seek(double seconds) = 0;
};

// Opens the stream, on the thread that will read it.
using OpenReader = std::function<Result<std::unique_ptr<FrameReader>>(const std::stop_token&)>;

// Endless, the same on every machine: a landscape that goes by, discs that move over it, and the frame's number as a
// row of squares at the bottom left, lowest bit first, that tests can read.
OpenReader moving_scene(Size2 size, double rate = 60);
// The number that the squares of a frame of that scene say; frames narrower than 192 pixels have not room for all.
long long scene_number(const Picture& picture);

// The files of a folder, of a pattern with * or ?, or of a numbered name such as frame%04d.png, in the order people
// count: 2 before 10. Of a folder only those that look like pictures.
std::vector<std::string> sequence_files(const std::string& path);
// The same; the error says that there is none, or why the folder cannot be read.
Result<std::vector<std::string>> readable_sequence(const std::string& path);
bool is_sequence(const std::string& path);
bool is_picture_name(const std::string& name);
// Its name holds one number to be put in: "%05d", and no other %.
bool has_number(const std::string& path);
// Those files at so many a second. Files that cannot be read are left out and counted in the note.
OpenReader picture_sequence(const std::string& path, double rate = 25);

// A video file, a camera, or one of FFmpeg's generators.
struct VideoRequest {
  std::string path;  // a file; a device's; or "lavfi:" and a generator such as testsrc2=size=640x480
  bool camera = false;
  Size2 size{};       // of a camera; as it likes when empty
  int rate = 0;       // likewise
  bool flip = false;  // left and right exchanged, as in a mirror
};
OpenReader video(const VideoRequest& request);
bool is_generator(const std::string& path);
// FFmpeg's graphs can read and write files and load libraries. Only a chain of filters that cannot is accepted: one of
// its test sources first, then filters of pixels alone. The error names those that there are.
Result<void> check_generator(const std::string& path);
// By its name's ending: what only a video library reads.
bool is_video(const std::string& path);

// A video, or pictures one after the other.
OpenReader stream_of(const std::string& path);

struct Camera {
  std::string path, name;
};
// Those of the system; asks each of them, so not on a thread that must not wait.
Result<std::vector<Camera>> find_cameras();
// Why there is no video and no camera in this build; empty when there is.
std::string_view no_video();

}  // namespace conv
