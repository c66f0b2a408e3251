#include "app/display/display_texture.h"

#include <fmt/format.h>

#include "app/display/gl_format.h"

namespace conv {

namespace {

constexpr const char* forced_off = "switched off by --no-interop";

std::string gl_text(GLenum name) {
  return reinterpret_cast<const char*>(glGetString(name));
}

}  // namespace

std::string_view interop_advice(std::string_view vendor, std::string_view renderer) {
  if (vendor.starts_with("NVIDIA")) return "; if you have set CUDA_VISIBLE_DEVICES, start without it";
  // In WSL2, Mesa draws through Direct3D, whatever the GPU: "D3D12 (NVIDIA GeForce RTX 3060)".
  if (renderer.starts_with("D3D12")) return "; under WSL2, CUDA cannot write OpenGL's textures";
  return "; choose the NVIDIA GPU for it, on a laptop by PRIME offload";
}

DisplayTexture::DisplayTexture(TexturePool& pool, bool allow_interop)
    : pool_(pool), allowed_(allow_interop), reason_(allow_interop ? "" : forced_off) {}

std::string DisplayTexture::interop_reason() const {
  if (shown_.tiling.count() > 1) return "the picture is larger than one texture may be, so it is copied by the CPU";
  return reason_;
}

std::shared_ptr<void> DisplayTexture::registration_for(PixelType type, Size2 size) const {
  const bool fits = shown_.texture && type == shown_.type && size == shown_.tiling.size;
  return fits && reason_.empty() ? shown_.registration : nullptr;
}

void DisplayTexture::retry_interop() {
  if (allowed_) reason_.clear();
}

Result<void> DisplayTexture::resize(PixelType type, Size2 size) {
  if (shown_.texture && type == shown_.type && size == shown_.tiling.size) return {};
  release();
  shown_ = CONV_TRY(pool_.take(type, size));
  if (!allowed_) shown_.registration.reset();  // a device must not keep writing the old texture
  return {};
}

Result<void> DisplayTexture::upload(const HostImage& image) {
  CONV_TRY(resize(image.type, image.size));
  write_texels(shown_.tiled(), image);
  return {};
}

HostImage DisplayTexture::download() const {
  HostImage image(shown_.type, size());
  read_texels(shown_.tiled(), shown_.type, {}, size(), image.bytes.data());
  return image;
}

bool DisplayTexture::write_in_place(PixelType type, Size2 size, const Write& write) {
  if (!resize(type, size) || !reason_.empty() || shown_.tiling.count() > 1) return false;
  const Result<void> written = write(shown_.texture.name(), shown_.registration);
  if (written) return true;
  shown_.registration.reset();
  // The usual cause is a window on another GPU, or on none.
  const std::string renderer = gl_text(GL_RENDERER);
  reason_ = fmt::format("window is on {}{}. {}", renderer, interop_advice(gl_text(GL_VENDOR), renderer),
                        written.error().text);
  return false;
}

}  // namespace conv
