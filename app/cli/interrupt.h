// Ctrl+C as a request to stop after the piece at hand, so that no half file stays. A second one ends the program as
// ever.
#pragma once
#include <csignal>
#include <stop_token>

// The shell's own status of a program that Ctrl+C ended.
constexpr int interrupted_status = 128 + SIGINT;

// While it lives. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;  // of the process
  Interrupt& operator=(const Interrupt&) = delete;
  std::stop_token token() const;
};
