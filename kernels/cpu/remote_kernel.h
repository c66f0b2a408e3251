// A kernel that does not run in this process, because its text is not the program's own.
#pragma once
#include <stop_token>

#include "kernels/core/plan.h"
#include "kernels/cpu/block_recording.h"
#include "kernels/cpu/thread_recording.h"
#include "kernels/cpu/warp_recording.h"

namespace conv {

// The images of one kernel step, without gaps between their rows.
struct StepImages {
  std::span<const std::byte> reads, also_reads;  // also_reads: empty unless the step combines two images
  std::span<std::byte> writes;
};

// Its functions take a step of the plan. They can be called by several threads; one waits for the other.
class RemoteKernel {
 public:
  virtual ~RemoteKernel() = default;
  // Runs the whole grid of the step. Returns how many ms the kernel took. Fails as CpuExecutor::run does, and if the
  // other process has ended.
  virtual Result<float> run(const LaunchPlan& plan, const KernelStep& step, const StepImages& images,
                            const std::stop_token& stop) const = 0;
  // As in CpuExecutor. If the other process has ended, the recording is empty.
  virtual BlockRecording record(const LaunchPlan& plan, const KernelStep& step, Point2 block) const = 0;
  virtual WarpRecording record_warps(const LaunchPlan& plan, const KernelStep& step, Point2 block) const = 0;
  virtual ThreadRecording record_thread(const LaunchPlan& plan, const KernelStep& step, Point2 block,
                                        Point2 thread) const = 0;
};

}  // namespace conv
