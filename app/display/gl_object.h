// Move-only owners of OpenGL objects. They need a current context, which must outlive them.
#pragma once
#include <glad/gl.h>

#include <string>
#include <utility>

namespace conv {

// Owns one GL name; Delete deletes it.
template <void (*Delete)(GLuint)>
class GlObject {
 public:
  GlObject() = default;
  explicit GlObject(GLuint name) : name_(name) {}
  ~GlObject() {
    if (name_) Delete(name_);
  }
  GlObject(GlObject&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  GlObject& operator=(GlObject&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  GLuint name() const { return name_; }
  explicit operator bool() const { return name_ != 0; }

 private:
  GLuint name_ = 0;
};

namespace gl_delete {
inline void texture(GLuint name) {
  glDeleteTextures(1, &name);
}
inline void buffer(GLuint name) {
  glDeleteBuffers(1, &name);
}
inline void vertex_array(GLuint name) {
  glDeleteVertexArrays(1, &name);
}
inline void program(GLuint name) {
  glDeleteProgram(name);
}
inline void query(GLuint name) {
  glDeleteQueries(1, &name);
}
}  // namespace gl_delete

using GlTexture = GlObject<gl_delete::texture>;
using GlBuffer = GlObject<gl_delete::buffer>;
using GlVertexArray = GlObject<gl_delete::vertex_array>;
using GlProgram = GlObject<gl_delete::program>;
using GlQuery = GlObject<gl_delete::query>;

}  // namespace conv
