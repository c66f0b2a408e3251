// Work in the background, on a thread of its own.
#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "kernels/core/error.h"

namespace conv {

// Runs one job at a time; the newest job replaces a waiting one. Job: a comparable value. The work must not use data
// that other threads change; it returns a Result, and an exception becomes its error.
template <class Job, class Answer>
class Worker {
 public:
  using Work = std::function<Result<Answer>(const Job&, const std::stop_token&)>;

  explicit Worker(Work work) : work_(std::move(work)), thread_([this](const std::stop_token& stop) { run(stop); }) {}
  // Cancels before the thread is asked to end, so that it starts no further job.
  ~Worker() { cancel(); }
  Worker(const Worker&) = delete;  // owns its thread
  Worker& operator=(const Worker&) = delete;

  // Starts the job once the running one has ended. Does nothing if it is the last one requested.
  void start(const Job& job) {
    const std::lock_guard lock(mutex_);
    if (requested_ == job) return;
    requested_ = waiting_ = job;
    wake_.notify_all();
  }
  // Drops the waiting job and asks the running one to stop.
  void cancel() {
    const std::lock_guard lock(mutex_);
    waiting_.reset();
    requested_.reset();
    stop_.request_stop();
  }
  // As cancel; returns when nothing is running any more.
  void cancel_and_wait() {
    cancel();
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return !running_; });
  }
  bool busy() const {
    const std::lock_guard lock(mutex_);
    return running_ || waiting_;
  }
  // The answer of the last job that ended without an error, and its error otherwise. Null before the first.
  std::shared_ptr<const Answer> answer() const {
    const std::lock_guard lock(mutex_);
    return answer_;
  }
  std::string error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  void run(const std::stop_token& ends) {
    std::unique_lock lock(mutex_);
    while (wake_.wait(lock, ends, [this] { return waiting_.has_value(); })) {
      const Job job = *std::exchange(waiting_, std::nullopt);
      running_ = true;
      stop_ = {};
      const std::stop_token stop = stop_.get_token();
      lock.unlock();
      Result<Answer> answer = in_words([&] { return work_(job, stop); });
      lock.lock();
      error_ = answer ? "" : answer.error().text;
      if (answer) answer_ = std::make_shared<const Answer>(std::move(*answer));
      running_ = false;
      wake_.notify_all();
    }
  }

  const Work work_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::optional<Job> requested_, waiting_;
  bool running_ = false;
  std::stop_source stop_;
  std::shared_ptr<const Answer> answer_;
  std::string error_;
  std::jthread thread_;  // last: it uses the other members
};

}  // namespace conv
