// Runs plans on the CPU: kernel steps thread by thread as a GPU would, host steps as fast as all cores allow.
#pragma once
#include <stop_token>
#include <vector>

#include "kernels/core/plan.h"
#include "kernels/cpu/block_recording.h"
#include "kernels/cpu/recorder.h"
#include "kernels/cpu/remote_kernel.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/cpu/thread_recording.h"
#include "kernels/cpu/warp_recording.h"

namespace conv {

class CpuExecutor {
 public:
  // threads: 0 means one per core.
  explicit CpuExecutor(int threads = 0) : pool_(threads) {}

  // Runs the plan and returns when each step ran. source and target have the plan's size and format. Fails if it
  // is stopped, or if a kernel has to be: it accesses memory that is not its own, divides by zero or does not end. The
  // error names the line, block and thread. Then the target is partly written or not at all. Streams and devices are
  // ignored: steps run in the order of the plan.
  Result<std::vector<StepSpan>> run(const LaunchPlan& plan, const HostImage& source, HostImage& target,
                                    std::stop_token stop = {});

  // Runs one kernel step of the plan, for a RemoteKernel. Returns how many ms it took.
  Result<float> run_step(const LaunchPlan& plan, const KernelStep& step, const StepImages& images,
                         std::stop_token stop = {});

  // As run, one block after the other, recording every access of every kernel step. Other steps are not recorded.
  std::vector<AccessCounts> trace(const LaunchPlan& plan, const HostImage& source, HostImage& target);

  // Records one block of one kernel step, on images of zeros: what threads do depends on positions, not on values.
  static BlockRecording record(const LaunchPlan& plan, const KernelStep& step, Point2 block);
  // The same, instruction by instruction.
  static WarpRecording record_warps(const LaunchPlan& plan, const KernelStep& step, Point2 block);
  // The same, access by access of one thread.
  static ThreadRecording record_thread(const LaunchPlan& plan, const KernelStep& step, Point2 block, Point2 thread);

  int threads() const { return pool_.threads(); }

 private:
  friend class StepRunner;
  ThreadPool pool_;
};

// The limits of the CPU executor: those of a large GPU.
DeviceLimits cpu_limits();

}  // namespace conv
