// How far a long command is: a line that is written over on a terminal, else nothing.
#pragma once
#include <chrono>
#include <string>

namespace conv {

class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total) {}
  // After each piece, done or not. doing: what comes next, in words.
  void advance(const std::string& doing = "");
  void end() const;
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::size_t total_, done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), shown_{};
};

}  // namespace conv
