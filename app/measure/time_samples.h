// Times by the measurement protocol: the last 64 samples, their median and their 10th to 90th percentile.
#pragma once
#include <optional>
#include <span>
#include <vector>

namespace conv {

struct Summary {
  float median = 0, p10 = 0, p90 = 0;  // ms
  int count = 0;
};

class Samples {
 public:
  static constexpr int capacity = 64;
  void add(float ms);
  void clear();
  // Nothing before the first sample.
  std::optional<Summary> summary() const;
  // Oldest first.
  std::span<const float> values() const { return values_; }

 private:
  std::vector<float> values_;
};

// Nothing for an empty list.
std::optional<Summary> summary_of(std::vector<float> ms);
// The p-quantile of the sorted values, linearly interpolated. Not for empty lists.
float quantile(std::span<const float> sorted, float p);

// Less is no difference: two CUDA events measure a turn of half a millisecond to within a microsecond, and the same
// kernel with another target differed by 0.03 % on an H200.
inline constexpr float least_difference = 0.002f;
// B's time / A's time. The one rule for "faster": the 95 % interval of the ratio's median lies outside 1 +- the least
// difference, and outside the interval of A against A over the same samples.
struct Comparison {
  enum class Outcome { measuring, tie, a_faster, b_faster } outcome = Outcome::measuring;
  float ratio = 1;          // median of b / a
  float low = 1, high = 1;  // its 95 % interval
};
// 0 for A, 1 for B, -1 for a tie; nothing while measuring.
std::optional<int> faster_lane(const Comparison& comparison);
// The distribution-free 95 % interval of the median, by order statistics. Not for empty lists.
struct Interval {
  float low = 0, median = 0, high = 0;
};
Interval median_interval(std::vector<float> values);
inline constexpr int compared_samples = 16;
// Pairs samples of the same age; needs compared_samples of each.
Comparison compare_lanes(std::span<const float> a, std::span<const float> b);

}  // namespace conv
