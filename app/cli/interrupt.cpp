#include "app/cli/interrupt.h"

#include <atomic>
#include <ctime>

namespace conv {

namespace {

// Nothing is registered with the source, so a request is one atomic operation and may come from a signal handler.
std::stop_source source;
volatile std::sig_atomic_t received = 0;
// When the first one came, in nanoseconds of CLOCK_MONOTONIC; 0: none has come. Its handler may itself be interrupted.
std::atomic<long long> first_ns = 0;
static_assert(std::atomic<long long>::is_always_lock_free);

void reset() {
  on_ending_signals(SIG_DFL);
}

long long now_ns() {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

extern "C" void on_interrupt(int signal) {
  const long long now = now_ns();
  long long first = 0;
  if (first_ns.compare_exchange_strong(first, now)) {
    received = signal;
    source.request_stop();
  } else if (now - first > 1'000'000'000) {
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
  first_ns = 0;
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
