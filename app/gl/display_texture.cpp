#include "app/gl/display_texture.h"

#include <fmt/format.h>

#include <chrono>

#include "app/gl/gl_format.h"

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

DisplayTexture::DisplayTexture(bool allow_interop)
    : allowed_(allow_interop), reason_(allow_interop ? "" : forced_off) {}

DisplayTexture::~DisplayTexture() {
  unregister();
}

void DisplayTexture::retry_interop() {
  if (allowed_) reason_.clear();
}

void DisplayTexture::resize(PixelType type, Size2 size) {
  if (texture_ && type == type_ && size == size_) return;
  unregister();
  GLuint name = 0;
  glCreateTextures(GL_TEXTURE_2D, 1, &name);
  texture_ = GlTexture(name);
  glTextureStorage2D(name, 1, gl_format(type).internal, size.width, size.height);
  glTextureParameteri(name, GL_TEXTURE_MIN_FILTER, GL_NEAREST);  // the shader averages; the texture stays exact
  glTextureParameteri(name, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTextureParameteri(name, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTextureParameteri(name, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  type_ = type;
  size_ = size;
}

void DisplayTexture::upload(const HostImage& image) {
  resize(image.type, image.size);
  const GlFormat format = gl_format(type_);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTextureSubImage2D(texture_.name(), 0, 0, 0, size_.width, size_.height, format.format, format.type,
                      image.bytes.data());
}

HostImage DisplayTexture::download() const {
  HostImage image(type_, size_);
  const GlFormat format = gl_format(type_);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glGetTextureImage(texture_.name(), 0, format.format, format.type, static_cast<GLsizei>(image.bytes.size()),
                    image.bytes.data());
  return image;
}

#if defined(CONV_WITH_CUDA)
void DisplayTexture::unregister() {
  if (registration_) cudaGraphicsUnregisterResource(std::exchange(registration_, nullptr));
}

Result<void> DisplayTexture::present(const DeviceImage& image, cudaStream_t stream) {
  resize(image.type(), image.size());
  if (reason_.empty()) {
    const Result<void> mapped = present_mapped(image, stream);
    if (mapped) return mapped;
    unregister();
    reason_ = why_not(mapped.error().text);
    map_host_ms_.reset();
  }
  const Result<HostImage> copied = image.download(stream);
  if (!copied) return tl::unexpected(copied.error());
  upload(*copied);
  return {};
}

Result<void> DisplayTexture::present_mapped(const DeviceImage& image, cudaStream_t stream) {
  if (!registration_)
    CONV_TRY_CUDA(cudaGraphicsGLRegisterImage(&registration_, texture_.name(), GL_TEXTURE_2D,
                                              cudaGraphicsRegisterFlagsWriteDiscard));
  const auto start = std::chrono::steady_clock::now();
  CONV_TRY_CUDA(cudaGraphicsMapResources(1, &registration_, stream));
  cudaArray_t array = nullptr;
  Result<void> copied = cuda_result(cudaGraphicsSubResourceGetMappedArray(&array, registration_, 0, 0),
                                    "cudaGraphicsSubResourceGetMappedArray");
  const std::size_t row_bytes = static_cast<std::size_t>(size_.width) * info(type_).bytes;
  if (copied)
    copied = cuda_result(cudaMemcpy2DToArrayAsync(array, 0, 0, image.buffer().data, image.pitch_bytes(), row_bytes,
                                                  size_.height, cudaMemcpyDeviceToDevice, stream),
                         "cudaMemcpy2DToArrayAsync");
  CONV_TRY_CUDA(cudaGraphicsUnmapResources(1, &registration_, stream));
  map_host_ms_ = std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start).count();
  return copied;
}
#else
void DisplayTexture::unregister() {}
#endif
