// Runs sweeps on its own thread and keeps the results, one file per job and processor.
#pragma once
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <thread>

#include "app/model/status.h"

namespace conv {

class BenchRunner {
 public:
  // folder: where results are kept; empty: nowhere.
  explicit BenchRunner(std::filesystem::path folder) : folder_(std::move(folder)) {}
  BenchRunner(const BenchRunner&) = delete;  // owns its thread
  BenchRunner& operator=(const BenchRunner&) = delete;

  // Loads earlier measurements of this processor, named as in AppStatus. Immediate: a few small files.
  void load(const std::string& processor);
  // Does nothing while a run is in progress.
  void start(std::vector<BenchJob> jobs, DeviceChoice device, BenchProtocol protocol);
  // Measures the highest rates of the GPU. Does nothing while a run is in progress.
  void measure_ceilings();
  // Stops after the current sample and keeps what was measured.
  void cancel() { thread_.request_stop(); }
  BenchStatus status() const;

 private:
  void run(const std::vector<BenchJob>& jobs, DeviceChoice device, const BenchProtocol& protocol,
           const std::stop_token& stop);
  Result<void> run_one(class BenchEngine& engine, const BenchJob& job, const std::stop_token& stop);
  void take(const BenchRow& row, const std::string& job);
  void take_missing(const BenchResults& kept);
  Result<void> find_ceilings();
  bool begin();
  // The folder with this processor's results.
  std::filesystem::path place() const;

  const std::filesystem::path folder_;
  mutable std::mutex mutex_;
  BenchStatus status_;
  std::jthread thread_;  // destroyed first: it uses the other members
};

}  // namespace conv
