#include "app/cli/interrupt.h"

namespace conv {

namespace {

// Nothing is registered with the source, so a request is one atomic operation and may come from a signal handler.
std::stop_source source;
volatile std::sig_atomic_t received = 0;

void reset() {
  on_ending_signals(SIG_DFL);
}

extern "C" void on_interrupt(int signal) {
  received = signal;
  reset();
  source.request_stop();
}

}  // namespace

void on_ending_signals(void (*act)(int)) {
  for (const int signal : ending_signals)
    if (std::signal(signal, act) == SIG_IGN) std::signal(signal, SIG_IGN);
}

Interrupt::Interrupt() {
  source = std::stop_source();
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
