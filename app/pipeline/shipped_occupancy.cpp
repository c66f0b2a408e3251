#include "app/pipeline/shipped_occupancy.h"

#include <fmt/format.h>

#include "app/measure/shipped.h"
#include "app/pipeline/lane_planner.h"

namespace conv {

// One per step; nothing for steps without a kernel.
static Result<std::vector<std::optional<Footprint>>> footprints_of(const LaunchPlan& plan, const KernelTexts& texts,
                                                                   const ShippedResults& gpu,
                                                                   const std::stop_token& stop) {
  const std::string architecture = fmt::format("sm_{}", gpu.limits.compute_capability);
  std::vector<std::optional<Footprint>> footprints;
  for (const auto& any : plan.steps) {
    footprints.emplace_back();
    const auto* step = std::get_if<KernelStep>(&any);
    if (!step) continue;
    if (stop.stop_requested()) return failure("cancelled");
    const CountedKernel counted = CONV_TRY(nvrtc_compile_and_count(texts, exact_job(step->kernel, architecture)));
    KernelResources resources = counted.resources;
    resources.shared_bytes += step->shared_bytes;
    resources.block = step->block;
    footprints.back() = Footprint{resources, occupancy_of(resources, gpu.multiprocessor).blocks};
  }
  return footprints;
}

OccupancyAnswer shipped_occupancy(const OccupancyQuestion& question, const std::stop_token& stop) {
  static const Faults none;
  const ShippedResults& gpu = *question.gpu;
  const PlanContext context{question.image, question.taps, gpu.limits, none};
  OccupancyAnswer answer{.question = question};
  for (std::size_t i = 0; i < question.lanes.size(); ++i) {
    if (!question.lanes[i]) continue;
    const PlannedLane lane = plan_lane(*question.lanes[i], context, nullptr);
    answer.why_none[i] = lane.refusal;
    if (!lane.plan) continue;
    if (const auto footprints = footprints_of(*lane.plan, *question.texts, gpu, stop))
      answer.lanes[i] = occupancy_of(lane, context, *footprints, gpu.multiprocessor);
    else
      answer.why_none[i] = footprints.error().text;
  }
  return answer;
}

}  // namespace conv
