#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "app/sources/frames.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

constexpr const char* picture_endings[] = {".png", ".jpg", ".jpeg", ".bmp", ".tga", ".hdr", ".npy", ".ppm", ".pgm"};

std::vector<std::string> matching(const std::string& pattern) {
  std::vector<std::string> files;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return files;
}

// The position of "%d", "%5d" or "%05d" in a name; up to three digits, which is more than a file name can have.
struct NumberInName {
  std::size_t begin = std::string::npos, length = 0;
  int digits = 0;  // 0: as many as needed
};
NumberInName number_in(const std::string& path) {
  constexpr std::size_t most_digits = 3;
  for (std::size_t at = path.find('%'); at != std::string::npos; at = path.find('%', at + 1)) {
    std::size_t end = path.find_first_not_of("0123456789", at + 1);
    if (end == std::string::npos || path[end] != 'd' || end - at - 1 > most_digits) continue;
    const std::string digits = path.substr(at + 1, end - at - 1);
    return {at, end + 1 - at, digits.empty() ? 0 : std::stoi(digits)};
  }
  return {};
}

// "frame%04d.png" as a wildcard pattern: "frame[0-9][0-9][0-9][0-9].png". Other characters are literal, so
// "[a]/f%d.png" is a folder with brackets.
std::string glob_of(const std::string& path) {
  const NumberInName number = number_in(path);
  if (number.begin == std::string::npos) return path;
  const auto escaped = [](const std::string& text) {
    std::string plain;
    for (const char c : text) {
      if (std::string_view("*?[\\").find(c) != std::string_view::npos) plain.push_back('\\');
      plain.push_back(c);
    }
    return plain;
  };
  std::string any;
  for (int i = 0; i < std::clamp(number.digits, 1, 9); ++i) any += "[0-9]";
  if (number.digits == 0) any += "*";
  return escaped(path.substr(0, number.begin)) + any + escaped(path.substr(number.begin + number.length));
}

class PictureSequence final : public FrameReader {
 public:
  PictureSequence(std::string name, std::vector<std::string> files, double rate)
      : name_(std::move(name)), files_(std::move(files)), rate_(rate) {}

  StreamInfo info() const override {
    return {.name = name_,
            .note = fmt::format("{} pictures{}", files_.size(),
                                failures_.empty() ? "" : fmt::format(", {} cannot be read", failures_.size())),
            .rate = rate_,
            .duration_s = static_cast<double>(files_.size()) / rate_};
  }

  Result<bool> next(Frame& frame, const std::stop_token& stop) override {
    const auto start = std::chrono::steady_clock::now();
    for (; at_ < files_.size() && !stop.stop_requested(); ++at_) {
      const Result<Picture> picture = load_picture(files_[at_]);
      if (!picture) {
        const std::string& text = picture.error().text;
        if (std::find(failures_.begin(), failures_.end(), text) == failures_.end()) failures_.push_back(text);
        continue;
      }
      const HostImage pixels = to_format(*picture, PixelType::rgba8);
      frame.resize(picture->size);
      std::memcpy(frame.picture.levels.data(), pixels.bytes.data(), pixels.bytes.size());
      frame.number = static_cast<long long>(at_);
      frame.at_s = static_cast<double>(at_) / rate_;
      frame.wait_ms = 0;
      frame.decode_ms = std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start).count();
      ++at_;
      return true;
    }
    return false;
  }

  std::vector<std::string> failures() const override { return failures_; }

  Result<void> seek(double seconds) override {
    at_ = std::min(files_.size(), static_cast<std::size_t>(std::max(0ll, std::llround(seconds * rate_))));
    return {};
  }

 private:
  std::string name_;
  std::vector<std::string> files_, failures_;
  double rate_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_picture_name(const std::string& name) {
  return std::find(std::begin(picture_endings), std::end(picture_endings), ending_of(name)) !=
         std::end(picture_endings);
}

bool has_number(const std::string& path) {
  return std::count(path.begin(), path.end(), '%') == 1 && number_in(path).begin != std::string::npos;
}

bool is_sequence(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ||
         (!fs::exists(path, ignored) && (path.find_first_of("*?") != std::string::npos || glob_of(path) != path));
}

std::vector<std::string> sequence_files(const std::string& path) {
  std::vector<std::string> files;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (const fs::directory_entry& file : fs::directory_iterator(path, error))
      if (file.is_regular_file(error) && is_picture_name(file.path().filename().string()))
        files.push_back(file.path().string());
  } else {
    files = matching(glob_of(path));
  }
  std::sort(files.begin(), files.end(),
            [](const std::string& a, const std::string& b) { return strverscmp(a.c_str(), b.c_str()) < 0; });
  return files;
}

Result<std::vector<std::string>> readable_sequence(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const fs::directory_iterator can_be_read(path, error);
    if (error) return failure(fmt::format("{}: cannot be read: {}", path, error.message()));
  }
  std::vector<std::string> files = sequence_files(path);
  if (files.empty()) return failure(fmt::format("{}: holds no picture", path));
  return files;
}

OpenReader picture_sequence(const std::string& path, double rate) {
  return [=](const std::stop_token&) -> Result<std::unique_ptr<FrameReader>> {
    std::vector<std::string> files = CONV_TRY(readable_sequence(path));
    fs::path name(path);
    if (!name.has_filename()) name = name.parent_path();
    return std::make_unique<PictureSequence>(name.filename().string(), std::move(files), rate);
  };
}

}  // namespace conv
