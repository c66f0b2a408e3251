// The measurement protocol: the only way in which configurations are compared, on the GPU or on the host.
#pragma once
#include <functional>
#include <stop_token>

#include "app/headless/processor.h"
#include "app/measure/bench_rows.h"
#include "app/measure/gpu_bench.h"
#include "kernels/cpu/reference.h"

namespace conv {

class BenchEngine {
 public:
  explicit BenchEngine(Processor& processor, BenchProtocol protocol = {})
      : processor_(processor), protocol_(protocol) {}

  BenchEnvironment environment() const;
  // Also measure by the host's clock, including the copies to the device and back. Differs from job to job.
  void with_copies(bool on) { copies_ = on; }
  // Called when the engine waits for something other than samples, with the reason; empty when it continues.
  void on_waiting(std::function<void(std::string_view)> tell) { tell_ = std::move(tell); }

  // One row for each point, in order. Every result is compared with the double-precision reference; a wrong one has no
  // time. Returns nothing if it was stopped. An error means that the GPU is unusable.
  Result<std::vector<BenchRow>> measure(const BenchGroup& group, const std::stop_token& stop = {});
  // The highest rates of a GPU; takes half a second.
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
  std::stop_token stop_;  // of the current group
  // Of the last point: groups often share the reference.
  std::optional<BenchPoint> source_point_, reference_point_;
  HostImage source_;
  Reference reference_;
};

// Runs group by group. done: rows with these keys exist already. Stops when requested, or with an error after which
// nothing can be measured.
Result<void> run_job(BenchEngine& engine, const BenchJob& job, const std::function<bool(const std::string& key)>& done,
                     const std::function<Result<void>(const BenchRow&)>& on_row, const std::stop_token& stop = {});

}  // namespace conv
