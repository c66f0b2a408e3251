#include "app/pipeline/current_frame.h"

#include <chrono>

#include "kernels/core/background.h"

namespace conv {

namespace {

using Converted = Result<std::shared_ptr<const HostImage>>;

struct LockedImage {
  HostImage image;
  std::shared_ptr<void> lock;  // ends first
};

std::future<Converted> begin_conversion(const std::shared_ptr<const Picture>& picture, PixelType type,
                                        const PageLocking& lock) {
  return in_background([picture, type, lock]() -> Converted {
    auto made = std::make_shared<LockedImage>(to_format(*picture, type));
    if (lock) made->lock = lock(made->image.bytes.data(), made->image.bytes.size());
    return std::shared_ptr<const HostImage>(made, &made->image);
  });
}

}  // namespace

Result<bool> CurrentFrame::prepare(PixelType type) {
  if (formats_[static_cast<std::size_t>(type)] || !still_ || picture_->size.area() <= converted_at_once_) return true;
  if (!conversion_) conversion_ = Conversion{picture_, type, begin_conversion(picture_, type, lock_)};
  if (conversion_->image.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  Conversion done = *std::exchange(conversion_, std::nullopt);
  Converted image = done.image.get();
  if (done.picture != picture_) return false;
  if (image)
    formats_[static_cast<std::size_t>(done.type)] = std::move(*image);
  else if (done.type == type)
    return tl::unexpected(image.error());
  return done.type == type;
}

}  // namespace conv
