#include "app/display/metrics_pass.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace conv {

namespace {

// The layout of shaders/metrics.comp.
struct Part {
  float sum_abs, sum_squares, sum_other_squares, sum_similarity, largest;
  GLint at;
  GLuint beyond, windows, ulps;
};

}  // namespace

Result<MetricsPass> MetricsPass::create() {
  SpreadPass<MetricsJob> pass = CONV_TRY(SpreadPass<MetricsJob>::create("metrics.comp"));
  MetricsPass metrics;
  metrics.pass_ = std::move(pass);
  return metrics;
}

void MetricsPass::advance(const MetricsJob& job, int groups) {
  const int all = groups_of_windows(job.size());
  const bool arrived = pass_.advance(job, all, static_cast<GLsizeiptr>(sizeof(Part)) * all, groups, [&] {
    glUniform2i(0, job.size().width, job.size().height);
    glUniform1i(1, job.channels);
    glUniform1f(2, job.tolerance);
    job.a.set_tiles();
    job.a.bind(0);
    job.b.bind(1);
  });
  if (arrived) collect();
}

void MetricsPass::collect() {
  const MetricsJob& job = pass_.job();
  const auto parts = pass_.read<Part>(static_cast<std::size_t>(groups_of_windows(job.size())));
  double sum_abs = 0, sum_squares = 0, sum_other_squares = 0, similarity = 0, windows = 0;
  Part worst{.largest = -1};
  long long beyond = 0;
  GLuint ulps = 0;
  for (const Part& part : parts) {
    sum_abs += part.sum_abs;
    sum_squares += part.sum_squares;
    sum_other_squares += part.sum_other_squares;
    similarity += part.sum_similarity;
    windows += part.windows;
    beyond += part.beyond;
    ulps = std::max(ulps, part.ulps);
    if (part.largest > worst.largest) worst = part;
  }
  const double samples = static_cast<double>(job.size().area()) * job.channels;
  const double infinite = std::numeric_limits<double>::infinity();
  finished_ = {.max_abs = worst.largest,
               .max_ulp = ulps,
               .where = {worst.at % job.size().width, worst.at / job.size().width},
               .mean_abs = sum_abs / samples,
               .mean_square = sum_squares / samples,
               .relative_l2 = sum_squares == 0         ? 0
                              : sum_other_squares == 0 ? infinite
                                                       : std::sqrt(sum_squares / sum_other_squares),
               .similarity = similarity / windows,
               .beyond = beyond,
               .tolerance = job.tolerance};
  finished_job_ = job;
}

std::optional<ImageMetrics> MetricsPass::result(const MetricsJob& job) const {
  return finished_job_ == job ? std::optional(finished_) : std::nullopt;
}

}  // namespace conv
