#include "app/live/check_task.h"

#include <algorithm>

#include "app/check/step_counts.h"
#include "app/live/kernel_twin.h"
#include "app/live/puzzle.h"
#include "kernels/core/blocks.h"
#include "kernels/core/registry.h"
#include "kernels/variants/support/declared.h"

namespace conv {

namespace {

// Small pictures of odd sizes, in two formats, with every padding and several filters and blocks.
std::vector<CheckCase> cases_of(const Variant& variant) {
  std::vector<CheckCase> cases = check_cases(14);
  std::erase_if(cases, [&](const CheckCase& c) {
    const bool kept = (c.format == PixelType::f32 || c.format == PixelType::rgba8) && c.filter.radius <= 5 &&
                      c.image != Size2{640, 3};
    return !kept || (variant.fuses_edges && c.filter.kind != FilterKind::edges);
  });
  return cases;
}

CheckCase counted_case(const FilterSpec& filter) {
  return {{200, 120}, PixelType::f32, Border::replicate, filter, {16, 16}};
}

std::vector<CheckCase> cases_of(const Puzzle& puzzle) {
  std::vector<FilterSpec> filters = puzzle.others;
  filters.push_back(puzzle.filter);
  std::vector<CheckCase> cases;
  std::size_t block = 0;
  for (const FilterSpec& filter : filters)
    for (const Size2 image : {Size2{17, 31}, {37, 41}, {66, 35}, {7, 1}, {1, 7}, {1, 1}})
      for (const Border padding : puzzle.paddings)
        cases.push_back({image, PixelType::f32, padding, filter, puzzle.blocks[block++ % puzzle.blocks.size()]});
  return cases;
}

// Of the thread of the block that reads most.
int most_reads(const WarpRecording& recording) {
  std::vector<int> reads(static_cast<std::size_t>(recording.warps()) * WarpRequest::lanes);
  for (const WarpRequest& request : recording.requests) {
    const AccessSite& site = recording.sites[request.site];
    if (site.space != conv_cpu::Space::global || site.access != conv_cpu::Access::read) continue;
    for (int lane = 0; lane < WarpRequest::lanes; ++lane)
      reads[request.warp * WarpRequest::lanes + lane] += request.address[lane] >= 0;
  }
  return std::ranges::max(reads);
}

}  // namespace

WorkDone work_done(const LaunchPlan& plan) {
  double global_reads = 0, shared_reads = 0, taps = 0, sectors = 0, requests = 0, wavefronts = 0, least = 0, most = 0;
  for (const Step& step : plan.steps) {
    const auto* kernel = std::get_if<KernelStep>(&step);
    if (!kernel) continue;
    const StepCounts counts = counts_of(plan, *kernel, nullptr);
    const MemoryTotals& totals = counts.totals;
    const WarpRecording recording = CpuExecutor::record_warps(plan, *kernel, middle_block(*kernel));
    // A variant can have its taps in constant memory only in the kernel for one job, which the CPU executor does not
    // run.
    const bool global_taps =
        kernel->kernel.file == declared_kernel_file ? recording.reads_global_taps : recording.taps_in_global_memory;
    const auto pixels = static_cast<double>(kernel->tile.area());
    global_reads += static_cast<double>(totals.global_read.accesses) / pixels;
    shared_reads += static_cast<double>(totals.shared_read.accesses) / pixels;
    if (global_taps) taps += static_cast<double>(totals.taps.accesses) / pixels;
    sectors += static_cast<double>(totals.global_read.sectors + totals.global_write.sectors);
    requests += static_cast<double>(totals.global_read.requests + totals.global_write.requests);
    wavefronts += static_cast<double>(counts.shared_wavefronts());
    least += static_cast<double>(counts.least_wavefronts);
    most = std::max<double>(most, most_reads(recording));
  }
  return {global_reads, most,         requests > 0 ? sectors / requests : 0,
          taps,         shared_reads, least > 0 ? wavefronts / least : 0};
}

std::optional<CheckTask> check_task(std::string_view id) {
  for (const Puzzle& puzzle : puzzles())
    if (check_name(puzzle) == id)
      return CheckTask{&puzzle.launch, cases_of(puzzle), counted_case(puzzle.filter), puzzle.allowed};
  const auto plans = declared_plans();
  const auto declared = std::ranges::find(plans, id, &Variant::id);
  const Variant* variant = declared != plans.end() ? &*declared : find_variant(id);
  if (!variant) return std::nullopt;
  return CheckTask{variant, cases_of(*variant), counted_case({.sigma = 2, .radius = 5})};
}

std::set<std::string> instances_of(const CheckTask& task, std::set<std::string> more) {
  std::vector<CheckCase> cases = task.cases;
  cases.push_back(task.counted);
  for (const CheckCase& c : cases)
    if (const auto plan = plan_case(*task.variant, c, cpu_limits())) add_instances(*plan, *task.variant, more);
  return more;
}

}  // namespace conv
