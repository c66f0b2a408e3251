// Runs sweeps on a thread of its own and keeps what they measured, a file for each job and processor.
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

  // What was measured before on this processor, named as in AppStatus; at once, from a few small files.
  void load(const std::string& processor);
  // Nothing while one runs.
  void start(std::vector<BenchJob> jobs, DeviceChoice device, BenchProtocol protocol);
  // What the GPU can do at most; likewise.
  void measure_ceilings();
  // At the next sample; keeps what was measured.
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
  // Where what has this processor is kept.
  std::filesystem::path place() const;

  const std::filesystem::path folder_;
  mutable std::mutex mutex_;
  BenchStatus status_;
  std::jthread thread_;  // destroyed first: it uses the others
};

}  // namespace conv
