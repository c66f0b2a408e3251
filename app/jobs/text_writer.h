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
          for (const auto& [key, text] : texts)
            if (Result<void> written = write(key, text); !written && all) all = std::move(written);
          return all.map([&] { return texts; });
        }) {}
  ~TextWriter() { flush(); }

  void keep(const Key& key, std::string text) {
    forget_written();
    unwritten_[key] = std::move(text);
    worker_.start(unwritten_);
  }
  // Returns once everything has been written, or could not be.
  void flush() {
    worker_.cancel_and_wait();
    forget_written();
    for (const auto& [key, text] : unwritten_) static_cast<void>(write_(key, text));
    unwritten_.clear();
  }
  // Why the last texts could not be written; empty if they were.
  std::string error() const { return worker_.error(); }

 private:
  using Texts = std::map<Key, std::string>;

  void forget_written() {
    if (const auto written = worker_.answer())
      std::erase_if(unwritten_, [&](const auto& kept) {
        const auto same = written->find(kept.first);
        return same != written->end() && same->second == kept.second;
      });
  }

  const Write write_;
  Texts unwritten_;
  Worker<Texts, Texts> worker_;
};

}  // namespace conv
