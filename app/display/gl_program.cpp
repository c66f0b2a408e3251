#include "app/display/gl_program.h"

#include <fmt/format.h>

#include <vector>

#include "kernels/core/embedded_file.h"

namespace conv {

namespace {

std::string_view shader_text(std::string_view name) {
  for (const EmbeddedFile& file : embedded_shaders())
    if (file.path.ends_with(name)) return file.text;
  return {};
}

// 0 and a log if it does not compile.
GLuint compile(const ShaderFile& file, bool one_tile, std::string& log) {
  std::string text = "#version 450 core\n";
  if (one_tile) text += "#define ONE_TILE\n";
  if (file.stage != GL_VERTEX_SHADER) text += shader_text("tiles.glsl");
  if (file.stage == GL_FRAGMENT_SHADER) text += shader_text("view.glsl");
  text += fmt::format("#line 1\n{}", shader_text(file.name));
  const char* start = text.c_str();
  const GLuint shader = glCreateShader(file.stage);
  glShaderSource(shader, 1, &start, nullptr);
  glCompileShader(shader);
  GLint good = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
  if (good) return shader;
  char message[1024] = "";
  glGetShaderInfoLog(shader, sizeof(message), nullptr, message);
  log = fmt::format("shaders/{}: {}", file.name, message);
  glDeleteShader(shader);
  return 0;
}

}  // namespace

Result<GlProgram> linked_program(std::initializer_list<ShaderFile> shaders, bool one_tile) {
  std::string log;
  std::vector<GLuint> compiled;
  GlProgram program(glCreateProgram());
  for (const ShaderFile& file : shaders)
    if (const GLuint shader = compile(file, one_tile, log)) {
      glAttachShader(program.name(), shader);
      compiled.push_back(shader);
    }
  GLint good = 0;
  if (log.empty()) {
    glLinkProgram(program.name());
    glGetProgramiv(program.name(), GL_LINK_STATUS, &good);
  }
  for (const GLuint shader : compiled) glDeleteShader(shader);
  if (!good) return failure(log.empty() ? fmt::format("shaders/{} does not link", shaders.begin()->name) : log);
  return program;
}

}  // namespace conv
