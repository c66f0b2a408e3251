// Runs the correctness lab in the background, cell by cell.
#pragma once
#include <memory>
#include <mutex>
#include <stop_token>

#include "app/jobs/worker.h"
#include "app/model/status.h"

namespace conv {

class LabRunner {
 public:
  // only_failing: only cells that failed in the last run of the same job; the others keep their results.
  void start(const LabJob& job, DeviceChoice device, bool only_failing);
  void cancel() { worker_.cancel_and_wait(); }
  LabStatus status() const;

 private:
  struct Run {
    LabJob job;
    DeviceChoice device;
  };
  Result<std::monostate> run(const Run& run, const std::stop_token& stop);

  mutable std::mutex mutex_;
  LabStatus status_;
  Worker<std::shared_ptr<const Run>, std::monostate> worker_{
      [this](const std::shared_ptr<const Run>& job, const std::stop_token& stop) { return run(*job, stop); }};
};

}  // namespace conv
