// Runs lanes on the CPU, one job at a time, off the frame's thread.
#pragma once
#include <array>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "app/model/frame_trace.h"
#include "app/model/settings.h"
#include "kernels/cpu/cpu_executor.h"

namespace conv {

struct CpuJob {
  std::shared_ptr<const LaunchPlan> plan;
  std::shared_ptr<const HostImage> source;
  // The caller's, handed back with the result:
  long long number = 0;
  std::shared_ptr<FrameTrace> trace;
};

struct CpuResult {
  CpuJob job;
  std::string error;  // why there is no image; empty when there is one
  HostImage image;
  std::vector<StepSpan> spans;
  std::chrono::steady_clock::time_point began;  // what the spans count from
};

class CpuWorker {
 public:
  static constexpr int race_lane = max_lanes, lanes = race_lane + 1;

  CpuWorker();
  ~CpuWorker();
  CpuWorker(const CpuWorker&) = delete;  // owns its thread
  CpuWorker& operator=(const CpuWorker&) = delete;

  // Replaces what this lane waits for; stops what it is running if that is of another plan or source.
  void submit(int lane, CpuJob job);
  // Drops what this lane waits for and stops what it is running.
  void cancel(int lane);
  std::optional<CpuResult> take(int lane);
  // Something of this lane waits or runs.
  bool busy(int lane) const;
  int threads() const { return executor_.threads(); }

 private:
  void work();

  CpuExecutor executor_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  struct Lane {
    std::optional<CpuJob> waiting, running;
    std::optional<CpuResult> done;
    std::stop_source stop;
  };
  std::array<Lane, lanes> lanes_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace conv
