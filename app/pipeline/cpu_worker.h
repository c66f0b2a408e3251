// The thread of CpuBackend: runs one job at a time, so that no frame waits for it.
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
#include "app/pipeline/backend.h"
#include "kernels/cpu/cpu_executor.h"

namespace conv {

struct CpuJob {
  LaneJob job;
  std::shared_ptr<const HostImage> source;
  std::shared_ptr<FrameTrace> trace;  // returned with the result
  bool is_preview = false;            // runs the preview of the job
  const std::shared_ptr<const LaunchPlan>& plan() const { return is_preview ? job.preview : job.plan; }
};

struct CpuResult {
  CpuJob job;
  std::string error;  // why there is no image; empty if there is one
  HostImage image;
  std::vector<StepSpan> spans;
  std::chrono::steady_clock::time_point began;  // the spans are relative to this
};

class CpuWorker {
 public:
  static constexpr int race_lane = max_lanes, lanes = race_lane + 1;

  CpuWorker();
  ~CpuWorker();
  CpuWorker(const CpuWorker&) = delete;  // owns its thread
  CpuWorker& operator=(const CpuWorker&) = delete;

  // Replaces the waiting job of this lane. Stops its running job if that has another plan or source. A quick job may
  // end, so that there are pictures while a slider is dragged, unless it only measures. A preview runs before its job.
  void submit(int lane, CpuJob job);
  // Drops the waiting job of this lane and stops its running job.
  void cancel(int lane);
  std::optional<CpuResult> take(int lane);
  // Whether this lane has a waiting or running job.
  bool busy(int lane) const;
  int threads() const { return executor_.threads(); }

 private:
  void work();

  CpuExecutor executor_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  struct Lane {
    std::optional<CpuJob> preview, waiting, running;
    bool has_work() const { return preview || waiting; }
    std::optional<CpuResult> done;
    std::stop_source stop;
  };
  std::array<Lane, lanes> lanes_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace conv
