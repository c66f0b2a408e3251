// Counts how often values occur in a texture, with OpenGL.
#pragma once
#include <optional>

#include "app/display/spread_pass.h"
#include "app/display/tiles.h"
#include "app/measure/image_metrics.h"

namespace conv {

struct HistogramJob {
  TiledTexture picture;
  int channels = 3;          // 1 or 3
  float low = 0, high = 1;   // range of the bins; 1 is full scale
  long long generation = 0;  // changes with the texture's content; a new one starts counting again
  friend bool operator==(const HistogramJob&, const HistogramJob&) = default;
};

class HistogramPass {
 public:
  static Result<HistogramPass> create();
  // As MetricsPass::advance.
  void advance(const HistogramJob& job, int groups);
  // The last finished run. The result of an earlier generation remains until the new one is finished.
  const std::optional<Histogram>& result() const { return finished_; }

 private:
  SpreadPass<HistogramJob> pass_;
  std::optional<Histogram> finished_;
};

}  // namespace conv
