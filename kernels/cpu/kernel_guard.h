// Stops kernel code that would end or block the process: it accesses memory that is not its own, divides by zero, or
// never ends. A signal arrives, and the thread continues at the place that was set with setjmp.
#pragma once
#include <csetjmp>
#include <csignal>
#include <ctime>

namespace conv_cpu {

enum class KernelFault { none, memory, division, endless, exception };

// Processor time of this thread, seconds.
double thread_seconds();

// A kernel's thread that neither ends nor waits for this long is stopped, in processor time of the thread that runs it.
// The slowest one of the program takes some milliseconds, also when every access is recorded.
inline constexpr double endless_after_s = 1;

// One for each operating-system thread that runs kernels; it must be destroyed by that thread. Does nothing in the
// sanitized build, where the sanitizers report, and on processors whose registers it does not know.
class KernelGuard {
 public:
  KernelGuard();
  ~KernelGuard();
  KernelGuard(const KernelGuard&) = delete;  // signal handlers know its address
  KernelGuard& operator=(const KernelGuard&) = delete;

  // Ends the kernel from code of the executor that it has called.
  [[noreturn]] void stop(KernelFault why);

  // Set while a kernel's thread runs.
  volatile std::sig_atomic_t in_kernel = 0;
  // Above 0: it has called code of the executor, which must finish. Faults there are not the kernel's.
  volatile std::sig_atomic_t in_executor = 0;
  // The kernel should have been stopped for taking too long while it was in such code.
  volatile std::sig_atomic_t overdue = 0;
  // Counts threads that began or were resumed.
  volatile unsigned progress = 0;
  // Where a stopped kernel continues: a jump, on a stack whose free part begins here.
  std::jmp_buf* restart = nullptr;
  void* stack = nullptr;
  // Why it was stopped.
  volatile KernelFault fault = KernelFault::none;

 private:
  struct Handlers;
  friend struct Handlers;

  timer_t timer_{};
  bool has_timer_ = false;
  int ticks_ = 0;  // without progress
  unsigned seen_progress_ = 0;
  void* old_stack_ = nullptr;  // for signals; null: there was none
  unsigned long old_stack_bytes_ = 0;
  alignas(16) unsigned char signal_stack_[32 * 1024];
};

}  // namespace conv_cpu
