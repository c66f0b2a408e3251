// Texts that a user types, kept on disk while they change.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "app/jobs/worker.h"

namespace conv {

// Writes the newest text of each key in the background. A text that has not been written yet, or could not be, is
// written with the next one, and by flush.
template <class Key>
class TextWriter {
 public:
  using Write = std::function<Result<void>(const Key&, const std::string&)>;

  explicit TextWriter(Write write)
      : write_(std::move(write)),
        worker_([write = write_](const Texts& texts, const std::stop_token&) -> Result<Texts> {
          Result<void> all;
          for (const auto& [key, kept] : texts)
            if (Result<void> written = write(key, kept.text); !written && all) all = std::move(written);
          return all.map([&] { return texts; });
        }) {}
  ~TextWriter() { flush(); }

  void keep(const Key& key, std::string text) {
    forget_written();
    unwritten_[key] = {std::move(text), ++count_};
    worker_.start(unwritten_);
  }
  // Returns once everything has been written, or could not be.
  void flush() {
    worker_.cancel_and_wait();
    forget_written();
    for (const auto& [key, kept] : unwritten_) static_cast<void>(write_(key, kept.text));
    unwritten_.clear();
  }
  // Why the last texts could not be written; empty if they were.
  std::string error() const { return worker_.error(); }

 private:
  // number: the same text can be typed again while another is being written, and is then to be written again.
  struct Kept {
    std::string text;
    long long number = 0;
    friend bool operator==(const Kept&, const Kept&) = default;
  };
  using Texts = std::map<Key, Kept>;

  void forget_written() {
    if (const auto written = worker_.answer())
      std::erase_if(unwritten_, [&](const auto& kept) {
        const auto same = written->find(kept.first);
        return same != written->end() && same->second == kept.second;
      });
  }

  const Write write_;
  Texts unwritten_;
  long long count_ = 0;
  Worker<Texts, Texts> worker_;
};

}  // namespace conv
