#include "app/display/texture_pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/display/gl_format.h"
#include "kernels/core/units.h"

namespace conv {

namespace {

// Null if the driver has no memory for it.
GlTexture made_texture(PixelType type, const Tiling& tiling) {
  while (glGetError() != GL_NO_ERROR) continue;  // of earlier calls
  GLuint name = 0;
  glCreateTextures(GL_TEXTURE_2D_ARRAY, 1, &name);
  GlTexture texture(name);
  glTextureStorage3D(name, 1, gl_format(type).internal, tiling.tile.width, tiling.tile.height, tiling.count());
  if (glGetError() != GL_NO_ERROR) return {};
  glTextureParameteri(name, GL_TEXTURE_MIN_FILTER, GL_NEAREST);  // the shader averages; the texture remains exact
  glTextureParameteri(name, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  return texture;
}

std::size_t bytes_of(const PooledTexture& t) {
  return static_cast<std::size_t>(t.tiling.tile.area()) * t.tiling.count() * info(t.type).bytes;
}

}  // namespace

Result<PooledTexture> TexturePool::take(PixelType type, Size2 size) {
  if (largest_side_ == 0) glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest_side_);
  const Tiling tiling = tiling_of(size, largest_side_);
  const auto fits = [&](const PooledTexture& t) { return t.type == type && t.tiling == tiling; };
  if (const auto found = std::find_if(unused_.begin(), unused_.end(), fits); found != unused_.end()) {
    PooledTexture texture = std::move(*found);
    unused_.erase(found);
    return texture;
  }
  PooledTexture made{.texture = made_texture(type, tiling), .registration = {}, .type = type, .tiling = tiling};
  if (!made.texture) {
    clear();
    made.texture = made_texture(type, tiling);
  }
  if (made.texture) return made;
  return failure(
      fmt::format("The graphics driver cannot hold {}x{} pixels of {} ({}). Choose a smaller format, or open the "
                  "picture scaled down",
                  size.width, size.height, info(type).title, bytes_text(static_cast<double>(bytes_of(made)))));
}

void TexturePool::give(PooledTexture texture) {
  if (!texture.texture) return;
  unused_.push_front(std::move(texture));
  constexpr std::size_t most = std::size_t{384} << 20;
  std::size_t bytes = 0;
  const auto too_many = std::find_if(unused_.begin(), unused_.end(), [&](const PooledTexture& t) {
    bytes += bytes_of(t);
    return bytes > most;
  });
  unused_.erase(too_many, unused_.end());
}

}  // namespace conv
