// Ctrl+C and other signals to end become a request to stop after the current piece, so that no incomplete file remains.
// A signal that comes more than a second after the first ends the program immediately. One that comes sooner is the
// same request: `timeout` sends its signal to the program and then to the program's group.
#pragma once
#include <array>
#include <csignal>
#include <stop_token>

namespace conv {

// Ctrl+C, `kill`, and closing the terminal.
inline constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};

// Calls `act` for each of them, except those that are ignored by nohup or for background jobs. act: only what a signal
// handler may do.
void on_ending_signals(void (*act)(int));

// Active during its lifetime. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;  // belongs to the process
  Interrupt& operator=(const Interrupt&) = delete;
  std::stop_token token() const;
  // The exit status after a stop: 128 plus the signal's number, as in a shell.
  int status() const;
};

}  // namespace conv
