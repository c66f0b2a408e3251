// The progress of a long command: one line that is overwritten on a terminal, otherwise nothing.
#pragma once
#include <chrono>
#include <string>

namespace conv {

class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total) {}
  // Called after each piece, whether it succeeded or not. doing: what comes next.
  void advance(const std::string& doing = "");
  void end() const;
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::size_t total_, done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), shown_{};
};

}  // namespace conv
