// Runs plans without a window and waits for them, on the GPU or on the CPU executor.
#pragma once
#include <memory>

#include "app/headless/headless_gpu.h"
#include "app/model/settings.h"
#include "kernels/core/registry.h"
#include "kernels/cpu/cpu_executor.h"
#include "kernels/variants/support/plan_job.h"

namespace conv {

class Processor {
 public:
  // automatic: the GPU if there is one. gpu: fails with the reason if there is none.
  // most_threads: on the host; 0: one per core.
  static Result<Processor> create(DeviceChoice choice, int most_threads = 0);

  bool on_gpu() const { return gpu_ != nullptr; }
  HeadlessGpu* gpu() { return gpu_.get(); }        // null without a GPU
  int threads() const { return cpu_->threads(); }  // host threads
  CpuExecutor& cpu() { return *cpu_; }
  std::string name() const;  // "NVIDIA H200" or "CPU executor, 2 threads"
  std::string no_gpu_reason() const { return no_gpu_; }
  DeviceLimits limits() const;
  // The rankings that the variant "auto" uses from now on.
  void set_rankings(std::shared_ptr<const std::vector<Ranking>> rankings) { rankings_ = std::move(rankings); }
  const DeviceInfo* device() const;  // null without a GPU

  // Returns the times of the steps: by GPU events, or by a steady clock on the CPU. Host steps always run on the CPU.
  // A run on the CPU ends soon after stop is requested; there is no result then.
  Result<std::vector<StepSpan>> run(const LaunchPlan& plan, const HostImage& source, HostImage& target,
                                    const std::stop_token& stop = {});
  // Runs the plan's kernels on the CPU executor and watches every access; takes several times as long. Returns the
  // faults, of each kind the first, the most serious first: memory outside an image or the block's shared memory, a
  // barrier that some threads never reach, a race, a pixel that is written twice or never. Fails if a step cannot be
  // watched.
  Result<std::vector<conv_cpu::AccessFault>> watch(const LaunchPlan& plan, const HostImage& source);

 private:
  std::unique_ptr<KernelSources> sources_ = std::make_unique<KernelSources>();
  std::unique_ptr<HeadlessGpu> gpu_;
  std::unique_ptr<CpuExecutor> cpu_;
  std::string no_gpu_;
  std::shared_ptr<const std::vector<Ranking>> rankings_;
};

// The plan of one lane. The error says why the variant cannot run it.
Result<LaunchPlan> plan_of(const LaneSettings& lane, const Settings& shared, std::shared_ptr<const Taps> taps,
                           Size2 image, const DeviceLimits& limits);

}  // namespace conv
