// Feeds fuzz.cpp with small changes of valid files, for machines without libFuzzer.
//   mutations PART SECONDS [SEED]   of processor time
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>

#include "app/measure/bench_json.h"
#include "app/model/settings_file.h"
#include "app/sources/bundle.h"
#include "app/sources/frame_writer.h"
#include "app/sources/pattern.h"
#include "kernels/core/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

using namespace conv;

namespace {

constexpr double longest_s = 20;  // for one input, under the sanitizers

std::string saved(const Picture& picture, const std::filesystem::path& path) {
  static_cast<void>(save_picture(picture, path));
  return read_file(path).value_or("");
}

// Valid inputs of a part.
std::vector<std::string> examples_of(const std::string& part, const std::filesystem::path& folder) {
  const Picture picture = make_pattern(PatternKind::noise, {19, 7});
  if (part == "matrix") return {"1 2 3; 4 5 6; 7 8 -9", "[[0.5, -1e3], [2, 1/16]]"};
  if (part == "session") return {session_to_json({}, {.pins = {{3, 4}}})};
  if (part == "settings") return {to_json({}, {.recent = {"a.png"}}, {{"global", "fault"}})};
  if (part == "bundle") {
    const std::filesystem::path path = folder / "a.zip";
    static_cast<void>(write_bundle(path, {{.name = "lesson.md", .bytes = std::string(300, 'a'), .from = {}},
                                          {.name = "a.cu", .bytes = "", .from = {}}}));
    return {read_file(path).value_or("")};
  }
  if (part == "npy") return {saved(picture, folder / "a.npy")};
  if (part == "image")
    return {saved(picture, folder / "a.png"), saved(picture, folder / "a.jpg"), saved(picture, folder / "a.bmp"),
            saved(picture, folder / "a.tga")};
  if (part == "bench") {
    const std::string path = folder / "rows.json";
    static_cast<void>(BenchFile::create(path, {.processor = "CPU"}, {BenchRow{.ms = {1, 2, 3}}}));
    return {read_file(path).value_or("")};
  }
  const std::string path = folder / "a.mp4";
  auto writer = frame_writer(path, 20, true);
  for (int i = 0; writer && i < 5; ++i) static_cast<void>((*writer)->add(make_pattern(PatternKind::noise, {48, 32})));
  if (writer) static_cast<void>((*writer)->finish());
  return {read_file(path).value_or("")};
}

std::string changed(std::string bytes, const std::vector<std::string>& examples, std::mt19937& random) {
  const auto pick = [&](std::size_t count) { return random() % std::max<std::size_t>(count, 1); };
  for (std::size_t changes = 1 + pick(6); changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = pick(bytes.size()), length = std::min(1 + pick(16), bytes.size() - at);
    switch (pick(6)) {
      case 0: bytes[at] = static_cast<char>(random()); break;
      case 1: bytes[at] = static_cast<char>(bytes[at] ^ 1 << pick(8)); break;
      case 2: bytes.erase(at, length); break;
      case 3: bytes.insert(at, bytes.substr(pick(bytes.size()), length)); break;
      case 4: std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length, "\xff\0\x7f\x80"[pick(4)]); break;
      default: {
        const std::string& other = examples[pick(examples.size())];
        bytes.replace(at, length, other.substr(pick(other.size()), 1 + pick(16)));
      }
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto seconds_since = [](std::clock_t start) {
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  setenv("CONVOSCOPE_FUZZ", argv[1], 1);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("convoscope-mutations-{}", getpid());
  std::filesystem::create_directory(folder);
  const std::vector<std::string> examples = examples_of(argv[1], folder);
  std::filesystem::remove_all(folder);
  std::mt19937 random(argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1);
  const std::clock_t start = std::clock();
  long long inputs = 0;
  for (; seconds_since(start) < std::atoi(argv[2]); ++inputs) {
    const std::string bytes = changed(examples[random() % examples.size()], examples, random);
    const std::clock_t began = std::clock();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    if (seconds_since(began) < longest_s) continue;
    fmt::print("input {} took {:.1f} s\n", inputs, seconds_since(began));
    return 1;
  }
  fmt::print("{}: {} changed files in {} s\n", argv[1], inputs, argv[2]);
  return 0;
}
