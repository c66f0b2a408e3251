// A lane: what it runs, what its texture shows, and the times of its launches.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/display/display_texture.h"
#include "app/measure/time_samples.h"
#include "app/pipeline/backend.h"
#include "app/pipeline/lane_planner.h"
#include "kernels/core/cost.h"

namespace conv {

// Times of launches of one plan with one kernel; they start again if either changes.
struct LaneTimes {
  long long series = 0;            // grows with each start
  Samples kernel_ms;               // on a GPU without the first launch, which has cold caches
  std::optional<float> cold_ms;    // of the first launch
  std::vector<Samples> steps_ms;   // of each step of the plan
  std::vector<StepSpan> timeline;  // of the last launch
  Samples to_texture_ms;
  float spent_ms = 0;

  std::optional<float> before_ms;         // the median of an earlier series
  double before_work = 0, plan_work = 0;  // multiply-adds of its plan, and of the plan of this series
  void begin_anew(const LaunchPlan* plan) {
    const auto ms = kernel_ms.summary();
    *this = {.series = series + 1,
             .before_ms = ms ? std::optional(ms->median) : before_ms,
             .before_work = ms ? plan_work : before_work,
             .plan_work = plan ? static_cast<double>(cost_of(*plan).multiply_adds) : 0};
    steps_ms.resize(plan ? plan->steps.size() : 0);
  }
  // From the earlier series, for its plan; nothing before the first.
  std::optional<float> expected_ms() const {
    if (!before_ms || before_work <= 0) return std::nullopt;
    return *before_ms * static_cast<float>(std::max(1.0, plan_work / before_work));
  }
  // keeps_first: a CPU run may take a second, and the first is as warm as the next.
  void add(const std::vector<StepSpan>& spans, bool keeps_first);
};

struct Lane {
  bool active = false;  // the view shows it
  std::optional<PlannedLane> planned;
  long long number = 0;  // of the plan: grows with each
  bool on_cpu = false;   // the plan runs there

  // What the processor is doing for it.
  bool changed = true;                 // the last job had another plan
  Running running = Running::nothing;  // which kernel ran in the last launch
  long long frame = -1;                // of the source, in the last job
  long long gave_back_for = -1;        // number of the last plan for which hidden lanes gave their memory back

  // What the texture shows.
  std::unique_ptr<DisplayTexture> texture;
  bool has_picture = false;
  bool settled = false;            // what was requested, by the exact kernel
  std::optional<long long> fresh;  // the frame of the source whose result waits to be shown
  PictureLabel fresh_label;        // what it is
  long long shown_frame = -1;
  PictureLabel shown;
  std::string note, log;  // why the texture shows something else; a compiler's whole text

  LaneTimes times;
  std::vector<StepOccupancy> occupancy;

  const LaunchPlan* plan() const { return planned ? planned->plan.get() : nullptr; }
  // Everything that panels show of it. times: also what changes with each frame.
  void report(LaneStatus& status) const;
  void report_times(LaneStatus& status) const;
};

}  // namespace conv
