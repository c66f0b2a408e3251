// Textures that are not in use, kept for later images of the same size and format. Creating one anew would also need a
// registration with CUDA, and the driver's memory would change by tens of MB each time.
#pragma once
#include <list>
#include <memory>

#include "app/display/gl_object.h"
#include "kernels/core/image.h"

namespace conv {

struct PooledTexture {
  GlTexture texture;
  std::shared_ptr<void> registration;  // with the GPU that writes it, or null; ends before the texture
  PixelType type = PixelType::rgba8;   // the type that textures show
  Size2 size = {};
};

class TexturePool {
 public:
  // A texture of exactly this kind, from the pool or new and not registered. Its content is undefined.
  PooledTexture take(PixelType type, Size2 size);
  // Deletes those unused longest while all together have more than 384 MB.
  void give(PooledTexture texture);
  void clear() { unused_.clear(); }

 private:
  std::list<PooledTexture> unused_;  // the last one returned is first
};

}  // namespace conv
