// Who is faster, from samples taken in turns.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "app/measure/samples.h"
#include "app/model/settings.h"

namespace conv {

// The ids of those that race, in the order of the registry.
std::vector<std::string> racing_variants(const Settings& settings);

// Rounds a race remembers.
inline constexpr int race_rounds = 101;

struct RaceSample {
  int round = 0;
  float ms = 0;
};
// Of one that races, by rising round; the oldest go beyond race_rounds.
class RaceTimes {
 public:
  void add(RaceSample sample);
  std::span<const RaceSample> samples() const { return samples_; }
  // Median, p10 and p90; nothing before the first sample.
  std::optional<Summary> summary() const { return summary_of(ms()); }
  // Of the median; all 0 before the first sample.
  Interval interval() const { return samples_.empty() ? Interval{} : median_interval(ms()); }

 private:
  std::vector<float> ms() const;
  std::vector<RaceSample> samples_;
};

// As compare_lanes, over the rounds that both were in.
Comparison compare_racers(const RaceTimes& a, const RaceTimes& b);

// Places from 1, in the order of the list: by median; who ties with the first of a place shares it, and the next one
// has the place it would have without ties. 0 for one without samples, or while nothing can be said against the first.
std::vector<int> places_of(std::span<const RaceTimes* const> times);

}  // namespace conv
