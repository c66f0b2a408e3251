#include "app/jobs/saver.h"

#include <fmt/format.h>

#include <thread>

namespace conv {

Result<Saver::Outcome> Saver::run(const std::shared_ptr<const Job>& job, const std::stop_token& stop) {
  const auto progress = [&](float share) {
    share_ = share;
    return !stop.stop_requested();
  };
  return Outcome{job, in_words([&] { return job->save(progress); })};
}

std::optional<Result<std::string>> Saver::poll() {
  std::optional<Result<std::string>> outcome;
  if (running_ && !worker_.busy()) {
    const auto ended = worker_.answer();
    // A job that is cancelled before it begins has none.
    if (!ended || ended->job != running_)
      outcome = failure(fmt::format("{}: not saved: stopped", running_->what));
    else if (ended->saved)
      outcome = running_->done;
    else
      outcome = failure(ended->saved.error().text);
    running_.reset();
  }
  if (!running_ && !waiting_.empty()) {
    running_ = std::move(waiting_.front());
    waiting_.pop_front();
    began_ = std::chrono::steady_clock::now();
    share_ = 0;
    worker_.start(running_);
  }
  return outcome;
}

void Saver::cancel() {
  waiting_.clear();
  worker_.cancel();
}

void Saver::finish(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (status() && std::chrono::steady_clock::now() < end) {
    poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  worker_.cancel();
}

std::optional<SavingStatus> Saver::status() const {
  if (running_)
    return SavingStatus{running_->what, share_,
                        std::chrono::duration<float>(std::chrono::steady_clock::now() - began_).count()};
  if (!waiting_.empty()) return SavingStatus{.what = waiting_.front()->what};
  return std::nullopt;
}

}  // namespace conv
