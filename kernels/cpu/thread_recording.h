// What one thread of a block does, access by access, recorded from the running kernel.
#pragma once
#include <optional>
#include <vector>

#include "kernels/core/plan.h"
#include "kernels/cpu/block_runner.h"

namespace conv {

// One access of the thread. A tap and the pixel that it weights are one step, if the kernel's line reads both.
struct ThreadStep {
  conv_cpu::CallSite line;
  conv_cpu::Space space;
  conv_cpu::Access access;
  conv_cpu::Way way;
  int epoch = 0;           // barriers of the block passed before
  std::optional<int> tap;  // its index
  // Global memory: the pixel that the kernel asks for, and the one that is accessed; none: the value outside the image.
  Point2 asked;
  std::optional<Point2> pixel;
  conv_cpu::PixelPart part{};
  Size2 image;
  // Shared memory: what is accessed, and the source pixel that it holds, if a thread has copied one there.
  int first_byte = 0, bytes = 0;
  std::optional<Point2> holds;  // as asked for
};

struct ThreadRecording {
  Point2 block, thread;
  std::vector<ThreadStep> steps;  // in the order of the program
  bool complete = true;           // false: there were more than most_steps
  static constexpr std::size_t most_steps = 1 << 16;
};

class ThreadRecorder : public conv_cpu::AccessSink {
 public:
  ThreadRecorder(const KernelStep& step, Point2 thread);
  void begin_block(const conv_cpu::ThreadIndex& first_thread) override;
  void access(const MemoryAccess& a) override;
  void leave_out(const MemoryAccess& a) override;
  void fault(conv_cpu::AccessFault) override {}  // reported where the whole launch is recorded

  ThreadRecording finished() { return std::move(recording_); }

 private:
  void follow_copies(const MemoryAccess& a, bool reads_global);
  void add(const MemoryAccess& a, std::optional<Point2> pixel);

  ThreadRecording recording_;
  int block_width_;
  std::vector<std::vector<Point2>> read_;      // per thread: source pixels that it has read and not used yet
  std::vector<std::optional<Point2>> shared_;  // by first byte: the source pixel there
};

}  // namespace conv
