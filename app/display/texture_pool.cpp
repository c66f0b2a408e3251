#include "app/display/texture_pool.h"

#include <algorithm>

#include "app/display/gl_format.h"

namespace conv {

PooledTexture TexturePool::take(PixelType type, Size2 size) {
  const auto fits = [&](const PooledTexture& t) { return t.type == type && t.size == size; };
  if (const auto found = std::find_if(unused_.begin(), unused_.end(), fits); found != unused_.end()) {
    PooledTexture texture = std::move(*found);
    unused_.erase(found);
    return texture;
  }
  GLuint name = 0;
  glCreateTextures(GL_TEXTURE_2D, 1, &name);
  glTextureStorage2D(name, 1, gl_format(type).internal, size.width, size.height);
  glTextureParameteri(name, GL_TEXTURE_MIN_FILTER, GL_NEAREST);  // the shader averages; the texture remains exact
  glTextureParameteri(name, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTextureParameteri(name, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTextureParameteri(name, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return {.texture = GlTexture(name), .registration = {}, .type = type, .size = size};
}

void TexturePool::give(PooledTexture texture) {
  if (!texture.texture) return;
  unused_.push_front(std::move(texture));
  constexpr std::size_t most = std::size_t{384} << 20;
  std::size_t bytes = 0;
  const auto too_many = std::find_if(unused_.begin(), unused_.end(), [&](const PooledTexture& t) {
    bytes += static_cast<std::size_t>(t.size.area()) * info(t.type).bytes;
    return bytes > most;
  });
  unused_.erase(too_many, unused_.end());
}

}  // namespace conv
