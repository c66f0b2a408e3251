// The texture that shows a lane's result, in the lane's own format.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "app/display/texture_pool.h"
#include "kernels/core/error.h"
#include "kernels/core/image.h"

namespace conv {

// What to do where a GPU cannot write textures in place, from the names that OpenGL gives: GL_VENDOR, GL_RENDERER.
std::string_view interop_advice(std::string_view vendor, std::string_view renderer);

class DisplayTexture {
 public:
  // allow_interop false: only upload() writes it. The pool must outlive it.
  DisplayTexture(TexturePool& pool, bool allow_interop);

  // Replaces the content from host memory. Size and format follow the image, whose type must be one that textures show.
  // The error says that there is no memory.
  Result<void> upload(const HostImage& image);
  // The same by a GPU, which writes the texture in place: `write` gets the texture's name and its registration, which
  // it creates if there is none. After a failure interop_reason says why, and `write` is not called again before
  // retry_interop(). Returns whether it wrote. A picture of more than one tile is never written in place.
  using Write = std::function<Result<void>(GLuint texture, std::shared_ptr<void>& registration)>;
  bool write_in_place(PixelType type, Size2 size, const Write& write);

  // The exact content; waits for the GPU.
  HostImage download() const;

  bool has_content() const { return static_cast<bool>(shown_.texture); }
  TiledTexture tiled() const { return shown_.tiled(); }
  Size2 size() const { return shown_.tiling.size; }
  PixelType type() const { return shown_.type; }
  bool interop() const { return shown_.registration && reason_.empty(); }
  // The registration with which the next picture of this kind will be written in place; null if it will not be, or if
  // that needs a new one.
  std::shared_ptr<void> registration_for(PixelType type, Size2 size) const;
  // Why interop is off; empty while it is on, or not used yet.
  std::string interop_reason() const;
  void retry_interop();
  // Gives the texture back to the pool: there is no content.
  void release() { pool_.give(std::exchange(shown_, {})); }

 private:
  Result<void> resize(PixelType type, Size2 size);

  TexturePool& pool_;
  PooledTexture shown_;
  const bool allowed_;
  std::string reason_;  // not empty: interop failed or is off
};

}  // namespace conv
