#include "app/sources/frame_writer.h"

#include <fmt/format.h>
#include <fmt/printf.h>

#include <filesystem>

#include "app/sources/frames.h"

namespace fs = std::filesystem;

namespace {

class NumberedFiles final : public FrameWriter {
 public:
  explicit NumberedFiles(std::string pattern) : pattern_(std::move(pattern)) {}
  Result<void> add(const Picture& picture) override { return save_picture(picture, fmt::sprintf(pattern_, number_++)); }
  Result<void> finish() override { return {}; }

 private:
  std::string pattern_;
  int number_ = 0;
};

}  // namespace

Result<std::unique_ptr<FrameWriter>> frame_writer(const std::string& path, double rate) {
  if (is_video(path)) return video_writer(path, rate);
  std::string pattern = path;
  if (!has_number(path)) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return failure(fmt::format("{}: cannot be made: {}", path, error.message()));
    pattern = (fs::path(path) / "frame%06d.png").string();
  }
  return std::make_unique<NumberedFiles>(pattern);
}
