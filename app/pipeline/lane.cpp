#include "app/pipeline/lane.h"

#include <algorithm>

namespace conv {

void LaneTimes::add(const std::vector<StepSpan>& spans, bool keeps_first) {
  const float ms = total_ms(spans);
  spent_ms += ms;
  if (!cold_ms) {
    cold_ms = ms;
    if (!keeps_first) return;
  }
  kernel_ms.add(ms);
  for (std::size_t i = 0; i < std::min(spans.size(), steps_ms.size()); ++i) steps_ms[i].add(spans[i].ms());
  timeline = spans;
}

void Lane::report(LaneStatus& status) const {
  status.active = active;
  status.has_picture = has_picture;
  status.shown = shown.variant.empty() ? "" : shown.text();
  status.note = note;
  status.log = log;
  status.on_cpu = on_cpu;
  status.times.history.assign(times.kernel_ms.values().begin(), times.kernel_ms.values().end());
  status.interop = texture->interop();
  status.interop_reason = texture->interop_reason();
  status.occupancy = occupancy;
  status.picture = times.series;
  status.frame = shown_frame;
  status.refusal = planned ? planned->refusal : "";
  status.exhibit = planned ? planned->exhibit : "";
  status.max_radius = planned ? planned->max_radius : conv::max_radius;
  status.plan = planned ? planned->plan : nullptr;
  status.settled = settled && status.refusal.empty();
}

void Lane::report_times(LaneStatus& status) const {
  status.times.kernel_ms = times.kernel_ms.summary();
  status.times.before_ms = times.before_ms;
  status.times.cold_ms = times.cold_ms;
  status.times.timeline = times.timeline;
  status.times.generation = times.series;
  status.times.to_texture_ms = times.to_texture_ms.summary();
  status.times.steps.clear();
  if (plan())
    for (std::size_t s = 0; s < times.steps_ms.size(); ++s)
      status.times.steps.push_back({std::string(plan()->title_of(s)), times.steps_ms[s].summary()});
}

}  // namespace conv
