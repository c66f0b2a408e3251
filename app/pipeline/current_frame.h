// The current frame that all lanes read: a picture, or a frame of a moving source, in the pixel formats that lanes
// need.
#pragma once
#include <array>
#include <cmath>
#include <functional>
#include <future>
#include <memory>
#include <optional>

#include "app/sources/picture.h"
#include "kernels/core/image.h"
#include "kernels/core/plan.h"

namespace conv {

// Page-locks memory until the result is released; from any thread. Null if that would be of no use.
using PageLocking = std::function<std::shared_ptr<void>(void*, std::size_t)>;

class CurrentFrame {
 public:
  // Pictures of more pixels than this are converted in the background: prepare().
  explicit CurrentFrame(long long converted_at_once = 1 << 20) : converted_at_once_(converted_at_once) {}
  // From now on what is converted in the background is page-locked there, so that its upload holds nothing up.
  void lock_pages(PageLocking lock) { lock_ = std::move(lock); }
  ~CurrentFrame() { forget_conversions(); }
  CurrentFrame(const CurrentFrame&) = delete;  // waits for its conversion
  // Before a device is destroyed: memory is locked for it. Waits for the running conversion, which uses it too.
  void forget_conversions() {
    if (conversion_) conversion_->image.wait();
    conversion_.reset();
    formats_ = {};
  }

  // Another picture: earlier measurements do not apply to it.
  void set_picture(std::shared_ptr<const Picture> picture) {
    set_frame(std::move(picture));
    ++generation_;
    still_ = true;
  }
  // The next frame of a moving source, of the same size: plans and measurements continue.
  void set_frame(std::shared_ptr<const Picture> picture) {
    picture_ = std::move(picture);
    still_ = false;
    ++frame_;
    formats_ = {};
  }

  // Null before the first.
  const std::shared_ptr<const Picture>& picture() const { return picture_; }
  long long frame() const { return frame_; }            // grows with each frame
  long long generation() const { return generation_; }  // grows with each set_picture
  // The largest magnitude of its values, to a power of two, if it matters to plans; otherwise 0. Frames of a moving
  // source seldom differ in it.
  float unusual_largest() const {
    const float largest = picture_->largest;
    if (suits_half(largest)) return 0;
    const float power = std::log2(largest);
    return std::exp2(power < 0 ? std::floor(power) : std::ceil(power));
  }
  // Converts a large picture in the background, if it was not converted to this type yet; false until that is done. One
  // conversion runs at a time. Smaller pictures and frames of a moving source need no preparation. The error: there is
  // no memory for it.
  Result<bool> prepare(PixelType type);
  // Converted once per frame; waits for the conversion.
  std::shared_ptr<const HostImage> image(PixelType type) {
    auto& cached = formats_[static_cast<std::size_t>(type)];
    if (!cached) cached = std::make_shared<HostImage>(to_format(*picture_, type));
    return cached;
  }

 private:
  struct Conversion {
    std::shared_ptr<const Picture> picture;
    PixelType type;
    std::future<Result<std::shared_ptr<const HostImage>>> image;
  };
  const long long converted_at_once_;
  PageLocking lock_;
  bool still_ = true;
  std::optional<Conversion> conversion_;
  std::shared_ptr<const Picture> picture_;
  long long frame_ = 0, generation_ = 0;
  std::array<std::shared_ptr<const HostImage>, pixel_types.size()> formats_;
};

}  // namespace conv
