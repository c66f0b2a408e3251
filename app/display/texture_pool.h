// Textures that are not shown now, for images of their size and format to come. Made anew at each change they would
// cost a registration with CUDA each time, and the driver's memory would come and go by tens of MB.
#pragma once
#include <list>
#include <memory>

#include "app/display/gl_object.h"
#include "kernels/core/image.h"

namespace conv {

struct PooledTexture {
  GlTexture texture;
  std::shared_ptr<void> registration;  // with the GPU that writes it; null: none. Ends before the texture
  PixelType type = PixelType::rgba8;   // as textures show it
  Size2 size = {};
};

class TexturePool {
 public:
  // Exactly such a one, or a new one that is not registered. Its content is anything.
  PooledTexture take(PixelType type, Size2 size);
  // The longest unused ones go where they are more than 384 MB together.
  void give(PooledTexture texture);
  void clear() { unused_.clear(); }

 private:
  std::list<PooledTexture> unused_;  // the last one given first
};

}  // namespace conv
