// The thread that computes the double-precision reference of the current settings and compares results with it.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "kernels/cpu/reference.h"

namespace conv {

struct ReferenceJob {
  std::shared_ptr<const HostImage> source;
  FilterSpec filter;
  Border border = Border::zero;
  float border_value = 0;
  int iterations = 1;
  friend bool operator==(const ReferenceJob&, const ReferenceJob&) = default;
};

// A result to be compared with the reference of the current job.
struct CheckJob {
  int ticket = 0;  // chosen by the caller, to identify the verdict
  HostImage image;
  float tolerance = 1e-5f;
};

class ReferenceWorker {
 public:
  ReferenceWorker();
  ~ReferenceWorker();
  ReferenceWorker(const ReferenceWorker&) = delete;  // owns its threads
  ReferenceWorker& operator=(const ReferenceWorker&) = delete;

  // Sets the reference to compute; another job stops the work on the last one and drops its checks.
  void want(const ReferenceJob& job);
  void check(CheckJob check);
  // The reference of the current job; null until it is ready.
  std::shared_ptr<const Reference> result() const;
  float progress() const;  // 0 to 1
  struct Checked {
    int ticket;
    Verdict verdict;
  };
  std::optional<Checked> take();

 private:
  void work();

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<ReferenceJob> job_;
  std::shared_ptr<const Reference> result_;
  std::deque<CheckJob> checks_;
  std::deque<Checked> verdicts_;
  std::stop_source stop_;
  std::atomic<int> rows_done_ = 0, rows_ = 1;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace conv
