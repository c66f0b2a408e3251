// How OpenGL calls our pixel types.
#pragma once
#include <glad/gl.h>

#include "kernels/core/image.h"

struct GlFormat {
  GLenum internal, format, type;
};
inline GlFormat gl_format(PixelType type) {
  switch (type) {
    case PixelType::f32: return {GL_R32F, GL_RED, GL_FLOAT};
    case PixelType::rgba8: return {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE};
    case PixelType::rgba32f: return {GL_RGBA32F, GL_RGBA, GL_FLOAT};
  }
  return {};
}
