#include "app/check/traced_block.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/cpu/cpu_executor.h"

namespace conv {

std::string_view phase_title(const MemoryTotals& totals) {
  if (totals.global_write.requests > 0) return "compute and store";
  if (totals.shared_write.requests == 0) return "compute";
  return totals.shared_read.requests > 0 ? "stage" : "load";
}

std::string tile_row_text(const KernelStep& step) {
  const Size2 staged{step.tile.width + 2 * step.apron.width, step.tile.height + 2 * step.apron.height};
  std::string text =
      fmt::format("{} | {} | {} = {} pixels", step.apron.width, step.tile.width, step.apron.width, staged.width);
  const int bytes = step.shared_bytes - step.second_stage_bytes;
  if (bytes > 0 && bytes % staged.area() == 0) text += fmt::format(" = {} bytes", bytes / staged.area() * staged.width);
  return text;
}

TracedBlock traced_block(const BlockQuestion& question) {
  TracedBlock block{.question = question,
                    .recording = CpuExecutor::record_warps(*question.plan, *question.step, question.block)};
  const std::vector<WarpRequest>& requests = block.recording.requests;
  for (int warp = 0; warp <= block.recording.warps(); ++warp)
    block.first_requests.push_back(static_cast<int>(
        std::ranges::lower_bound(requests, warp, {}, [](const WarpRequest& r) { return r.warp; }) - requests.begin()));
  for (const MemoryRules& rules : memory_rules) {
    TracedBlock::Counts& counts = block.counts[static_cast<std::size_t>(rules.generation)];
    std::vector<MemoryTotals> epochs(static_cast<std::size_t>(block.recording.epochs()));
    counts.sites.resize(block.recording.sites.size());
    for (const WarpRequest& request : requests) {
      counts.requests.push_back(totals_of(block.recording, request, rules.generation));
      part_of(epochs[request.epoch], block.recording.sites[request.site]).add(counts.requests.back());
      counts.sites[request.site].add(counts.requests.back());
    }
    for (const MemoryTotals& epoch : epochs) {
      const std::string_view title = phase_title(epoch);
      const auto same = std::ranges::find(counts.phases, title, &TracedPhase::title);
      (same == counts.phases.end() ? counts.phases.emplace_back(TracedPhase{.title = title}) : *same).totals.add(epoch);
    }
  }
  return block;
}

MemoryTotals totals_until(const TracedBlock& block, int warp, int count, Generation generation) {
  MemoryTotals totals;
  const int first = block.first_requests[warp];
  for (int i = first; i < first + std::min(count, block.requests_of(warp)); ++i)
    part_of(totals, block.recording.sites[block.recording.requests[i].site]).add(block.by(generation).requests[i]);
  return totals;
}

}  // namespace conv
