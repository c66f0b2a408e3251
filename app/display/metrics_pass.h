// Measures how far two textures are apart on the graphics processor, some workgroups a frame, and reads the sums later:
// no frame waits for it.
#pragma once
#include <optional>

#include "app/display/spread_pass.h"
#include "app/measure/image_metrics.h"
#include "kernels/core/error.h"

namespace conv {

struct MetricsJob {
  GLuint a = 0, b = 0;
  Size2 size;
  int channels = 3;  // 1 or 3
  float tolerance = 0;
  long long generation = 0;  // of what the textures hold: another one begins anew
  friend bool operator==(const MetricsJob&, const MetricsJob&) = default;
};

class MetricsPass {
 public:
  static Result<MetricsPass> create();

  // Goes on with the job, at most so many workgroups of 4096 pixels; another job, or this one a quarter of a second
  // after it ended, begins anew.
  void advance(const MetricsJob& job, int groups);
  // Of the last run that ended, if it was of this job.
  std::optional<ImageMetrics> result(const MetricsJob& job) const;

 private:
  void collect();

  SpreadPass<MetricsJob> pass_;
  std::optional<MetricsJob> finished_job_;
  ImageMetrics finished_;
};

}  // namespace conv
