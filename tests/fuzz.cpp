// Loaders under libFuzzer: one program per kind of input, chosen by CONV_FUZZ_PART. Built by -DCONV_FUZZ=ON with clang.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include "app/model/settings_file.h"
#include "app/sources/frames.h"
#include "kernels/core/filter.h"

namespace conv {

namespace {

// The loaders read files: one per process, with the ending that selects the loader.
std::string file_of(const std::uint8_t* data, std::size_t size, const char* ending) {
  std::string path = "/dev/shm/convoscope-fuzz-" + std::to_string(getpid()) + ending;
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string part = CONV_FUZZ_PART;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (part == "matrix") {
    static_cast<void>(parse_matrix(text));
  } else if (part == "session") {
    // What can be read once is written so that it can be read again.
    if (const Result<Session> read = session_from_json(text))
      if (!session_from_json(session_to_json(read->settings, read->view))) __builtin_trap();
  } else if (part == "npy" || part == "image") {
    static_cast<void>(load_picture(file_of(data, size, part == "npy" ? ".npy" : ".png")));
  } else {
    const std::stop_token never;
    const Result<std::unique_ptr<FrameReader>> reader = video({.path = file_of(data, size, ".mp4")})(never);
    Frame frame;
    frame.takes_yuv = size % 2 == 0;
    if (reader && (*reader)->next(frame, never).value_or(false)) static_cast<void>((*reader)->seek(1));
  }
  return 0;
}

}  // namespace conv
