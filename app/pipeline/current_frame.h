// The current frame that all lanes read: a picture, or a frame of a moving source, in the pixel formats that lanes
// need.
#pragma once
#include <array>
#include <cmath>
#include <memory>

#include "app/sources/picture.h"
#include "kernels/core/image.h"
#include "kernels/core/plan.h"

namespace conv {

class CurrentFrame {
 public:
  // Another picture: earlier measurements do not apply to it.
  void set_picture(std::shared_ptr<const Picture> picture) {
    set_frame(std::move(picture));
    ++generation_;
  }
  // The next frame of a moving source, of the same size: plans and measurements continue.
  void set_frame(std::shared_ptr<const Picture> picture) {
    picture_ = std::move(picture);
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
  // Converted once per frame.
  std::shared_ptr<const HostImage> image(PixelType type) {
    auto& cached = formats_[static_cast<std::size_t>(type)];
    if (!cached) cached = std::make_shared<HostImage>(to_format(*picture_, type));
    return cached;
  }

 private:
  std::shared_ptr<const Picture> picture_;
  long long frame_ = 0, generation_ = 0;
  std::array<std::shared_ptr<const HostImage>, pixel_types.size()> formats_;
};

}  // namespace conv
