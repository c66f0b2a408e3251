// Statistics of a race: who is faster, from samples taken in turns.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "app/measure/time_samples.h"
#include "app/model/settings.h"

namespace conv {

// The ids of the variants in the race, in the order of the registry.
std::vector<std::string> racing_variants(const Settings& settings);

// Rounds that a race remembers.
inline constexpr int race_rounds = 101;

struct RaceSample {
  int round = 0;
  float ms = 0;
};
// Samples of one variant by rising round; beyond race_rounds the oldest are dropped.
class RaceTimes {
 public:
  void add(RaceSample sample);
  std::span<const RaceSample> samples() const { return samples_; }
  // Median, p10 and p90; nothing before the first sample.
  std::optional<Summary> summary() const { return summary_of(ms()); }
  // The 95 % interval of the median; all 0 before the first sample.
  Interval interval() const { return samples_.empty() ? Interval{} : median_interval(ms()); }

 private:
  std::vector<float> ms() const;
  std::vector<RaceSample> samples_;
};

// As compare_lanes, over the rounds that both were in.
Comparison compare_racers(const RaceTimes& a, const RaceTimes& b);

// Places from 1, in the order of the list, by median. Variants that tie with the first of a place share it; the next
// place is counted as if there were no ties. 0 for a variant without samples, or while it cannot be compared with the
// first.
std::vector<int> places_of(std::span<const RaceTimes* const> times);

}  // namespace conv
