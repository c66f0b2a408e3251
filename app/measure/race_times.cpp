#include "app/measure/race_times.h"

#include <algorithm>
#include <numeric>

#include "kernels/core/registry.h"

namespace conv {

std::vector<std::string> racing_variants(const Settings& settings) {
  std::vector<std::string> ids;
  for (const Variant* variant : variants())
    if (variant->exhibit.empty() && !variant->chooses && !settings.not_racing.contains(std::string(variant->id)))
      ids.emplace_back(variant->id);
  return ids;
}

void RaceTimes::add(RaceSample sample) {
  if (samples_.size() == race_rounds) samples_.erase(samples_.begin());
  samples_.push_back(sample);
}

std::vector<float> RaceTimes::ms() const {
  std::vector<float> list;
  for (const RaceSample& sample : samples_) list.push_back(sample.ms);
  return list;
}

Comparison compare_racers(const RaceTimes& a, const RaceTimes& b) {
  std::vector<float> of_a, of_b;
  auto at = b.samples().begin();
  for (const RaceSample& sample : a.samples()) {
    while (at != b.samples().end() && at->round < sample.round) ++at;
    if (at == b.samples().end() || at->round != sample.round) continue;
    of_a.push_back(sample.ms);
    of_b.push_back(at->ms);
  }
  return compare_lanes(of_a, of_b);
}

std::vector<int> places_of(std::span<const RaceTimes* const> times) {
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return times[i]->samples().empty(); });
  const auto median = [&](std::size_t i) { return times[i]->interval().median; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return median(a) < median(b); });
  std::vector<int> places(times.size());
  std::size_t first = 0;  // of the current place, in `order`
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Comparison against_first = compare_racers(*times[order[first]], *times[order[i]]);
    if (against_first.outcome == Comparison::Outcome::measuring) continue;
    if (against_first.outcome != Comparison::Outcome::tie) first = i;
    places[order[i]] = static_cast<int>(first) + 1;
  }
  return places;
}

}  // namespace conv
