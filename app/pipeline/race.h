// Many variants on the same frame, in turns: a few launches per frame of the window, each result held against the
// reference once.
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "app/measure/race.h"
#include "app/model/status.h"
#include "app/pipeline/cpu_worker.h"
#include "app/pipeline/reference_worker.h"
#include "kernels/gpu/gpu_executor.h"

// What is raced. Every variant gets format, block and switches of inputs.lane, as far as it has them.
struct RaceJob {
  PlanInputs inputs;
  std::vector<std::string> variants;  // ids; one may stand there twice
  friend bool operator==(const RaceJob&, const RaceJob&) = default;
};

class Race {
 public:
  // Begins anew when the job is another one. on_gpu: where it will be run, with these limits.
  void set(const RaceJob& job, const std::shared_ptr<const Taps>& taps, Size2 source, const DeviceLimits& limits,
           bool on_gpu);
  void stop();
  bool running() const { return job_.has_value(); }
  bool races(const RaceJob& job) const { return job_ == job; }

  // A frame's share of the work, never waiting for more than the download of one result.
  void advance_on_cpu(CpuWorker& cpu, ReferenceWorker& reference, const std::shared_ptr<const HostImage>& source);
#if defined(CONV_WITH_CUDA)
  Result<void> advance_on_gpu(GpuExecutor& gpu, ReferenceWorker& reference, const DeviceImage& source,
                              const std::shared_ptr<const HostImage>& host);
#endif
  // Of launches that have not come back: a fault is one of theirs.
  std::vector<std::string> in_flight() const;
  void fill(RaceStatus& status) const;

 private:
  struct Entry {
    const Variant* variant = nullptr;
    std::shared_ptr<const LaunchPlan> plan;
    RaceState state = RaceState::waiting;
    std::string text;
    RaceTimes times;
    std::vector<Cost> costs;  // of its steps
    float tolerance = 0;
    bool less_exact = false;
    bool sent = false;  // to be checked
    std::optional<Verdict> verdict;
    int launches = 0;        // of a turn; 0: not known yet
    float launch_ms = 0.5f;  // of one, until there are samples
#if defined(CONV_WITH_CUDA)
    Workspace workspace;
    DeviceImage target;
    EventTimer timer;
    std::deque<RaceSample> flying;  // turns that have not come back, with what they are expected to take
#endif
  };
  bool runs(const Entry& entry) const {
    return entry.plan && entry.state != RaceState::failed;
  }
  Entry* next();
  int number_of(const Entry& entry) const;
  void take_verdicts(ReferenceWorker& reference);

  std::optional<RaceJob> job_;
  std::string what_;
  bool on_gpu_ = false;
  std::deque<Entry> entries_;  // in the order of the job
  std::size_t turn_ = 0;       // of the round
  int round_ = 0;
  int submitted_ = -1;  // to the CPU: which entry
#if defined(CONV_WITH_CUDA)
  void collect();
  Result<void> take_turn(GpuExecutor& gpu, Entry& entry, int compiler_lane, const DeviceImage& source,
                         const std::shared_ptr<const HostImage>& host);
#endif
};
