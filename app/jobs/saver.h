// Writes pictures in the background, one after the other: to files, or to the clipboard.
#pragma once
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/jobs/worker.h"
#include "app/model/status.h"
#include "app/sources/picture.h"

namespace conv {

class Saver {
 public:
  struct Job {
    std::string what;  // "results.png", "the view"
    std::string done;  // what the user is told then: "Saved results.png"
    std::function<Result<void>(const OnProgress&)> save;
  };

  void start(Job job) { waiting_.push_back(std::make_shared<const Job>(std::move(job))); }
  // Starts what is waiting. The outcome of a job that has ended, in words for the user: what was done, or an error.
  std::optional<Result<std::string>> poll();
  // The running job stops as soon as it can, and what is waiting is dropped. Existing files stay as they are.
  void cancel();
  // Waits until everything is written, or this time is over: then cancels what is left, which the status names.
  void finish(std::chrono::milliseconds time);
  // Nothing while there is nothing to save.
  std::optional<SavingStatus> status() const;

 private:
  struct Outcome {
    std::shared_ptr<const Job> job;
    Result<void> saved;
  };
  Result<Outcome> run(const std::shared_ptr<const Job>& job, const std::stop_token& stop);

  std::deque<std::shared_ptr<const Job>> waiting_;
  std::shared_ptr<const Job> running_;
  std::chrono::steady_clock::time_point began_{};
  std::atomic<float> share_ = 0;
  Worker<std::shared_ptr<const Job>, Outcome> worker_{
      [this](const std::shared_ptr<const Job>& job, const std::stop_token& stop) { return run(job, stop); }};
};

}  // namespace conv
