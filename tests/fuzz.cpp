// What reads files of others, under libFuzzer or mutations.cpp. The environment says which: CONVOSCOPE_FUZZ=npy.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "app/measure/bench_json.h"
#include "app/model/settings_file.h"
#include "app/sources/bundle.h"
#include "app/sources/frames.h"
#include "kernels/core/filter.h"

namespace conv {

namespace {

// Loaders read files: one per process, with the ending that selects the loader.
std::string file_of(const std::string& bytes, const char* ending) {
  std::string path = "/dev/shm/convoscope-fuzz-" + std::to_string(getpid()) + ending;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

void read_bundle(const std::string& bytes) {
  const std::string path = file_of(bytes, ".zip");
  for (const std::string& name : list_bundle(path).value_or(std::vector<std::string>()))
    static_cast<void>(read_any_file(std::filesystem::path(path) / name, std::size_t{1} << 24));
}

// What can be read once is written so that it can be read again.
void read_session(const std::string& text) {
  if (const Result<Session> read = session_from_json(text))
    if (!session_from_json(session_to_json(read->settings, read->view))) std::abort();
}

void read_settings(const std::string& text) {
  Settings settings;
  Preferences preferences;
  if (from_json(text, settings, preferences))
    if (!from_json(to_json(settings, preferences), settings, preferences)) std::abort();
}

void play(const std::string& bytes) {
  const std::stop_token never;
  const Result<std::unique_ptr<FrameReader>> reader = video({.path = file_of(bytes, ".mp4")})(never);
  Frame frame;
  frame.takes_yuv = bytes.size() % 2 == 0;
  if (reader && (*reader)->next(frame, never).value_or(false)) static_cast<void>((*reader)->seek(1));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string part = std::getenv("CONVOSCOPE_FUZZ");
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (part == "matrix") static_cast<void>(parse_matrix(bytes));
  if (part == "session") read_session(bytes);
  if (part == "settings") read_settings(bytes);
  if (part == "bench") static_cast<void>(read_results(file_of(bytes, ".json")));
  if (part == "bundle") read_bundle(bytes);
  if (part == "npy") static_cast<void>(load_picture(file_of(bytes, ".npy")));
  if (part == "image") static_cast<void>(load_picture(file_of(bytes, ".png")));
  if (part == "video") play(bytes);
  return 0;
}

}  // namespace conv
