// An image that kernels read through the texture units.
#pragma once
#include <cuda_runtime_api.h>

#include "kernels/core/plan.h"

namespace conv {

// Owns one texture object for an image in linear memory. It is created again only if the image or its use changes.
class TextureObject {
 public:
  TextureObject() = default;
  ~TextureObject();
  TextureObject(TextureObject&& other) noexcept { *this = std::move(other); }
  TextureObject& operator=(TextureObject&& other) noexcept;

  Result<cudaTextureObject_t> of(const PixelBuffer& image, PixelType type, Border border);

 private:
  cudaTextureObject_t texture_ = 0;
  PixelBuffer image_{};
  PixelType type_ = PixelType::f32;
  Border border_ = Border::any;
};

}  // namespace conv
