// The double-precision reference as a picture: computed by a worker, shown in a texture of its own.
#pragma once
#include <memory>

#include "app/display/display_texture.h"
#include "app/pipeline/reference_worker.h"

namespace conv {

class ReferenceView {
 public:
  explicit ReferenceView(TexturePool& textures) : texture_(textures, false) {}  // the pool must outlive it

  ReferenceWorker& worker() { return worker_; }
  float progress() const { return worker_.progress(); }
  // The result of this job as floats, 1 at full scale. Null until it has been computed, which the first call starts,
  // and where valid padding leaves no pixel.
  const DisplayTexture* show(const ReferenceJob& job);

 private:
  ReferenceWorker worker_;
  DisplayTexture texture_;
  std::shared_ptr<const Reference> shown_;
};

}  // namespace conv
