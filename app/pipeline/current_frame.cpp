#include "app/pipeline/current_frame.h"

#include <chrono>
#include <thread>

namespace conv {

static std::future<Result<HostImage>> begin_conversion(std::shared_ptr<const Picture> picture, PixelType type) {
  std::packaged_task<Result<HostImage>()> task([picture = std::move(picture), type] {
    return in_words([&]() -> Result<HostImage> { return to_format(*picture, type); });
  });
  auto image = task.get_future();
  std::thread(std::move(task)).detach();
  return image;
}

Result<bool> CurrentFrame::prepare(PixelType type) {
  if (formats_[static_cast<std::size_t>(type)] || !still_ || picture_->size.area() <= converted_at_once_) return true;
  if (!conversion_) conversion_ = Conversion{picture_, type, begin_conversion(picture_, type)};
  if (conversion_->image.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  Conversion done = *std::exchange(conversion_, std::nullopt);
  Result<HostImage> image = done.image.get();
  if (done.picture != picture_) return false;
  if (image)
    formats_[static_cast<std::size_t>(done.type)] = std::make_shared<const HostImage>(std::move(*image));
  else if (done.type == type)
    return tl::unexpected(image.error());
  return done.type == type;
}

}  // namespace conv
