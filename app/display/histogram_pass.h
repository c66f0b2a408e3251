// Counts how often values occur in a texture, on the graphics processor.
#pragma once
#include <optional>

#include "app/display/spread_pass.h"
#include "app/measure/image_metrics.h"

namespace conv {

struct HistogramJob {
  GLuint texture = 0;
  Size2 size;
  int channels = 3;          // 1 or 3
  float low = 0, high = 1;   // of the bins; 1 is full scale
  long long generation = 0;  // of what the texture holds: another one begins anew
  friend bool operator==(const HistogramJob&, const HistogramJob&) = default;
};

class HistogramPass {
 public:
  static Result<HistogramPass> create();
  // As MetricsPass::advance.
  void advance(const HistogramJob& job, int groups);
  // Of the last run that ended; another generation's stays until this one's is there.
  const std::optional<Histogram>& result() const { return finished_; }

 private:
  SpreadPass<HistogramJob> pass_;
  std::optional<Histogram> finished_;
};

}  // namespace conv
