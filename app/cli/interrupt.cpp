#include "app/cli/interrupt.h"

namespace {

// Nothing registers with the source, so that a request is one atomic operation and may come from a signal.
std::stop_source source;
void (*before)(int) = SIG_DFL;
extern "C" void on_interrupt(int) {
  std::signal(SIGINT, SIG_DFL);
  source.request_stop();
}

}  // namespace

Interrupt::Interrupt() {
  source = std::stop_source();
  before = std::signal(SIGINT, on_interrupt);
  if (before == SIG_IGN) std::signal(SIGINT, SIG_IGN);  // a shell's job in the background
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, before);
}

std::stop_token Interrupt::token() const {
  return source.get_token();
}
