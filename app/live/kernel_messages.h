// What this program and the process of an edited kernel say to each other.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "kernels/cpu/cpu_executor.h"

namespace conv {

enum class KernelRequest : unsigned char { run, record_block, record_warps, record_thread };

// A request to the process, about one kernel step. An empty message ends the run that has been requested before.
struct KernelQuestion {
  KernelRequest request = KernelRequest::run;
  std::string instance;                        // of the kernel: its general text
  bool constant_taps = false;                  // it has its taps in constant memory
  std::string options;                         // of KernelInstance
  LaunchPlan plan;                             // without steps
  KernelStep step;                             // without its kernel
  Point2 block, thread;                        // to record
  std::string_view reads, also_reads, writes;  // to run: the images; writes: if only some rows are written
};
KernelQuestion question_about(const LaunchPlan& plan, const KernelStep& step, KernelRequest request);
std::string to_message(KernelQuestion& question);
// Its images are parts of the message. None if the message does not fit.
std::optional<KernelQuestion> question_in(std::string_view message);

// The answers. Each begins with whether there is one; if not, words say why.
struct RunAnswer {
  float ms = 0;
  std::string_view writes;
};
std::string failed_answer(std::string why);
std::string to_answer(RunAnswer answer);
std::string to_answer(BlockRecording recording);
std::string to_answer(WarpRecording recording);
std::string to_answer(ThreadRecording recording);
// They may come from a kernel of somebody else: whatever could not come from this step is refused.
Result<RunAnswer> run_answer(std::string_view message, const LaunchPlan& plan, const KernelStep& step);
Result<BlockRecording> block_answer(std::string_view message, const LaunchPlan& plan, const KernelStep& step,
                                    Point2 block);
Result<WarpRecording> warp_answer(std::string_view message, const LaunchPlan& plan, const KernelStep& step,
                                  Point2 block);
Result<ThreadRecording> thread_answer(std::string_view message, const LaunchPlan& plan, const KernelStep& step,
                                      Point2 block, Point2 thread);
// More bytes than any answer of this step has.
std::size_t most_answer_bytes(const LaunchPlan& plan, const KernelStep& step);

}  // namespace conv
