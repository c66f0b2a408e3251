// The texture a lane's result is shown from, in the lane's own format. With interop the GPU writes it in place;
// without, the result takes the way through host memory.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "app/display/texture_pool.h"
#include "kernels/core/error.h"
#include "kernels/core/image.h"

#if defined(CONV_WITH_CUDA)
#include "kernels/gpu/device_image.h"
#endif

class DisplayTexture {
 public:
  // allow_interop false forces the copy. The pool outlives it.
  DisplayTexture(TexturePool& pool, bool allow_interop);

  // Replaces the content; size and format follow the image, whose type is one that textures show.
  void upload(const HostImage& image);
#if defined(CONV_WITH_CUDA)
  // The same from the device. With interop: mapped, copied on the stream and unmapped. If anything about that fails,
  // now or later, the copy takes over and interop_reason says why.
  Result<void> present(const DeviceImage& image, cudaStream_t stream);
#endif

  // The content, exactly; waits for the GPU.
  HostImage download() const;

  GLuint name() const {
    return shown_.texture.name();
  }
  Size2 size() const {
    return shown_.size;
  }
  PixelType type() const {
    return shown_.type;
  }
  bool interop() const {
    return shown_.registration && reason_.empty();
  }
  const std::string& interop_reason() const {
    return reason_;
  }
  // Host time of the last map..unmap, while interop is on.
  std::optional<float> map_host_ms() const {
    return map_host_ms_;
  }
  void retry_interop();

 private:
  void resize(PixelType type, Size2 size);
#if defined(CONV_WITH_CUDA)
  Result<void> present_mapped(const DeviceImage& image, cudaStream_t stream);
#endif

  TexturePool& pool_;
  PooledTexture shown_;
  const bool allowed_;
  std::string reason_;  // not empty: interop failed or is off
  std::optional<float> map_host_ms_;
};
