#include "app/headless/processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace conv {

Result<Processor> Processor::create(DeviceChoice choice, int most_threads) {
  Processor processor;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  processor.cpu_ = std::make_unique<CpuExecutor>(most_threads > 0 ? std::clamp(cores, 1, most_threads) : 0);
  if (choice == DeviceChoice::cpu) return processor;
  auto gpu = open_headless_gpu(*processor.sources_);
  if (gpu)
    processor.gpu_ = std::move(*gpu);
  else if (choice == DeviceChoice::gpu)
    return failure(fmt::format("--device gpu: {}", gpu.error().text));
  else
    processor.no_gpu_ = gpu.error().text;
  return processor;
}

const DeviceInfo* Processor::device() const {
  return gpu_ ? &gpu_->device() : nullptr;
}

std::string Processor::name() const {
  return device() ? device()->name : fmt::format("CPU executor, {} threads", cpu_->threads());
}

DeviceLimits Processor::limits() const {
  DeviceLimits limits = device() ? device()->limits : cpu_limits();
  limits.rankings = rankings_;
  return limits;
}

Result<std::vector<StepSpan>> Processor::run(const LaunchPlan& plan, const HostImage& source, HostImage& target,
                                             const std::stop_token& stop) {
  if (gpu_ && !plan.on_host()) return gpu_->run(plan, source, target);
  target = HostImage(plan.format, plan.image);
  return cpu_->run(plan, source, target, stop);
}

Result<std::vector<conv_cpu::AccessFault>> Processor::watch(const LaunchPlan& plan, const HostImage& source) {
  if (std::ranges::any_of(plan.steps, [](const Step& step) { return std::holds_alternative<NppStep>(step); }))
    return failure("a step of this variant runs in a library on the GPU, where its accesses cannot be watched");
  HostImage target(plan.format, plan.image);
  for (const AccessCounts& counts : cpu_->trace(plan, source, target))
    if (!counts.faults.empty()) return counts.faults;
  return std::vector<conv_cpu::AccessFault>();
}

Result<LaunchPlan> plan_of(const LaneSettings& lane, const Settings& shared, std::shared_ptr<const Taps> taps,
                           Size2 image, const DeviceLimits& limits) {
  return plan_job(*find_variant(lane.variant), image, conv_settings(lane, shared, std::move(taps)), limits);
}

}  // namespace conv
