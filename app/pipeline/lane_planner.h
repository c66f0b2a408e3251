// From a lane's settings to the plan that it runs, or to the reason why it cannot.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/settings.h"
#include "app/model/status.h"
#include "kernels/core/plan.h"

namespace conv {

struct PlannedLane {
  PlanInputs inputs;
  std::shared_ptr<const LaunchPlan> plan;  // null: refused
  std::string refusal;                     // why; empty when it is not
  std::string exhibit;                     // what is wrong on purpose with what runs
  std::string radius;                      // of the plan's window: "radius 5", "3x5 matrix"
  int max_radius = conv::max_radius;       // the largest square window that the variant can do here

  // Of its variant, and of what that has chosen.
  std::string name() const {
    return plan->chosen.empty() ? inputs.lane.variant : inputs.lane.variant + ": " + std::string(plan->chosen);
  }
};

// Lanes that the view shows: 1 to max_lanes.
int shown_lanes(const Settings& settings);
// A and B have settings of their own; the others in the grid have those of A, but for the variant.
LaneSettings lane_settings(const Settings& settings, int lane);

// What holds for all lanes of a frame. The taps are of the inputs' filter.
struct PlanContext {
  Size2 image;
  std::shared_ptr<const Taps> taps;
  DeviceLimits limits;
  const Faults& crashed;  // variants that are refused
};
// before: of the same lane, whose largest radius is kept where nothing that it depends on has changed; may be null.
PlannedLane plan_lane(PlanInputs inputs, const PlanContext& context, const PlannedLane* before);

// What the lane would run at another filter: for the compiler, ahead of time. Nothing where it is refused.
std::optional<LaunchPlan> plan_with(const PlanInputs& inputs, const FilterSpec& filter, const PlanContext& context);

// How well the plan's kernels fill the GPU, as compiled and over other block shapes. footprints: of each step.
std::vector<StepOccupancy> occupancy_of(const PlannedLane& lane, const PlanContext& context,
                                        const std::vector<std::optional<Footprint>>& footprints,
                                        const MultiprocessorLimits& multiprocessor);

}  // namespace conv
