// The double-precision answer to what is on the screen, worked out off the frame's thread, and results held against it.
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

// A result to be held against the reference of the present job.
struct CheckJob {
  int ticket = 0;  // the caller's, to know the verdict by
  HostImage image;
  float tolerance = 1e-5f;
};

class ReferenceWorker {
 public:
  ReferenceWorker();
  ~ReferenceWorker();
  ReferenceWorker(const ReferenceWorker&) = delete;  // owns its threads
  ReferenceWorker& operator=(const ReferenceWorker&) = delete;

  // The reference wanted from now on; another one stops the work on the last, and drops its checks.
  void want(const ReferenceJob& job);
  void check(CheckJob check);
  // Of the job wanted; null until it is there.
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
