// One answer at a time, worked out off the frame's thread; the newest question wins.
#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace conv {

// Question: a value that can be compared. The work never touches what the frame's thread changes.
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
  // To the last question asked; while it is being worked out, to the one before. Null before the first.
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
  std::jthread thread_;  // last: it uses the others
};

}  // namespace conv
