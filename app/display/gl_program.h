// The shaders of the folder `shaders`, which are built into the program.
#pragma once
#include <initializer_list>
#include <string_view>

#include "app/display/gl_object.h"
#include "kernels/core/error.h"
#include "kernels/core/geometry.h"

namespace conv {

struct ShaderFile {
  GLenum stage;
  std::string_view name;  // "image.frag"; after the files that all shaders of this stage begin with
};
// one_tile: for pictures of one tile (tiles.h). The error is the compiler's log, or says that the shaders do not link.
Result<GlProgram> linked_program(std::initializer_list<ShaderFile> shaders, bool one_tile = false);

}  // namespace conv
