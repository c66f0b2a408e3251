// The one way in which configurations are measured against each other: the measurement protocol, on the GPU or the
// host.
#pragma once
#include <functional>
#include <stop_token>

#include "app/headless/processor.h"
#include "app/measure/bench.h"
#include "app/measure/gpu_bench.h"
#include "kernels/cpu/reference.h"

namespace conv {

class BenchEngine {
 public:
  explicit BenchEngine(Processor& processor, BenchProtocol protocol = {})
      : processor_(processor), protocol_(protocol) {}

  BenchEnvironment environment() const;
  // Also by the host's clock, with the copies to the device and back: changes from job to job.
  void with_copies(bool on) { copies_ = on; }
  // Called when it waits for something else than samples: in words, what for; empty when it goes on.
  void on_waiting(std::function<void(std::string_view)> tell) { tell_ = std::move(tell); }

  // One row for each point, in their order. Every result is held against the double-precision reference; a wrong one
  // has no time. Nothing when it was stopped; the error is of a GPU that cannot be used any more.
  Result<std::vector<BenchRow>> measure(const BenchGroup& group, const std::stop_token& stop = {});
  // Of a GPU; takes half a second.
  Result<Ceilings> ceilings();

 private:
  void plan(BenchEntry& entry);
  void check(BenchEntry& entry);
  const HostImage& source_of(const BenchPoint& point);
  const Reference& reference_of(const BenchPoint& point);
  void measure_on_cpu(const std::vector<BenchEntry*>& entries, const std::stop_token& stop);
  Result<void> measure_on_gpu(const std::vector<BenchEntry*>& entries, const std::stop_token& stop);

  Processor& processor_;
  const BenchProtocol protocol_;
  bool copies_ = false, cools_down_ = protocol_.cools_down;
  std::function<void(std::string_view)> tell_;
  ThreadPool pool_;
  std::stop_token stop_;  // of the group at hand
  // Of the last point asked for: groups often share them.
  std::optional<BenchPoint> source_point_, reference_point_;
  HostImage source_;
  Reference reference_;
};

// From now on the variant "auto" goes by what was kept of this processor, by these drivers and this program.
void use_kept_rankings(Processor& processor, const BenchEnvironment& environment);
// Keeps rows that were measured for it with those that are there.
Result<void> keep_rankings(std::span<const BenchRow> rows, const BenchEnvironment& environment);

// Group by group. done: rows of these keys are there already. Stops where it is told to, or with an error after which
// nothing can be measured.
Result<void> run_job(BenchEngine& engine, const BenchJob& job, const std::function<bool(const std::string& key)>& done,
                     const std::function<Result<void>(const BenchRow&)>& on_row, const std::stop_token& stop = {});

}  // namespace conv
