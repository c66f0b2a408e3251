// Runs plans on the GPU. All calls come from one thread.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/plan.h"
#include "kernels/gpu/kernel_sources.h"

#include "kernels/gpu/device_info.h"
#include "kernels/gpu/kernel_chooser.h"
#include "kernels/gpu/launcher.h"
#include "kernels/gpu/replay.h"

namespace conv {

class GpuExecutor {
 public:
  // The error says what the user can do. log receives remarks, for example that the GPU is newer than NVRTC.
  static Result<std::unique_ptr<GpuExecutor>> create(KernelSources& sources, CubinCache cache,
                                                     const std::function<void(std::string)>& log);
  ~GpuExecutor();

  const DeviceInfo& device() const { return device_; }
  Compiler& compiler() { return kernels_->compiler(); }
  cudaStream_t stream() const { return streams_.main(); }

  // Queues a little untimed work before a frame's first launch. After OpenGL has used the GPU, the first launch pays
  // for the context switch (0.17 ms on an H200).
  Result<void> wake();
  // Resizes target and queues the plan's steps. Waits only if a plan copies pageable memory. While an exact instance is
  // being compiled the general one runs; if neither exists yet, nothing runs. client: its earlier jobs for the compiler
  // are replaced. host: the source in host memory, for plans that begin there.
  Result<Enqueued> enqueue(CompilerClient client, const std::shared_ptr<const LaunchPlan>& plan, Workspace& workspace,
                           const DeviceImage& source, DeviceImage& target,
                           const std::shared_ptr<const HostImage>& host = nullptr);
  // Records what `work` enqueues instead of running it. Each of its plans must have been enqueued before with the same
  // images, must not time its steps, and must stay in the main stream.
  Result<Replay> record(const std::function<Result<void>()>& work) { return Replay::record(stream(), work); }
  Result<void> replay(const Replay& replay);
  // The copy rate from page-locked memory to an otherwise idle device, in 10^9 bytes per second: the median of nine
  // copies of 64 MB. Takes about 100 ms.
  Result<double> link_rate();
  // Waits until all queued work is done.
  Result<void> finish();
  // The times of the steps of an earlier launch: each launch once, in order.
  Result<std::optional<std::vector<StepSpan>>> poll(Workspace& workspace) { return workspace.timer().poll(); }

  // From now until part_clocks(), measurements know their start on the host's clock: Workspace::began(). Waits for the
  // main stream.
  Result<void> join_clocks();
  void part_clocks() { anchor_.reset(); }
  const std::shared_ptr<const ClockAnchor>& anchor() const { return anchor_; }
  // Asks the compiler for what these plans need, at low priority.
  void prefetch(const std::vector<LaunchPlan>& plans) { kernels_->prefetch(plans); }

  // The registers and shared memory of a step's exact kernel; nothing until it is compiled.
  Result<std::optional<Footprint>> footprint(const KernelStep& step);

  // The fault of a kernel, noticed some frames later. After it, everything made before is unusable: destroy it all and
  // call reset_device().
  Result<void> check() const;

  // Compiles, uploads, runs and waits, for callers without a window. Returns the times of the steps.
  Result<std::vector<StepSpan>> run_now(const LaunchPlan& plan, const HostImage& source, HostImage& target);
  // The first half of that: waits until all kernels of the plan are compiled.
  Result<void> compile_now(const LaunchPlan& plan) { return kernels_->compile_now(plan); }

  // Kernel files have changed on disk: uses the new texts. Kernels that compiled before run until the new ones are
  // ready.
  void reload(std::shared_ptr<const KernelTexts> texts) { kernels_->reload(std::move(texts)); }

 private:
  GpuExecutor() = default;

  DeviceInfo device_;
  std::unique_ptr<KernelChooser> kernels_;
  Launcher launcher_{streams_};
  DeviceBuffer wake_buffer_;
  std::shared_ptr<const ClockAnchor> anchor_;
  StreamPool streams_;  // last, so that queued work ends before anything else is destroyed
};
}  // namespace conv
