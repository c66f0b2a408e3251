// Ctrl+C, or being told to end, as a request to stop after the piece at hand, so that no half file stays. A second one
// ends the program as ever.
#pragma once
#include <array>
#include <csignal>
#include <stop_token>

namespace conv {

// Ctrl+C, `kill`, and the end of the terminal.
inline constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};

// Calls `act` on each of them but those that are ignored: by nohup, or a shell's job in the background. act: may do
// what a signal handler may.
void on_ending_signals(void (*act)(int));

// While it lives. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;  // of the process
  Interrupt& operator=(const Interrupt&) = delete;
  std::stop_token token() const;
  // Of a program that was asked to stop: 128 and the signal's number, as a shell says it.
  int status() const;
};

}  // namespace conv
