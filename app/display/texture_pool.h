// Textures that are not in use, kept for later images of the same size and format. Creating one anew would also need a
// registration with CUDA, and the driver's memory would change by tens of MB each time.
#pragma once
#include <list>
#include <memory>

#include "app/display/gl_object.h"
#include "app/display/tiles.h"
#include "kernels/core/error.h"
#include "kernels/core/image.h"

namespace conv {

struct PooledTexture {
  GlTexture texture;
  std::shared_ptr<void> registration;  // with the GPU that writes it, or null; ends before the texture
  PixelType type = PixelType::rgba8;   // the type that textures show
  Tiling tiling;
  TiledTexture tiled() const { return {texture.name(), tiling}; }
};

class TexturePool {
 public:
  // largest_side: of a texture; 0: as the driver says.
  explicit TexturePool(int largest_side = 0) : largest_side_(largest_side) {}

  // A texture of exactly this kind, from the pool or new and not registered. Its content is undefined. If the driver
  // has no memory for it, unused ones are deleted first; then the error says what to do.
  Result<PooledTexture> take(PixelType type, Size2 size);
  // Deletes those unused longest while all together have more than 384 MB.
  void give(PooledTexture texture);
  void clear() { unused_.clear(); }

 private:
  int largest_side_;
  std::list<PooledTexture> unused_;  // the last one returned is first
};

}  // namespace conv
