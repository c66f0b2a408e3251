// Runs plans on the CPU: kernel steps thread by thread as the GPU would, host steps as fast as all cores allow.
#pragma once
#include <functional>
#include <stop_token>
#include <vector>

#include "kernels/core/plan.h"
#include "kernels/cpu/block_recording.h"
#include "kernels/cpu/recorder.h"
#include "kernels/cpu/thread_pool.h"

namespace conv {

class CpuExecutor {
 public:
  // threads: 0 means one per core.
  explicit CpuExecutor(int threads = 0) : pool_(threads) {}

  // When each step ran. source and target have the plan's size and format. Fails only when stopped: the target is then
  // partly written. Streams and devices are one here: steps run in the order of the plan.
  Result<std::vector<StepSpan>> run(const LaunchPlan& plan, const HostImage& source, HostImage& target,
                                    std::stop_token stop = {});

  // As run, one block after the other, recording every access of every kernel step; of other steps nothing.
  std::vector<AccessCounts> trace(const LaunchPlan& plan, const HostImage& source, HostImage& target);

  // One block of one kernel step, on images that hold zeros: what threads do depends on places, not on values.
  static BlockRecording record(const LaunchPlan& plan, const KernelStep& step, Point2 block);

  int threads() const { return pool_.threads(); }

  // Stands in for the FFT library, which exists on GPUs alone: plans with such steps are made for whoever sets this.
  using Fft = std::function<void(const FftStep&, const PixelBuffer& from, const PixelBuffer& to)>;
  void set_fft(Fft fft) { fft_ = std::move(fft); }
  bool has_fft() const { return fft_ != nullptr; }

 private:
  friend class StepRunner;
  ThreadPool pool_;
  Fft fft_;
};

// The limits the CPU executor keeps: those of a large GPU.
DeviceLimits cpu_limits();

}  // namespace conv
