#include "app/gl/metrics_pass.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "app/gl/gl_program.h"

namespace {

// As shaders/metrics.comp lays it out.
struct Part {
  float sum_abs, sum_squares, sum_other_squares, sum_similarity, largest;
  GLint at;
  GLuint beyond, windows;
};

int groups_of(Size2 size) {
  return ceil_div(ceil_div(size.width, 8) * ceil_div(size.height, 8), 64);
}

constexpr auto rest = std::chrono::milliseconds(250);

}  // namespace

Result<MetricsPass> MetricsPass::create() {
  MetricsPass pass;
  Result<GlProgram> program = linked_program({{GL_COMPUTE_SHADER, "metrics.comp"}});
  if (!program) return tl::unexpected(program.error());
  pass.program_ = std::move(*program);
  return pass;
}

void MetricsPass::advance(const MetricsJob& job, int groups) {
  if (fence_) collect();
  if (fence_) return;  // the last one's sums are on their way
  const int all = groups_of(job.size);
  if (job_ != job || (next_group_ == all && std::chrono::steady_clock::now() - ended_ > rest)) {
    job_ = job;
    next_group_ = 0;
    const auto bytes = static_cast<GLsizeiptr>(sizeof(Part)) * all;
    if (bytes > capacity_) {
      GLuint name = 0;
      glCreateBuffers(1, &name);
      parts_ = GlBuffer(name);
      glNamedBufferStorage(name, bytes, nullptr, GL_CLIENT_STORAGE_BIT);
      capacity_ = bytes;
    }
  }
  if (next_group_ == all) return;
  const int now = std::min(groups, all - next_group_);
  glUseProgram(program_.name());
  glUniform2i(0, job.size.width, job.size.height);
  glUniform1i(1, job.channels);
  glUniform1f(2, job.tolerance);
  glUniform1i(3, next_group_);
  glBindTextureUnit(0, job.a);
  glBindTextureUnit(1, job.b);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, parts_.name());
  glDispatchCompute(static_cast<GLuint>(now), 1, 1);
  next_group_ += now;
  if (next_group_ < all) return;
  glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  fence_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

void MetricsPass::collect() {
  if (glClientWaitSync(fence_, 0, 0) == GL_TIMEOUT_EXPIRED) return;
  glDeleteSync(std::exchange(fence_, nullptr));
  ended_ = std::chrono::steady_clock::now();
  std::vector<Part> parts(static_cast<std::size_t>(groups_of(job_->size)));
  glGetNamedBufferSubData(parts_.name(), 0, static_cast<GLsizeiptr>(parts.size() * sizeof(Part)), parts.data());
  double sum_abs = 0, sum_squares = 0, sum_other_squares = 0, similarity = 0, windows = 0;
  Part worst{.largest = -1};
  long long beyond = 0;
  for (const Part& part : parts) {
    sum_abs += part.sum_abs;
    sum_squares += part.sum_squares;
    sum_other_squares += part.sum_other_squares;
    similarity += part.sum_similarity;
    windows += part.windows;
    beyond += part.beyond;
    if (part.largest > worst.largest) worst = part;
  }
  const double samples = static_cast<double>(job_->size.area()) * job_->channels;
  const double infinite = std::numeric_limits<double>::infinity();
  finished_ = {.max_abs = worst.largest,
               .where = {worst.at % job_->size.width, worst.at / job_->size.width},
               .mean_abs = sum_abs / samples,
               .mean_square = sum_squares / samples,
               .relative_l2 = sum_squares == 0         ? 0
                              : sum_other_squares == 0 ? infinite
                                                       : std::sqrt(sum_squares / sum_other_squares),
               .similarity = similarity / windows,
               .beyond = beyond,
               .tolerance = job_->tolerance};
  finished_job_ = job_;
}

std::optional<ImageMetrics> MetricsPass::result(const MetricsJob& job) const {
  return finished_job_ == job ? std::optional(finished_) : std::nullopt;
}
