#include "app/pipeline/reference_worker.h"

#include <algorithm>

namespace conv {

ReferenceWorker::ReferenceWorker() : thread_([this] { work(); }) {}

ReferenceWorker::~ReferenceWorker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    stop_.request_stop();
  }
  wake_.notify_all();
  thread_.join();
}

void ReferenceWorker::want(const ReferenceJob& job) {
  {
    const std::lock_guard lock(mutex_);
    if (job_ == job) return;
    stop_.request_stop();
    stop_ = {};
    job_ = job;
    result_.reset();
    checks_.clear();
    verdicts_.clear();
    rows_done_ = 0;
    const int stages = job.filter.kind == FilterKind::edges ? static_cast<int>(stages_of(job.filter).size()) : 1;
    rows_ = std::max(1, stages * job.iterations * job.source->size.height);
  }
  wake_.notify_all();
}

void ReferenceWorker::check(CheckJob check) {
  {
    const std::lock_guard lock(mutex_);
    checks_.push_back(std::move(check));
  }
  wake_.notify_all();
}

std::shared_ptr<const Reference> ReferenceWorker::result() const {
  const std::lock_guard lock(mutex_);
  return result_;
}

float ReferenceWorker::progress() const {
  return std::min(1.0f, static_cast<float>(rows_done_) / static_cast<float>(rows_));
}

std::optional<ReferenceWorker::Checked> ReferenceWorker::take() {
  const std::lock_guard lock(mutex_);
  if (verdicts_.empty()) return std::nullopt;
  const Checked first = verdicts_.front();
  verdicts_.pop_front();
  return first;
}

void ReferenceWorker::work() {
  ThreadPool pool;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || (job_ && !result_) || !checks_.empty(); });
    if (stopping_) return;
    const std::stop_token stop = stop_.get_token();
    if (!result_) {
      const ReferenceJob job = *job_;
      lock.unlock();
      auto reference = std::make_shared<const Reference>(
          reference_of(*job.source, job.filter, job.border, job.border_value,
                       {.iterations = job.iterations, .pool = &pool, .stop = stop, .rows_done = &rows_done_}));
      lock.lock();
      if (!stop.stop_requested()) result_ = std::move(reference);
      continue;
    }
    const CheckJob check = std::move(checks_.front());
    checks_.pop_front();
    const std::shared_ptr<const Reference> reference = result_;
    lock.unlock();
    const Verdict verdict = compare(check.image, *reference, check.tolerance);
    lock.lock();
    if (!stop.stop_requested()) verdicts_.push_back({check.ticket, verdict});
  }
}

}  // namespace conv
