#include "app/cli/interrupt.h"

namespace {

// Nothing registers with the source, so that a request is one atomic operation and may come from a signal.
std::stop_source source;
extern "C" void on_interrupt(int) {
  std::signal(SIGINT, SIG_DFL);
  source.request_stop();
}

}  // namespace

Interrupt::Interrupt() {
  source = std::stop_source();
  std::signal(SIGINT, on_interrupt);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
}

std::stop_token Interrupt::token() const {
  return source.get_token();
}
