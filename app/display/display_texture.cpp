#include "app/display/display_texture.h"

#include <fmt/format.h>

#include <chrono>

#include "app/display/gl_format.h"

namespace conv {

namespace {

constexpr const char* forced_off = "switched off by --no-interop";

// Names the renderer first: the usual cause is a window on another GPU, or on none.
std::string why_not(const std::string& error) {
  const std::string renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  const bool nvidia = renderer.find("NVIDIA") != std::string::npos;
  return fmt::format("window is on {}{}. {}", renderer,
                     nvidia ? "" : "; choose the NVIDIA GPU for it, on a laptop by PRIME offload", error);
}

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
  if (!allowed_) shown_.registration.reset();  // a device must not keep writing the old texture
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

bool DisplayTexture::write_in_place(PixelType type, Size2 size, const Write& write) {
  resize(type, size);
  if (!reason_.empty()) return false;
  const auto start = std::chrono::steady_clock::now();
  const Result<void> written = write(shown_.texture.name(), shown_.registration);
  if (written) {
    map_host_ms_ = std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start).count();
    return true;
  }
  shown_.registration.reset();
  reason_ = why_not(written.error().text);
  map_host_ms_.reset();
  return false;
}

}  // namespace conv
