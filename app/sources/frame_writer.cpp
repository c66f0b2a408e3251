#include "app/sources/frame_writer.h"

#include <fmt/format.h>
#include <fmt/printf.h>

#include <filesystem>

#include "app/sources/frames.h"
#include "kernels/core/file.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

class NumberedFiles final : public FrameWriter {
 public:
  NumberedFiles(std::string pattern, Existing existing) : pattern_(std::move(pattern)), existing_(existing) {}
  Result<void> add(const Picture& picture, std::optional<double>) override {
    const std::string file = fmt::sprintf(pattern_, number_++);
    return save_picture(picture, file, {}, existing_);
  }
  Result<void> finish() override { return {}; }

 private:
  std::string pattern_;
  Existing existing_;
  int number_ = 0;
};

}  // namespace

Result<std::unique_ptr<FrameWriter>> frame_writer(const std::string& path, double rate, bool replace) {
  const Existing existing = replace ? Existing::replace : Existing::keep;
  if (is_video(path)) {
    CONV_TRY(check_output(path, {}, replace));
    return video_writer(path, rate, existing);
  }
  std::string pattern = path;
  if (!has_number(path)) {
    if (is_picture_name(path))
      return failure(fmt::format("{}: many pictures need a number in the name, such as {}%04d{}", path,
                                 fs::path(path).replace_extension().string(), fs::path(path).extension().string()));
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return failure(fmt::format("{}: cannot be made: {}", path, error.message()));
    pattern = (fs::path(path) / "frame%06d.png").string();
  }
  return std::make_unique<NumberedFiles>(pattern, existing);
}

}  // namespace conv
