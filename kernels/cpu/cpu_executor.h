// Runs plans on the CPU: kernel steps thread by thread as the GPU would, host steps as fast as all cores allow.
#pragma once
#include <stop_token>
#include <vector>

#include "kernels/core/plan.h"
#include "kernels/cpu/recorder.h"
#include "kernels/cpu/thread_pool.h"

class CpuExecutor {
 public:
  // threads: 0 means one per core.
  explicit CpuExecutor(int threads = 0) : pool_(threads) {}

  // Milliseconds of each step. source and target have the plan's size and format. Fails only when stopped: the target
  // is then partly written.
  Result<std::vector<float>> run(const LaunchPlan& plan, const HostImage& source, HostImage& target,
                                 std::stop_token stop = {});

  // As run, one block after the other, recording every access of every kernel step; host steps have no record.
  std::vector<AccessCounts> trace(const LaunchPlan& plan, const HostImage& source, HostImage& target);

  int threads() const { return pool_.threads(); }

 private:
  ThreadPool pool_;
};

// The limits the CPU executor keeps: those of a large GPU.
DeviceLimits cpu_limits();
