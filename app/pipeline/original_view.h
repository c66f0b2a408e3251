// The source as a picture, as it is before the filter.
#pragma once
#include "app/display/display_texture.h"
#include "app/pipeline/current_frame.h"

namespace conv {

class OriginalView {
 public:
  explicit OriginalView(TexturePool& textures) : texture_(textures, false) {}  // the pool must outlive it

  // The frame in this format. Null until it has been converted, and if there is no memory for it.
  const DisplayTexture* show(CurrentFrame& frames, PixelType format) {
    if (!frames.picture()) return nullptr;
    if (texture_.has_content() && texture_.type() == format && frame_ == frames.frame()) return &texture_;
    if (!frames.prepare(format).value_or(false)) return nullptr;
    frame_ = frames.frame();
    return texture_.upload(*frames.image(format)) ? &texture_ : nullptr;
  }
  void release() { texture_.release(); }

 private:
  DisplayTexture texture_;
  long long frame_ = -1;
};

}  // namespace conv
