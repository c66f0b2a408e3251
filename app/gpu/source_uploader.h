// Uploads frames of the source to the GPU in the pixel formats that lanes need. Frames of a moving source are uploaded
// once, as they were decoded, and converted on the GPU.
#pragma once
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/pipeline/backend.h"
#include "kernels/gpu/gpu_executor.h"

namespace conv {

struct Upload {
  std::shared_ptr<const void> memory;  // the device reads it until its time has arrived
  long long bytes;
};

class SourceUploader {
 public:
  // Both must outlive it.
  SourceUploader(GpuExecutor& gpu, CurrentFrame& frames, std::function<void(const std::string&)> log)
      : gpu_(gpu), frames_(frames), log_(std::move(log)) {}

  // waits: for each upload. trace: records uploads and conversions of this frame; may be null.
  void begin_frame(bool waits, std::shared_ptr<FrameTrace> trace);
  // Gives back large images in formats that none of these plans reads.
  void keep_only(const std::vector<std::shared_ptr<const LaunchPlan>>& plans);
  // Uploads the current frame if this format needs it and it was not uploaded yet.
  Result<void> upload(PixelType format);
  // The current frame in this format. Valid until the next frame.
  Result<const DeviceImage*> image(PixelType format);
  // Collects the times that have arrived.
  void collect();
  // Tries conversions again whose kernel did not compile.
  void kernels_changed() { conversion_fails_ = false; }
  bool converts() const { return !conversion_fails_; }
  UploadReport report() const;

 private:
  struct FormatImage {
    DeviceImage image;
    long long frame = -1;                          // number of the frame in `image`
    std::shared_ptr<const LaunchPlan> conversion;  // from another image on the device; null: uploaded
    std::optional<YuvFormat> from_yuv;             // what the conversion is for
    Workspace workspace;
    Samples ms;

    void set_conversion(LaunchPlan plan) {
      conversion = std::make_shared<const LaunchPlan>(std::move(plan));
      workspace = {};  // drops the times in flight
      ms.clear();
    }
  };
  FormatImage& of(PixelType format) { return images_[static_cast<std::size_t>(format)]; }
  Result<void> upload_from_host(PixelType format);
  Result<void> upload_rows(DeviceImage& to, PixelType format, Size2 size, std::shared_ptr<const void> rows);
  Result<void> bring_rgba8();
  Result<bool> convert(PixelType format, const DeviceImage& from);

  GpuExecutor& gpu_;
  CurrentFrame& frames_;
  std::function<void(const std::string&)> log_;
  std::array<FormatImage, pixel_types.size()> images_;
  DeviceImage yuv_;  // the last frame uploaded as YUV
  long long yuv_frame_ = -1;
  bool conversion_fails_ = false;
  bool waits_ = false;
  std::shared_ptr<FrameTrace> trace_;
  EventTimer timer_;
  std::deque<Upload> under_way_;
  Samples ms_;  // for this many bytes:
  long long bytes_ = 0;
};

}  // namespace conv
