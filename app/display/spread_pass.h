// A compute shader over a picture, some workgroups per frame. Its buffer is read when OpenGL has finished it, so no
// frame waits.
#pragma once
#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "app/display/gl_program.h"

namespace conv {

// Job: a comparable value. The shader gets the number of its first workgroup at location 3 and writes to the storage
// buffer of binding 0, which starts with zeros.
template <class Job>
class SpreadPass {
 public:
  static Result<SpreadPass> create(std::string_view shader) {
    SpreadPass pass;
    pass.program_ = CONV_TRY(linked_program({{GL_COMPUTE_SHADER, shader}}));
    return pass;
  }

  // Continues the job with at most this many of `all` workgroups. Another job starts again; so does the same job a
  // quarter of a second after it ended. use: sets the shader's other uniforms and its textures. True once the buffer
  // has the whole job().
  template <class Use>
  bool advance(const Job& job, int all, GLsizeiptr bytes, int groups, Use use) {
    if (fence_) return arrived();
    if (job_ != job || (next_group_ == all && std::chrono::steady_clock::now() - ended_ > rest)) {
      job_ = job;
      next_group_ = 0;
      if (bytes > capacity_) {
        GLuint name = 0;
        glCreateBuffers(1, &name);
        buffer_ = GlBuffer(name);
        glNamedBufferStorage(name, bytes, nullptr, GL_CLIENT_STORAGE_BIT);
        capacity_ = bytes;
      }
      glClearNamedBufferData(buffer_.name(), GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, nullptr);
    }
    if (next_group_ == all) return false;
    const int now = std::min(groups, all - next_group_);
    glUseProgram(program_.name());
    use();
    glUniform1i(3, next_group_);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer_.name());
    glDispatchCompute(static_cast<GLuint>(now), 1, 1);
    next_group_ += now;
    if (next_group_ == all) {
      glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
      fence_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    }
    return false;
  }
  const Job& job() const { return *job_; }

  template <class Part>
  std::vector<Part> read(std::size_t count) const {
    std::vector<Part> parts(count);
    glGetNamedBufferSubData(buffer_.name(), 0, static_cast<GLsizeiptr>(count * sizeof(Part)), parts.data());
    return parts;
  }

 private:
  static constexpr auto rest = std::chrono::milliseconds(250);

  bool arrived() {
    if (glClientWaitSync(fence_, 0, 0) == GL_TIMEOUT_EXPIRED) return false;
    glDeleteSync(std::exchange(fence_, nullptr));
    ended_ = std::chrono::steady_clock::now();
    return true;
  }

  GlProgram program_;
  GlBuffer buffer_;
  GLsizeiptr capacity_ = 0;
  std::optional<Job> job_;
  int next_group_ = 0;
  GLsync fence_ = nullptr;
  std::chrono::steady_clock::time_point ended_{};
};

// Workgroups of 64 windows of 8x8 pixels.
inline int groups_of_windows(Size2 size) {
  return ceil_div(ceil_div(size.width, 8) * ceil_div(size.height, 8), 64);
}

}  // namespace conv
