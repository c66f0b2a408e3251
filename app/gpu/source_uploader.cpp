#include "app/gpu/source_uploader.h"

#include <algorithm>

#include "kernels/ops/whole_images.h"

namespace conv {

void SourceUploader::begin_frame(bool waits, std::shared_ptr<FrameTrace> trace) {
  waits_ = waits;
  if (trace) trace_ = std::move(trace);
}

void SourceUploader::keep_only(const std::vector<std::shared_ptr<const LaunchPlan>>& plans) {
  for (const PixelTypeInfo& type : pixel_types) {
    const bool read = type.type == PixelType::rgba8 ||  // others are converted from it
                      std::ranges::any_of(plans, [&](const auto& plan) { return plan->format == type.type; });
    if (!read && of(type.type).image.capacity() > large_bytes) of(type.type) = {};
  }
}

void SourceUploader::collect() {
  while (const auto spans = timer_.poll()) {
    if (!*spans) break;
    if (under_way_.front().bytes == bytes_) ms_.add((*spans)->front().ms());
    if (const auto began = timer_.began())
      trace_->came({.title = "upload", .by = TracedBy::processor}, *began, (*spans)->front());
    under_way_.pop_front();
  }
}

Result<void> SourceUploader::upload_rows(DeviceImage& to, PixelType format, Size2 size,
                                         std::shared_ptr<const void> rows) {
  const auto copy = [&] { return to.upload(format, size, rows.get(), gpu_.stream()); };
  CONV_TRY(timer_.around(gpu_.stream(), copy, gpu_.anchor()));
  if (gpu_.anchor()) trace_->await();
  const long long bytes = size.area() * info(format).bytes;
  if (std::exchange(bytes_, bytes) != bytes) ms_.clear();
  under_way_.push_back({std::move(rows), bytes});
  return waits_ ? gpu_.finish() : Result<void>{};
}

// The frame in this format, converted by the host.
Result<void> SourceUploader::upload_from_host(PixelType format) {
  FormatImage& to = of(format);
  to.conversion.reset();
  const auto image = frames_.image(format);
  auto uploaded = upload_rows(to.image, format, image->size, {image, image->bytes.data()});
  if (uploaded) to.frame = frames_.frame();
  return uploaded;
}

Result<void> SourceUploader::upload(PixelType format) {
  const Picture& picture = *frames_.picture();
  if (picture.yuv) {
    if (yuv_frame_ == frames_.frame()) return {};
    const Size2 rows = yuv_rows(picture.yuv->order, picture.size);
    auto uploaded = upload_rows(yuv_, PixelType::gray8, rows, {frames_.picture(), picture.levels.data()});
    if (uploaded) yuv_frame_ = frames_.frame();
    return uploaded;
  }
  const bool as_it_is = picture.channels == 4 && !picture.is_float;
  FormatImage& to = of(as_it_is ? PixelType::rgba8 : format);
  if (to.frame == frames_.frame()) return {};
  if (!as_it_is) return upload_from_host(format);
  to.conversion.reset();
  auto uploaded = upload_rows(to.image, PixelType::rgba8, picture.size, {frames_.picture(), picture.levels.data()});
  if (uploaded) to.frame = frames_.frame();
  return uploaded;
}

// Converted from the uploaded frame, or by the host while the kernel is being compiled.
Result<void> SourceUploader::bring_rgba8() {
  FormatImage& to = of(PixelType::rgba8);
  const Picture& picture = *frames_.picture();
  if (to.frame == frames_.frame()) return {};
  if (!to.conversion || to.conversion->image != picture.size || to.from_yuv != picture.yuv) {
    to.set_conversion(yuv_plan(*picture.yuv, picture.size));
    to.from_yuv = picture.yuv;
  }
  const bool converted = CONV_TRY(convert(PixelType::rgba8, yuv_));
  return converted ? Result<void>{} : upload_from_host(PixelType::rgba8);
}

Result<const DeviceImage*> SourceUploader::image(PixelType format) {
  FormatImage& to = of(format);
  CONV_TRY(upload(format));
  if (to.frame == frames_.frame()) return &to.image;
  CONV_TRY(bring_rgba8());
  if (format == PixelType::rgba8) return &to.image;
  const Size2 size = frames_.picture()->size;
  if (!to.conversion || to.conversion->image != size) to.set_conversion(frame_plan(format, size));
  const bool converted = CONV_TRY(convert(format, of(PixelType::rgba8).image));
  if (!converted) CONV_TRY(upload_from_host(format));
  return &to.image;
}

// False while the kernel is not ready.
Result<bool> SourceUploader::convert(PixelType format, const DeviceImage& from) {
  FormatImage& to = of(format);
  const CompilerClient client{CompilerClient::Of::conversion, static_cast<int>(format)};
  const Enqueued enqueued = CONV_TRY(gpu_.enqueue(client, to.conversion, to.workspace, from, to.image));
  while (const auto times = gpu_.poll(to.workspace)) {
    if (!*times) break;
    to.ms.add(total_ms(**times));
    if (const auto began = to.workspace.began()) trace_->came(to.conversion.get(), -1, *began, **times);
  }
  const bool runs = enqueued.running != Running::nothing;
  if (runs) to.frame = frames_.frame();
  if (runs && gpu_.anchor()) trace_->await();
  if (!runs && !enqueued.error.empty() && !std::exchange(conversion_fails_, true))
    log_("Frames are converted on the CPU: " + enqueued.error.substr(0, enqueued.error.find('\n')));
  return runs;
}

UploadReport SourceUploader::report() const {
  UploadReport report{.ms = ms_.summary(), .bytes = bytes_};
  for (const FormatImage& image : images_)  // of earlier frames: the GPU may be behind
    if (image.conversion && frames_.frame() - image.frame < 8)
      report.conversions.push_back({std::string(image.conversion->title_of(0)), image.ms.summary()});
  return report;
}

}  // namespace conv
