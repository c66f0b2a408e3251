#include "kernels/gpu/texture_object.h"

#include <utility>

#include "kernels/gpu/cuda_check.h"

namespace conv {

namespace {

// The address mode for this border; other rules compute the index in the kernel.
cudaTextureAddressMode address_mode(Border border) {
  if (border == Border::wrap) return cudaAddressModeWrap;
  if (border == Border::symmetric) return cudaAddressModeMirror;
  if (border == Border::zero) return cudaAddressModeBorder;
  return cudaAddressModeClamp;
}

Result<cudaTextureObject_t> texture_over(const PixelBuffer& image, PixelType type, Border border) {
  const PixelTypeInfo& pixel = info(type);
  const int bits = 8 * pixel.bytes / pixel.channels, more = pixel.channels == 4 ? bits : 0;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {
      .devPtr = image.data,
      .desc = {bits, more, more, more, bits == 32 ? cudaChannelFormatKindFloat : cudaChannelFormatKindUnsigned},
      .width = static_cast<std::size_t>(image.width),
      .height = static_cast<std::size_t>(image.height),
      .pitchInBytes = static_cast<std::size_t>(image.stride_px) * pixel.bytes};
  cudaTextureDesc texture{};
  texture.addressMode[0] = texture.addressMode[1] = address_mode(border);
  texture.filterMode = cudaFilterModePoint;
  texture.readMode = cudaReadModeElementType;
  texture.normalizedCoords = border == Border::wrap || border == Border::symmetric;
  cudaTextureObject_t object = 0;
  CONV_TRY_CUDA(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  return object;
}

}  // namespace

TextureObject::~TextureObject() {
  if (texture_) cudaDestroyTextureObject(texture_);
}

TextureObject& TextureObject::operator=(TextureObject&& other) noexcept {
  std::swap(texture_, other.texture_);
  std::swap(image_, other.image_);
  std::swap(type_, other.type_);
  std::swap(border_, other.border_);
  return *this;
}

Result<cudaTextureObject_t> TextureObject::of(const PixelBuffer& image, PixelType type, Border border) {
  const bool same = texture_ && image.data == image_.data && image.width == image_.width &&
                    image.height == image_.height && type == type_ && border == border_;
  if (same) return texture_;
  if (texture_) cudaDestroyTextureObject(std::exchange(texture_, 0));
  texture_ = CONV_TRY(texture_over(image, type, border));
  image_ = image;
  type_ = type;
  border_ = border;
  return texture_;
}

}  // namespace conv
