#include "app/measure/time_samples.h"

#include <algorithm>
#include <cmath>

namespace conv {

Interval median_interval(std::vector<float> values) {
  std::sort(values.begin(), values.end());  // the ranks are n/2 -+ 0.98 sqrt(n)
  const float n = static_cast<float>(values.size());
  const auto rank = [&](float r) { return values[static_cast<std::size_t>(std::clamp(r, 0.0f, n - 1))]; };
  const float reach = 0.98f * std::sqrt(n);
  return {rank(std::floor(n / 2 - reach)), quantile(values, 0.5f), rank(std::ceil(n / 2 + reach))};
}

void Samples::add(float ms) {
  if (values_.size() == capacity) values_.erase(values_.begin());
  values_.push_back(ms);
}

void Samples::clear() {
  values_.clear();
}

std::optional<Summary> Samples::summary() const {
  return summary_of(values_);
}

std::optional<Summary> summary_of(std::vector<float> ms) {
  if (ms.empty()) return std::nullopt;
  std::sort(ms.begin(), ms.end());
  return Summary{quantile(ms, 0.5f), quantile(ms, 0.1f), quantile(ms, 0.9f), static_cast<int>(ms.size())};
}

float quantile(std::span<const float> sorted, float p) {
  const float at = p * static_cast<float>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<float>(below)) * (sorted[above] - sorted[below]);
}

std::optional<int> faster_lane(const Comparison& comparison) {
  switch (comparison.outcome) {
    case Comparison::Outcome::measuring: return std::nullopt;
    case Comparison::Outcome::tie: return -1;
    case Comparison::Outcome::a_faster: return 0;
    case Comparison::Outcome::b_faster: return 1;
  }
  return std::nullopt;
}

Comparison compare_lanes(std::span<const float> a, std::span<const float> b) {
  const std::size_t count = std::min(a.size(), b.size());
  if (count < compared_samples) return {};
  a = a.last(count);
  b = b.last(count);
  std::vector<float> ratios, own;
  for (std::size_t i = 0; i < count; ++i) ratios.push_back(b[i] / a[i]);
  for (std::size_t i = 1; i < count; ++i) own.push_back(a[i] / a[i - 1]);
  const Interval between = median_interval(std::move(ratios)), within = median_interval(std::move(own));
  Comparison comparison{.ratio = between.median, .low = between.low, .high = between.high};
  using Outcome = Comparison::Outcome;
  if (between.low > std::max(1 + least_difference, within.high))
    comparison.outcome = Outcome::a_faster;
  else if (between.high < std::min(1 - least_difference, within.low))
    comparison.outcome = Outcome::b_faster;
  else
    comparison.outcome = Outcome::tie;
  return comparison;
}

}  // namespace conv
