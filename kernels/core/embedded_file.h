// Text files that conv_embed (kernels/embed.cmake) builds into the program.
#pragma once
#include <span>
#include <string_view>

namespace conv {

struct EmbeddedFile {
  std::string_view path, text;  // path relative to the source folder
};

std::span<const EmbeddedFile> embedded_kernels();
std::span<const EmbeddedFile> embedded_shaders();

}  // namespace conv
