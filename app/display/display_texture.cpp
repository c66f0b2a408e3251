#include "app/display/display_texture.h"

#include <fmt/format.h>

#include <chrono>

#include "app/display/gl_format.h"

#if defined(CONV_WITH_CUDA)
#include <cuda_gl_interop.h>

#include "kernels/gpu/cuda_check.h"
#endif

namespace {

constexpr const char* forced_off = "switched off by --no-interop";

#if defined(CONV_WITH_CUDA)
// Names the renderer first: a window on another GPU, or on none, is the usual cause.
std::string why_not(const std::string& error) {
  const std::string renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  const bool nvidia = renderer.find("NVIDIA") != std::string::npos;
  return fmt::format("window is on {}{}. {}", renderer,
                     nvidia ? "" : "; choose the NVIDIA GPU for it, on a laptop by PRIME offload", error);
}
#endif

}  // namespace

DisplayTexture::DisplayTexture(TexturePool& pool, bool allow_interop)
    : pool_(pool), allowed_(allow_interop), reason_(allow_interop ? "" : forced_off) {}

void DisplayTexture::retry_interop() {
  if (allowed_) reason_.clear();
}

void DisplayTexture::resize(PixelType type, Size2 size) {
  if (shown_.texture && type == shown_.type && size == shown_.size) return;
  pool_.give(std::exchange(shown_, {}));
  shown_ = pool_.take(type, size);
  if (!allowed_) shown_.registration.reset();  // of a device that this one would not hear the end of
}

void DisplayTexture::upload(const HostImage& image) {
  resize(image.type, image.size);
  const GlFormat format = gl_format(shown_.type);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTextureSubImage2D(shown_.texture.name(), 0, 0, 0, shown_.size.width, shown_.size.height, format.format, format.type,
                      image.bytes.data());
}

HostImage DisplayTexture::download() const {
  HostImage image(shown_.type, shown_.size);
  const GlFormat format = gl_format(shown_.type);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glGetTextureImage(shown_.texture.name(), 0, format.format, format.type, static_cast<GLsizei>(image.bytes.size()),
                    image.bytes.data());
  return image;
}

#if defined(CONV_WITH_CUDA)
Result<void> DisplayTexture::present(const DeviceImage& image, cudaStream_t stream) {
  resize(image.type(), image.size());
  if (reason_.empty()) {
    const Result<void> mapped = present_mapped(image, stream);
    if (mapped) return mapped;
    shown_.registration.reset();
    reason_ = why_not(mapped.error().text);
    map_host_ms_.reset();
  }
  const Result<HostImage> copied = image.download(stream);
  if (!copied) return tl::unexpected(copied.error());
  upload(*copied);
  return {};
}

Result<void> DisplayTexture::present_mapped(const DeviceImage& image, cudaStream_t stream) {
  cudaGraphicsResource_t& registration = shown_.registration.get();
  if (!registration)
    CONV_TRY_CUDA(cudaGraphicsGLRegisterImage(&registration, shown_.texture.name(), GL_TEXTURE_2D,
                                              cudaGraphicsRegisterFlagsWriteDiscard));
  const auto start = std::chrono::steady_clock::now();
  CONV_TRY_CUDA(cudaGraphicsMapResources(1, &registration, stream));
  cudaArray_t array = nullptr;
  Result<void> copied = cuda_result(cudaGraphicsSubResourceGetMappedArray(&array, registration, 0, 0),
                                    "cudaGraphicsSubResourceGetMappedArray");
  const std::size_t row_bytes = static_cast<std::size_t>(shown_.size.width) * info(shown_.type).bytes;
  if (copied)
    copied = cuda_result(cudaMemcpy2DToArrayAsync(array, 0, 0, image.buffer().data, image.pitch_bytes(), row_bytes,
                                                  shown_.size.height, cudaMemcpyDeviceToDevice, stream),
                         "cudaMemcpy2DToArrayAsync");
  CONV_TRY_CUDA(cudaGraphicsUnmapResources(1, &registration, stream));
  map_host_ms_ = std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start).count();
  return copied;
}
#endif
