// Compares two textures with OpenGL: some workgroups per frame; the sums are read later, so no frame waits.
#pragma once
#include <optional>

#include "app/display/spread_pass.h"
#include "app/display/tiles.h"
#include "app/measure/image_metrics.h"
#include "kernels/core/error.h"

namespace conv {

struct MetricsJob {
  TiledTexture a, b;  // of the same size
  Size2 size() const { return a.tiling.size; }
  int channels = 3;  // 1 or 3
  float tolerance = 0;
  long long generation = 0;  // changes with the textures' content; a new one starts again
  friend bool operator==(const MetricsJob&, const MetricsJob&) = default;
};

class MetricsPass {
 public:
  static Result<MetricsPass> create();

  // Continues the job with at most this many workgroups of 4096 pixels. Another job starts again; so does the same job
  // a quarter of a second after it ended.
  void advance(const MetricsJob& job, int groups);
  // The last finished run, if it was for this job.
  std::optional<ImageMetrics> result(const MetricsJob& job) const;

 private:
  void collect();

  SpreadPass<MetricsJob> pass_;
  std::optional<MetricsJob> finished_job_;
  ImageMetrics finished_;
};

}  // namespace conv
