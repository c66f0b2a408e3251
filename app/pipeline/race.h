// Runs many variants on the same picture in turns: a few launches per frame of the window. It has no thread of its own.
// Each result is compared with the reference once.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/measure/race_times.h"
#include "app/model/status.h"
#include "app/pipeline/backend.h"
#include "app/pipeline/reference_worker.h"

namespace conv {

// What to race. Every variant gets format, block and switches of inputs.lane, as far as it supports them.
struct RaceJob {
  PlanInputs inputs;
  std::vector<std::string> variants;  // ids; one may be listed twice
  friend bool operator==(const RaceJob&, const RaceJob&) = default;
};

// A variant in a race.
struct RaceEntry {
  const Variant* variant = nullptr;
  std::shared_ptr<const LaunchPlan> plan;
  RaceState state = RaceState::waiting;
  std::string text;
  RaceTimes times;
  std::vector<Cost> costs;  // of its steps
  float tolerance = 0;
  bool less_exact = false;
  bool has_result = false;  // a turn has been finished
  bool sent = false;        // its result is being compared with the reference
  std::optional<Verdict> verdict;
  int launches = 0;               // per turn; 0: the first turn will tell
  float launch_ms = 0.5f;         // of one launch, until there are samples
  std::deque<RaceSample> flying;  // turns in flight, with their expected times
  bool runs() const { return plan && state != RaceState::failed; }
};

class Race {
 public:
  // Where the race runs.
  struct RunsOn {
    Backend& backend;
    DeviceLimits limits;
    bool on_gpu;
    std::function<bool(LaunchPlan&)> put_edits_into;  // as that of PlanContext
  };
  // Starts again if the job or the processor is another one. source: in the format of the job.
  void set(const RaceJob& job, const std::shared_ptr<const Taps>& taps, std::shared_ptr<const HostImage> source,
           const RunsOn& runs_on);
  void stop();
  bool running() const { return job_.has_value(); }
  bool races(const RaceJob& job) const { return job_ == job; }

  // A frame's share of the work; waits at most for the download of one result. An error does not end the race.
  Result<void> advance(ReferenceWorker& reference);
  // The variants with turns in flight: one of them caused a fault.
  std::vector<std::string> in_flight() const;
  void fill(RaceStatus& status) const;
  // Null unless the variant is racing.
  const RaceTimes* times_of(std::string_view variant) const;

 private:
  RaceEntry* next();
  int number_of(const RaceEntry& entry) const;
  void take_verdicts(ReferenceWorker& reference);
  Result<void> collect(ReferenceWorker& reference);
  void add_turn(RaceEntry& entry, float ms);
  float under_way_ms() const;
  Result<void> check(RaceEntry& entry, ReferenceWorker& reference);
  Result<void> take_turn(RaceEntry& entry);

  std::optional<RaceJob> job_;
  std::string what_;
  Backend* backend_ = nullptr;
  bool on_gpu_ = false;
  std::deque<RaceEntry> entries_;  // in the order of the job
  int first_ticket_ = 0;           // of the checks of these entries: verdicts of the race before may still arrive
  std::size_t turn_ = 0;           // within the round
  int round_ = 0;
};

}  // namespace conv
