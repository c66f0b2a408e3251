#include "app/pipeline/lane_planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/registry.h"
#include "kernels/variants/support/plan_job.h"

namespace conv {

namespace {

// on_gpu: the kernel of this job runs. The CPU executor always reads the radius at run time.
std::string describe_radius(const LaunchPlan& plan, const FilterSpec& filter, bool on_gpu) {
  Size2 radius;
  for (const TapsTable& table : plan.tables)
    radius = {std::max(radius.width, table.radius.width), std::max(radius.height, table.radius.height)};
  if (info(filter.kind).size == FilterSize::fixed && filter.kind != FilterKind::custom)
    return std::string(info(filter.kind).title);
  if (filter.kind == FilterKind::custom)
    return fmt::format("{}x{} matrix", 2 * radius.width + 1, 2 * radius.height + 1);
  std::string_view choice;
  for (const Step& step : plan.steps)
    if (const auto* kernel = std::get_if<KernelStep>(&step); on_gpu && kernel && kernel->templated)
      choice = *kernel->templated ? ", templated" : ", fallback";
  return fmt::format("radius {}{}", radius.width, choice);
}

// Plans refuse all radii above some limit: the variant's, or less on this device or with this block. These taps are
// positive and separable, which every variant accepts.
int largest_radius(const Variant& variant, Size2 image, const LaneSettings& lane, const DeviceLimits& limits) {
  int fits = 0, refused = variant.max_radius + 1;
  while (refused - fits > 1) {
    const int radius = (fits + refused) / 2, side = 2 * radius + 1;
    const std::vector<float> factor(side, 1.0f);
    const auto taps = std::make_shared<const Taps>(
        Taps{.size = {side, side}, .values = std::vector<float>(side * side, 1.0f), .row = factor, .column = factor});
    const ConvSettings settings{
        .taps = taps, .format = lane.format, .border = Border::zero, .block = lane.block, .switches = lane.switches};
    const bool planned = plan_job(variant, image, applicable(variant, settings), limits).has_value();
    (planned ? fits : refused) = radius;
  }
  return fits;
}

// The share of the multiprocessor with another block shape; nothing if the plan is refused.
std::optional<double> share_with(Size2 block, const PlannedLane& lane, std::size_t number, const PlanContext& context,
                                 KernelResources resources, const MultiprocessorLimits& multiprocessor) {
  ConvSettings job = conv_settings(lane.inputs, context.taps);
  job.block = block;
  const Variant& variant = *find_variant(lane.inputs.lane.variant);
  const auto plan = plan_job(variant, lane.plan->source, applicable(variant, job), context.limits);
  const auto* same = plan && number < plan->steps.size() ? std::get_if<KernelStep>(&plan->steps[number]) : nullptr;
  if (!same) return std::nullopt;
  resources.block = same->block;
  resources.shared_bytes += same->shared_bytes - std::get<KernelStep>(lane.plan->steps[number]).shared_bytes;
  return occupancy_of(resources, multiprocessor).share();
}

}  // namespace

int shown_lanes(const Settings& settings) {
  if (settings.view == ViewMode::single) return 1;
  return settings.view == ViewMode::grid ? 2 + static_cast<int>(settings.grid.size()) : 2;
}

PlannedLane plan_lane(PlanInputs inputs, const PlanContext& context, const PlannedLane* before) {
  PlannedLane lane{.inputs = std::move(inputs)};
  const LaneSettings& chosen = lane.inputs.lane;
  const Variant& variant = *find_variant(chosen.variant);
  lane.max_radius = before && before->inputs.lane == chosen
                        ? before->max_radius
                        : largest_radius(variant, context.image, chosen, context.limits);
  // Switches that remain from another variant have no effect here; the command line would refuse them.
  const ConvSettings job = applicable(variant, conv_settings(lane.inputs, context.taps));
  lane.exhibit = exhibit_of(variant, job.switches);
  Result<LaunchPlan> plan = plan_job(variant, context.image, job, context.limits);
  const std::string runs(plan && !plan->chosen.empty() ? plan->chosen : chosen.variant);
  if (const auto fault = context.crashed.find(runs); fault != context.crashed.end())
    plan = failure(fmt::format("{} crashed: {}. Edit its kernel file to try it again", runs, fault->second));
  if (!plan) {
    lane.refusal = plan.error().text;
    return lane;
  }
  const bool is_edited = context.put_edits_into(*plan) && context.limits.compute_capability == 0;
  lane.plan = std::make_shared<const LaunchPlan>(std::move(*plan));
  lane.radius_text = describe_radius(*lane.plan, lane.inputs.filter, context.limits.compute_capability > 0);
  if (is_edited) lane.radius_text += ", edited, checked";
  return lane;
}

std::optional<LaunchPlan> plan_with(const PlanInputs& inputs, const FilterSpec& filter, const PlanContext& context) {
  Result<Taps> taps = taps_of(filter);
  if (!taps) return std::nullopt;
  const Variant& variant = *find_variant(inputs.lane.variant);
  const ConvSettings job = conv_settings(inputs, std::make_shared<const Taps>(std::move(*taps)));
  Result<LaunchPlan> plan = plan_job(variant, context.image, applicable(variant, job), context.limits);
  return plan ? std::optional(std::move(*plan)) : std::nullopt;
}

std::vector<StepOccupancy> occupancy_of(const PlannedLane& lane, const PlanContext& context,
                                        const std::vector<std::optional<Footprint>>& footprints,
                                        const MultiprocessorLimits& multiprocessor) {
  std::vector<StepOccupancy> list;
  for (std::size_t s = 0; s < footprints.size(); ++s) {
    if (!footprints[s]) continue;
    const auto& step = std::get<KernelStep>(lane.plan->steps[s]);
    const KernelResources& resources = footprints[s]->resources;
    StepOccupancy& to = list.emplace_back(StepOccupancy{.title = step.title,
                                                        .resources = resources,
                                                        .occupancy = occupancy_of(resources, multiprocessor),
                                                        .counted_blocks = footprints[s]->blocks});
    to.waves = static_cast<double>(step.grid.area()) / std::max(1, to.occupancy.blocks * multiprocessor.count);
    to.writing_share =
        static_cast<double>(step.threads.writing) / static_cast<double>(std::max(1ll, step.threads.total()));
    for (const Size2 block : block_presets)
      to.curve.push_back({.block = block, .share = share_with(block, lane, s, context, resources, multiprocessor)});
  }
  return list;
}

}  // namespace conv
