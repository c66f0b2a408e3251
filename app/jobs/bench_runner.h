// Runs sweeps in the background and keeps the results, one file per job and processor.
#pragma once
#include <filesystem>
#include <mutex>
#include <stop_token>

#include "app/jobs/worker.h"
#include "app/model/status.h"

namespace conv {

class BenchRunner {
 public:
  // folder: where results are kept; empty: nowhere.
  explicit BenchRunner(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Loads earlier measurements of this processor, named as in AppStatus. Immediate: a few small files.
  void load(const std::string& processor);
  // Does nothing while a run is in progress.
  void start(std::vector<BenchJob> jobs, DeviceChoice device, BenchProtocol protocol);
  // Measures the highest rates of the GPU. Does nothing while a run is in progress.
  void measure_ceilings();
  // Stops after the current sample and keeps what was measured.
  void cancel() { worker_.cancel(); }
  void cancel_and_wait() { worker_.cancel_and_wait(); }
  BenchStatus status() const;

 private:
  struct Run {
    std::vector<BenchJob> jobs;  // none: measures the ceilings
    DeviceChoice device;
    BenchProtocol protocol;
  };
  void begin(Run run);
  Result<std::monostate> run(const Run& run, const std::stop_token& stop);
  Result<void> run_jobs(const Run& run, const std::stop_token& stop);
  Result<void> run_one(class BenchEngine& engine, const BenchJob& job, const std::stop_token& stop);
  void take(const BenchRow& row, const std::string& job);
  void take_missing(const BenchResults& kept);
  Result<void> find_ceilings();
  // The folder with this processor's results.
  std::filesystem::path place() const;

  const std::filesystem::path folder_;
  mutable std::mutex mutex_;
  BenchStatus status_;
  Worker<std::shared_ptr<const Run>, std::monostate> worker_{
      [this](const std::shared_ptr<const Run>& job, const std::stop_token& stop) { return run(*job, stop); }};
};

}  // namespace conv
