// A lane: what it is to run, what its texture shows, and the times of its launches.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/display/display_texture.h"
#include "app/measure/samples.h"
#include "app/pipeline/backend.h"
#include "app/pipeline/lane_planner.h"

namespace conv {

// Of launches of one plan by one kernel; begins anew when either changes.
struct LaneTimes {
  long long series = 0;            // grows with each new beginning
  Samples kernel_ms;               // without the first launch on a GPU, which finds cold caches
  std::optional<float> cold_ms;    // of that one
  std::vector<Samples> steps_ms;   // of each step of the plan
  std::vector<StepSpan> timeline;  // of the last launch
  float spent_ms = 0;

  void begin_anew(const LaunchPlan* plan) {
    *this = {.series = series + 1};
    steps_ms.resize(plan ? plan->steps.size() : 0);
  }
  // keeps_first: on the CPU a run may take a second, and is as warm as the next.
  void add(const std::vector<StepSpan>& spans, bool keeps_first);
};

struct Lane {
  bool active = false;  // the view shows it
  std::optional<PlannedLane> planned;
  long long number = 0;  // of the plan: grows with each
  bool on_cpu = false;   // the plan runs there

  // What is asked of the processor.
  bool changed = true;                 // the last job was of another plan
  Running running = Running::nothing;  // by which kernel the last launch ran
  long long frame = -1;                // of the source, in the last job

  // What the texture shows.
  std::unique_ptr<DisplayTexture> texture;
  bool has_picture = false;
  bool settled = false;        // it is of what was asked for, by the exact kernel
  bool fresh = false;          // a result of this frame waits to be shown
  long long shown_frame = -1;  // of the source
  std::string shown;           // "tile_unrolled · radius 5"
  std::string shown_radius;
  std::string note, log;  // why the texture shows something else; a compiler's whole text

  LaneTimes times;
  Samples to_texture_ms, map_host_ms;
  std::vector<StepOccupancy> occupancy;

  const LaunchPlan* plan() const { return planned ? planned->plan.get() : nullptr; }
  // All that panels show of it; times: also those that change with each frame.
  void report(LaneStatus& status) const;
  void report_times(LaneStatus& status) const;
};

}  // namespace conv
