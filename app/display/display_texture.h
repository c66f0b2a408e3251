// The texture that shows a lane's result, in the lane's own format.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/display/texture_pool.h"
#include "kernels/core/error.h"
#include "kernels/core/image.h"

namespace conv {

class DisplayTexture {
 public:
  // allow_interop false: only upload() writes it. The pool must outlive it.
  DisplayTexture(TexturePool& pool, bool allow_interop);

  // Replaces the content from host memory. Size and format follow the image, whose type must be one that textures show.
  void upload(const HostImage& image);
  // The same by a GPU, which writes the texture in place: `write` gets the texture's name and its registration, which
  // it creates if there is none. After a failure interop_reason says why, and `write` is not called again before
  // retry_interop(). Returns whether it wrote.
  using Write = std::function<Result<void>(GLuint texture, std::shared_ptr<void>& registration)>;
  bool write_in_place(PixelType type, Size2 size, const Write& write);

  // The exact content; waits for the GPU.
  HostImage download() const;

  GLuint name() const { return shown_.texture.name(); }
  Size2 size() const { return shown_.size; }
  PixelType type() const { return shown_.type; }
  bool interop() const { return shown_.registration && reason_.empty(); }
  const std::string& interop_reason() const { return reason_; }
  // Host time of the last write in place, while interop is on.
  std::optional<float> map_host_ms() const { return map_host_ms_; }
  void retry_interop();

 private:
  void resize(PixelType type, Size2 size);

  TexturePool& pool_;
  PooledTexture shown_;
  const bool allowed_;
  std::string reason_;  // not empty: interop failed or is off
  std::optional<float> map_host_ms_;
};

}  // namespace conv
