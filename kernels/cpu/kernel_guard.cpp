#include "kernels/cpu/kernel_guard.h"

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <mutex>

namespace conv_cpu {

void KernelGuard::stop(KernelFault why) {
  in_kernel = 0;
  in_executor = 0;
  overdue = 0;
  fault = why;
  std::longjmp(*restart, 1);
}

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

#if !defined(__SANITIZE_ADDRESS__) && (defined(__x86_64__) || defined(__aarch64__))

static constinit thread_local KernelGuard* guard_of_thread = nullptr;

constexpr int ticks_per_s = 8;
constexpr int most_ticks = static_cast<int>(endless_after_s * ticks_per_s);

constexpr int tick_signal = SIGVTALRM;  // debuggers do not stop at it

// Runs on the stack of the kernel that was stopped, after the signal's handler has returned.
[[noreturn]] static void leave_kernel() {
  guard_of_thread->stop(guard_of_thread->fault);
}

struct KernelGuard::Handlers {
  static constexpr std::array faults{SIGSEGV, SIGBUS, SIGFPE};
  static inline std::array<struct sigaction, faults.size()> before;

  // Makes the thread continue in leave_kernel.
  static void redirect(KernelGuard& guard, KernelFault why, void* context) {
    guard.fault = why;
    const std::uintptr_t top = reinterpret_cast<std::uintptr_t>(guard.stack) & ~std::uintptr_t{15};
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    registers.gregs[REG_RSP] = static_cast<greg_t>(top - 8);  // as after a call
    registers.gregs[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(&leave_kernel));
#else
    registers.sp = top;
    registers.pc = reinterpret_cast<std::uintptr_t>(&leave_kernel);
#endif
  }

  static void on_fault(int signal, siginfo_t* info, void* context) {
    KernelGuard* guard = guard_of_thread;
    const bool from_outside = info->si_code <= 0;  // kill() and the like
    if (guard && guard->in_kernel && guard->in_executor == 0 && !from_outside)
      return redirect(*guard, signal == SIGFPE ? KernelFault::division : KernelFault::memory, context);
    // Not a kernel: what was to happen before happens, when the instruction is tried again.
    for (std::size_t i = 0; i < faults.size(); ++i)
      if (faults[i] == signal) ::sigaction(signal, &before[i], nullptr);
    if (from_outside) ::raise(signal);
  }

  static void on_tick(int, siginfo_t*, void* context) {
    KernelGuard* guard = guard_of_thread;
    if (!guard || !guard->in_kernel) return;
    if (guard->progress != guard->seen_progress_) {
      guard->seen_progress_ = guard->progress;
      guard->ticks_ = 0;
    } else if (++guard->ticks_ >= most_ticks) {
      guard->ticks_ = 0;
      guard->overdue = 1;
      if (guard->in_executor == 0) redirect(*guard, KernelFault::endless, context);
    }
  }

  static void install() {
    struct sigaction action {};
    ::sigemptyset(&action.sa_mask);
    ::sigaddset(&action.sa_mask, tick_signal);  // it must not redirect the handler of a fault
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    action.sa_sigaction = on_fault;
    for (std::size_t i = 0; i < faults.size(); ++i) ::sigaction(faults[i], &action, &before[i]);
    action.sa_sigaction = on_tick;
    ::sigaction(tick_signal, &action, nullptr);
  }
};

KernelGuard::KernelGuard() {
  static std::once_flag installed;
  std::call_once(installed, Handlers::install);
  stack_t own{}, old{};
  own.ss_sp = signal_stack_;
  own.ss_size = sizeof(signal_stack_);
  if (::sigaltstack(&own, &old) == 0 && !(old.ss_flags & SS_DISABLE)) {
    old_stack_ = old.ss_sp;
    old_stack_bytes_ = old.ss_size;
  }
  guard_of_thread = this;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = tick_signal;
  event._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));
  has_timer_ = ::timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
  constexpr timespec period{.tv_sec = 0, .tv_nsec = 1'000'000'000 / ticks_per_s};
  constexpr itimerspec times{period, period};
  if (has_timer_) ::timer_settime(timer_, 0, &times, nullptr);
}

KernelGuard::~KernelGuard() {
  if (has_timer_) ::timer_delete(timer_);
  guard_of_thread = nullptr;
  stack_t old{};
  old.ss_sp = old_stack_;
  old.ss_size = old_stack_bytes_;
  if (!old_stack_) old.ss_flags = SS_DISABLE;
  ::sigaltstack(&old, nullptr);
}

#else

KernelGuard::KernelGuard() = default;
KernelGuard::~KernelGuard() = default;

#endif

}  // namespace conv_cpu
