// Moving sources: frames one after the other, read by their own thread.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "app/sources/picture.h"

namespace conv {

// One frame of a stream, in memory that later frames reuse.
struct Frame {
  Picture picture;                                   // 8-bit RGBA, opaque; or YUV
  bool takes_yuv = false;                            // the receiver can convert YUV; otherwise the picture must be RGBA
  long long number = 0;                              // in the stream, from 0
  double at_s = 0;                                   // seconds since the start
  float wait_ms = 0;                                 // waiting for the camera or the file
  float decode_ms = 0;                               // decoding and converting
  std::chrono::steady_clock::time_point decoded{};   // when the picture was complete
  std::chrono::steady_clock::time_point captured{};  // by the camera; otherwise when it was due
  int pinned_for = 0;                                // the device; see Playback::device
  std::shared_ptr<void> pinned;  // while the picture's memory is page-locked; declared after it, so that it ends before

  std::chrono::steady_clock::time_point decoding_began() const {
    return decoded - std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                         std::chrono::duration<float, std::milli>(decode_ms));
  }
  // Uninitialised pixels of this size; as YUV only if takes_yuv.
  void resize(Size2 size, std::optional<YuvFormat> yuv = std::nullopt);
};

struct StreamInfo {
  std::string name;           // "clip.mp4"
  std::string note;           // "h264, 29.97 fps"
  double rate = 0;            // frames per second as the stream declares; 0: unknown
  double duration_s = 0;      // 0: unknown, or endless
  bool is_yuv = false;        // its frames may be YUV
  bool paces_itself = false;  // a camera: frames arrive at their own rate, and cannot be sought
};

class FrameReader {
 public:
  FrameReader() = default;
  virtual ~FrameReader() = default;
  FrameReader(const FrameReader&) = delete;  // owns what it reads from
  FrameReader& operator=(const FrameReader&) = delete;

  virtual StreamInfo info() const = 0;
  // Fills everything but takes_yuv, decoded, captured and pinned; false at the end of the stream. Returns early with an
  // error if it is stopped.
  virtual Result<bool> next(Frame& frame, const std::stop_token& stop) = 0;
  // Frames that were skipped because they cannot be read, and why.
  virtual std::vector<std::string> failures() const { return {}; }
  // The next frame will be the one at this time.
  virtual Result<void> seek(double seconds) = 0;
};

// Opens the stream, on the thread that will read it.
using OpenReader = std::function<Result<std::unique_ptr<FrameReader>>(const std::stop_token&)>;

// Endless and the same on every machine: a moving landscape, discs that move over it, and the frame's number as a row
// of squares at the bottom left, lowest bit first, for tests to read.
OpenReader moving_scene(Size2 size, double rate = 60);
// The number in the squares of such a frame; frames narrower than 192 pixels do not show all bits.
long long scene_number(const Picture& picture);

// The files of a folder, of a pattern with * or ?, or of a numbered name such as frame%04d.png, in natural order: 2
// before 10. From a folder only files that look like pictures.
std::vector<std::string> sequence_files(const std::string& path);
// The same; the error says that there are none, or why the folder cannot be read.
Result<std::vector<std::string>> readable_sequence(const std::string& path);
bool is_sequence(const std::string& path);
bool is_picture_name(const std::string& name);
// Whether the name has one number to fill in, "%05d", and no other %.
bool has_number(const std::string& path);
// Plays these files at this rate. Files that cannot be read are skipped, and the note counts them.
OpenReader picture_sequence(const std::string& path, double rate = 25);

// A video file, a camera, or one of FFmpeg's generators.
struct VideoRequest {
  std::string path;  // a file; a camera; or "lavfi:" and a generator such as testsrc2=size=640x480
  bool camera = false;
  Size2 size{};       // of a camera; empty: its default
  int rate = 0;       // of a camera; 0: its default
  bool flip = false;  // mirrored: left and right swapped
};
OpenReader video(const VideoRequest& request);
bool is_generator(const std::string& path);
// FFmpeg's graphs can read and write files and load libraries. Only chains that cannot are accepted: one of its test
// sources, followed by filters of pixels. The error lists the allowed names.
Result<void> check_generator(const std::string& path);
// By the ending of its name: files that only a video library reads.
bool is_video(const std::string& path);

// Whether the path is a video or several pictures.
OpenReader stream_of(const std::string& path);

struct Camera {
  std::string path, name;
};
// The system's cameras. Queries each of them, so it must not be called on a thread that must not wait.
Result<std::vector<Camera>> find_cameras();
// Why there are no videos and no cameras, and what to do; empty if there are. Loads FFmpeg at the first call.
std::string_view no_video();
// The same without waiting: empty until a thread, which the first call starts, has loaded FFmpeg. That takes 0.1 s,
// which the first picture of the window need not wait for.
std::string_view no_video_if_known();

}  // namespace conv
