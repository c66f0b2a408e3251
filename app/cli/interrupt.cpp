#include "app/cli/interrupt.h"

#include <ctime>

namespace conv {

namespace {

// Nothing is registered with the source, so a request is one atomic operation and may come from a signal handler.
std::stop_source source;
volatile std::sig_atomic_t received = 0;
double received_at_s = 0;  // the first

void reset() {
  on_ending_signals(SIG_DFL);
}

double now_s() {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

extern "C" void on_interrupt(int signal) {
  if (received == 0) {
    received = signal;
    received_at_s = now_s();
    source.request_stop();
  } else if (now_s() - received_at_s > 1) {
    reset();
    std::raise(signal);
  }
}

}  // namespace

void on_ending_signals(void (*act)(int)) {
  for (const int signal : ending_signals)
    if (std::signal(signal, act) == SIG_IGN) std::signal(signal, SIG_IGN);
}

Interrupt::Interrupt() {
  source = std::stop_source();
  received = 0;
  on_ending_signals(on_interrupt);
}

Interrupt::~Interrupt() {
  reset();
}

std::stop_token Interrupt::token() const {
  return source.get_token();
}

int Interrupt::status() const {
  return 128 + received;
}

}  // namespace conv
