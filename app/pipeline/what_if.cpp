#include "app/pipeline/what_if.h"

#include <fmt/format.h>

#include "app/measure/gpu_models.h"
#include "app/pipeline/lane_planner.h"

namespace conv {

// One per step; nothing for steps without a kernel.
static Result<std::vector<std::optional<Footprint>>> footprints_of(const LaunchPlan& plan, const KernelTexts& texts,
                                                                   const GpuModel& gpu, const std::stop_token& stop) {
  const std::string architecture = fmt::format("sm_{}", gpu.compute_capability);
  const MultiprocessorLimits multiprocessor = multiprocessor_of(gpu);
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
    footprints.back() = Footprint{resources, occupancy_of(resources, multiprocessor).blocks};
  }
  return footprints;
}

WhatIfAnswer what_if(const WhatIfQuestion& question, const std::stop_token& stop) {
  static const Faults none;
  const GpuModel& gpu = *question.gpu;
  const PlanContext context{question.image, question.taps, limits_of(gpu), none};
  WhatIfAnswer answer{.question = question};
  for (std::size_t i = 0; i < question.lanes.size(); ++i) {
    if (!question.lanes[i]) continue;
    const PlannedLane lane = plan_lane(*question.lanes[i], context, nullptr);
    answer.why_none[i] = lane.refusal;
    if (!lane.plan) continue;
    if (!lane.plan->on_host()) answer.least[i] = least_time(step_costs(*lane.plan), gpu);
    if (const auto footprints = footprints_of(*lane.plan, *question.texts, gpu, stop))
      answer.lanes[i] = occupancy_of(lane, context, *footprints, multiprocessor_of(gpu));
    else
      answer.why_none[i] = footprints.error().text;
  }
  return answer;
}

}  // namespace conv
