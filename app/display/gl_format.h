// The OpenGL formats of the pixel types that textures show.
#pragma once
#include <glad/gl.h>

#include "kernels/core/image.h"

namespace conv {

struct GlFormat {
  GLenum internal, format, type;
};
inline GlFormat gl_format(PixelType type) {
  switch (type) {
    case PixelType::f32: return {GL_R32F, GL_RED, GL_FLOAT};
    case PixelType::f16: return {GL_R16F, GL_RED, GL_HALF_FLOAT};
    case PixelType::gray8: return {GL_R8, GL_RED, GL_UNSIGNED_BYTE};
    case PixelType::rgba8: return {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE};
    case PixelType::rgba16f: return {GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT};
    default: return {GL_RGBA32F, GL_RGBA, GL_FLOAT};
  }
}

}  // namespace conv
