#include "app/ui/widgets/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/widgets/widgets.h"

namespace conv {

// Why two lanes have no ratio, or not yet.
static std::string why_undecided(const AppStatus& status) {
  const LaneStatus &a = status.lanes[0], &b = status.lanes[1];
  for (const LaneStatus* lane : {&a, &b})
    if (!lane->refusal.empty()) return fmt::format("{} cannot run with these settings", lane == &a ? 'A' : 'B');
  if (!a.exhibit.empty() || !b.exhibit.empty()) return "exhibits are not ranked";
  if (a.on_cpu != b.on_cpu) return "one is a CPU time, the other a GPU time";
  if (a.includes_transfers() != b.includes_transfers()) return "one time includes the transfers, the other does not";
  int fewest = compared_samples;
  for (const auto& ms : status.best.ms) fewest = std::min(fewest, ms ? ms->count : 0);
  return fmt::format("{} of {} samples", fewest, compared_samples);
}

LanesVerdict verdict_on(const AppStatus& status) {
  using Outcome = Comparison::Outcome;
  if (!status.lanes[1].active) return {};
  const Comparison& c = status.best.comparison;
  if (c.outcome == Outcome::measuring) return {"undecided", why_undecided(status)};
  const bool a = c.outcome == Outcome::a_faster;
  if (c.outcome == Outcome::tie)
    return {"tie", fmt::format("B/A {}, 95 % {} to {}: no clear difference", three_digits(c.ratio), three_digits(c.low),
                               three_digits(c.high))};
  const auto times_faster = [&](float ratio) { return three_digits(a ? ratio : 1 / ratio); };
  return {fmt::format("{} is {}× faster", a ? 'A' : 'B', times_faster(c.ratio)),
          fmt::format("95 % {} to {}", times_faster(a ? c.low : c.high), times_faster(a ? c.high : c.low)), a ? 0 : 1};
}

}  // namespace conv
