// Text files built into the program by conv_embed (kernels/embed.cmake).
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
