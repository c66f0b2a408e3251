// Answers one question at a time on its own thread; the newest question replaces the waiting one.
#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace conv {

// Question: a comparable value. The work must not use data that the frame's thread changes.
template <class Question, class Answer>
class Background {
 public:
  explicit Background(std::function<Answer(const Question&)> work)
      : work_(std::move(work)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

  void ask(const Question& question) {
    const std::lock_guard lock(mutex_);
    if (asked_ == question) return;
    asked_ = question;
    wake_.notify_all();
  }
  // The answer to the last question; until it is ready, the answer before. Null before the first.
  std::shared_ptr<const Answer> answer() const {
    const std::lock_guard lock(mutex_);
    return answer_;
  }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (wake_.wait(lock, stop, [this] { return asked_ != answered_; })) {
      const Question question = *asked_;
      lock.unlock();
      auto answer = std::make_shared<const Answer>(work_(question));
      lock.lock();
      answer_ = std::move(answer);
      answered_ = question;
    }
  }

  const std::function<Answer(const Question&)> work_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::optional<Question> asked_, answered_;
  std::shared_ptr<const Answer> answer_;
  std::jthread thread_;  // last: it uses the other members
};

}  // namespace conv
