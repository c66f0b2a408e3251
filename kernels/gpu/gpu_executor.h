// The GPU as a processor of plans. All calls come from one thread.
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
  // Fails in words a user can act on. log receives remarks such as a GPU newer than NVRTC.
  static Result<std::unique_ptr<GpuExecutor>> create(KernelSources& sources, CubinCache cache,
                                                     const std::function<void(std::string)>& log);
  ~GpuExecutor();

  const DeviceInfo& device() const { return device_; }
  Compiler& compiler() { return kernels_->compiler(); }
  cudaStream_t stream() const { return streams_.main(); }

  // Work that is not timed, to go before a frame's first launch: after OpenGL has had the GPU, whoever comes first pays
  // for the change of contexts (an H200: 0.17 ms).
  Result<void> wake();
  // Resizes target and queues the plan's steps; waits only where a plan moves pageable memory. While an exact instance
  // is being compiled the general one runs; while neither is there, nothing does. client: whose wishes to the
  // compiler this replaces. host: the source again, for plans that begin in host memory.
  Result<Enqueued> enqueue(CompilerClient client, const std::shared_ptr<const LaunchPlan>& plan, Workspace& workspace,
                           const DeviceImage& source, DeviceImage& target,
                           const std::shared_ptr<const HostImage>& host = nullptr);
  // Records what `work` enqueues instead of running it. Each plan in it has been enqueued before with the same images,
  // and neither measures its steps nor leaves the main stream.
  Result<Replay> record(const std::function<Result<void>()>& work) { return Replay::record(stream(), work); }
  Result<void> replay(const Replay& replay);
  // How fast page-locked memory is copied to the device when nothing else is: 10^9 bytes a second, the median of nine
  // copies of 64 MB. Takes some 100 ms.
  Result<double> link_rate();
  // Waits until all that was queued is done.
  Result<void> finish();
  // When each step of a launch some frames ago ran, once per launch, in order.
  Result<std::optional<std::vector<StepSpan>>> poll(Workspace& workspace) { return workspace.timer().poll(); }

  // Until part_clocks() all that is begun to be timed can tell when it began by the host's clock: Workspace::began().
  // Waits for what the main stream holds.
  Result<void> join_clocks();
  void part_clocks() { anchor_.reset(); }
  const std::shared_ptr<const ClockAnchor>& anchor() const { return anchor_; }
  // Asks the compiler for what these plans need, when it has nothing better to do.
  void prefetch(const std::vector<LaunchPlan>& plans) { kernels_->prefetch(plans); }

  // Of the exact kernel of a step; nothing while it is not compiled.
  Result<std::optional<Footprint>> footprint(const KernelStep& step);

  // A kernel's fault, noticed some frames later. After it nothing made before can be used: destroy all, reset_device().
  Result<void> check() const;

  // Compiles, uploads, runs and waits: for callers without a window. When each step ran.
  Result<std::vector<StepSpan>> run_now(const LaunchPlan& plan, const HostImage& source, HostImage& target);
  // The first half of that: waits until all kernels of the plan are compiled.
  Result<void> compile_now(const LaunchPlan& plan) { return kernels_->compile_now(plan); }

  // Kernel files changed on disk: use the new texts; kernels that compiled before run until theirs are ready.
  void reload(std::shared_ptr<const KernelTexts> texts) { kernels_->reload(std::move(texts)); }

 private:
  GpuExecutor() = default;

  DeviceInfo device_;
  std::unique_ptr<KernelChooser> kernels_;
  Launcher launcher_{streams_};
  DeviceBuffer wake_buffer_;
  std::shared_ptr<const ClockAnchor> anchor_;
  StreamPool streams_;  // last: what is queued ends before anything else goes
};
// Gives up the device context and everything in it.
void reset_device();

}  // namespace conv
