#include "app/check/block_shapes.h"

#include "kernels/core/blocks.h"
#include "kernels/core/registry.h"
#include "kernels/cpu/cpu_executor.h"
#include "kernels/variants/support/plan_job.h"

namespace conv {

namespace {

double per_pixel(long long pieces, long long pixels) {
  return static_cast<double>(pieces) / static_cast<double>(std::max(1ll, pixels));
}

ShapeCost cost_of(const LaunchPlan& plan, const KernelStep& step, Size2 block) {
  const Point2 middle = middle_block(step);
  return {.block = block,
          .kernel = step.title,
          .totals = sum_of(CpuExecutor::record_warps(plan, step, middle), Generation::today),
          .written = CpuExecutor::record(plan, step, middle).target_writes};
}

}  // namespace

double ShapeCost::wavefronts() const {
  return per_pixel(totals.shared_read.wavefronts + totals.shared_write.wavefronts, written);
}

double ShapeCost::sectors() const {
  return per_pixel(totals.global_read.sectors + totals.global_write.sectors + totals.taps.sectors, written);
}

Result<BlockShapes> block_shapes(const ShapesQuestion& question, const std::stop_token& stop) {
  BlockShapes shapes{.question = question};
  for (std::size_t lane = 0; lane < question.lanes.size(); ++lane) {
    if (!question.lanes[lane]) continue;
    PlanInputs inputs = *question.lanes[lane];
    const Variant* variant = find_variant(inputs.lane.variant);
    if (!variant) continue;
    for (const Size2 block : block_presets) {
      inputs.lane.block = block;
      const auto plan = plan_job(*variant, question.image, conv_settings(inputs, question.taps), cpu_limits());
      if (!plan) continue;
      for (const Step& step : plan->steps) {
        if (stop.stop_requested()) return failure("cancelled");
        if (const auto* kernel = std::get_if<KernelStep>(&step))
          shapes.lanes[lane].push_back(cost_of(*plan, *kernel, block));
      }
    }
  }
  return shapes;
}

}  // namespace conv
