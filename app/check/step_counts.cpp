#include "app/check/step_counts.h"

#include <algorithm>
#include <set>

#include "kernels/core/blocks.h"
#include "kernels/cpu/cpu_executor.h"

namespace conv {

StepCounts counts_of(const LaunchPlan& plan, const KernelStep& step, const CompiledText* code) {
  const auto number =
      std::ranges::find_if(plan.steps, [&](const Step& any) { return std::get_if<KernelStep>(&any) == &step; }) -
      plan.steps.begin();
  const WarpRecording recording = CpuExecutor::record_warps(plan, step, middle_block(step));
  StepCounts counts{.title = step.title,
                    .cost = step_costs(plan)[number],
                    .blocks = step.grid.area(),
                    .through_texture = step.through_texture,
                    .warps = recording.warps(),
                    .totals = sum_of(recording, Generation::today)};
  if (step.threads.total() > 0)
    counts.writing_threads = static_cast<double>(step.threads.writing) / static_cast<double>(step.threads.total());
  const int sector = rules_of(Generation::today).transaction_bytes;
  std::set<std::pair<bool, long long>> sectors;  // of images that are read and written
  for (const WarpRequest& request : recording.requests) {
    const AccessSite& site = recording.sites[request.site];
    const std::vector<LaneAccess> lanes = request.accesses();
    if (site.space == conv_cpu::Space::shared) counts.least_wavefronts += least_wavefronts(Generation::today, lanes);
    if (site.space != conv_cpu::Space::global) continue;
    for (const LaneAccess& lane : lanes)
      for (long long at = lane.address / sector; at <= (lane.address + lane.bytes - 1) / sector; ++at)
        sectors.emplace(site.access == conv_cpu::Access::write, at);
  }
  counts.sectors = static_cast<long long>(sectors.size());
  if (code) counts.issued = issued_instructions(*code, step.kernel.file, recording);
  return counts;
}

}  // namespace conv
