// Runs the correctness lab on its own thread, cell by cell.
#pragma once
#include <mutex>
#include <stop_token>
#include <thread>

#include "app/model/status.h"

namespace conv {

class LabRunner {
 public:
  LabRunner() = default;
  ~LabRunner();
  LabRunner(const LabRunner&) = delete;  // owns its thread
  LabRunner& operator=(const LabRunner&) = delete;

  // only_failing: only cells that failed in the last run of the same job; the others keep their results.
  void start(const LabJob& job, DeviceChoice device, bool only_failing);
  void cancel();
  LabStatus status() const;

 private:
  void run(const LabJob& job, DeviceChoice device, const std::stop_token& stop);

  mutable std::mutex mutex_;
  LabStatus status_;
  std::jthread thread_;
};

}  // namespace conv
