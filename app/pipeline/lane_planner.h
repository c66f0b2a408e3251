// Turns a lane's settings into the plan that it runs, or into the reason why it cannot run.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/settings.h"
#include "app/model/status.h"
#include "kernels/core/plan.h"

namespace conv {

// What a picture shows: "tile_unrolled", "radius 5".
struct PictureLabel {
  std::string variant, radius;
  std::string text() const { return variant + " · " + radius; }
};

struct PlannedLane {
  PlanInputs inputs;
  std::shared_ptr<const LaunchPlan> plan;  // null: refused
  std::string refusal;                     // why it was refused; otherwise empty
  std::string exhibit;                     // how the running variant is deliberately wrong
  std::string radius_text;                 // the plan's window: "radius 5", "radius 4, fallback", "3x5 matrix"
  int max_radius = conv::max_radius;       // the largest square window that the variant can do here

  // "tile_unrolled", and the variant it has chosen, if any.
  std::string name() const {
    return plan->chosen.empty() ? inputs.lane.variant : inputs.lane.variant + ": " + std::string(plan->chosen);
  }
  PictureLabel label() const { return {name(), radius_text}; }
};

// The number of lanes in the view: 1 to max_lanes.
int shown_lanes(const Settings& settings);

// The host variant for these taps: it takes milliseconds where a kernel on the CPU executor may take seconds.
// Boxes, too: `cpu_box` would gain few of them, and a lane that has it must change when the filter does.
inline std::string_view fast_variant(const Taps& taps) {
  return taps.rank > 1 ? "cpu_direct" : "cpu_separable";
}

// What all lanes of a frame share. The taps are those of the inputs' filter.
struct PlanContext {
  Size2 image;
  std::shared_ptr<const Taps> taps;
  DeviceLimits limits;
  const Faults& crashed;  // variants that are refused
  // Makes a plan run kernels that were edited; returns whether it has any.
  std::function<bool(LaunchPlan&)> put_edits_into = [](LaunchPlan&) { return false; };
};
// before: of the same lane; its largest radius is reused if nothing it depends on has changed. May be null.
PlannedLane plan_lane(PlanInputs inputs, const PlanContext& context, const PlannedLane* before);

// The plan with another filter, to compile its kernels early. Nothing if it is refused.
std::optional<LaunchPlan> plan_with(const PlanInputs& inputs, const FilterSpec& filter, const PlanContext& context);

// How well the plan's kernels fill the GPU, as compiled and with other block shapes. footprints: one per step.
std::vector<StepOccupancy> occupancy_of(const PlannedLane& lane, const PlanContext& context,
                                        const std::vector<std::optional<Footprint>>& footprints,
                                        const MultiprocessorLimits& multiprocessor);

}  // namespace conv
