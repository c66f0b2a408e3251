// Counts what a traced launch accesses, and reports races and pixels that are written twice or never.
#pragma once
#include <string>
#include <vector>

#include "kernels/core/plan.h"
#include "kernels/cpu/block_runner.h"

namespace conv {

// Counts of one kernel step over all its blocks.
struct AccessCounts {
  ThreadCounts threads;  // by what they did: wrote a pixel, only read the source, or nothing
  long long source_reads = 0, tap_reads = 0, shared_reads = 0, shared_writes = 0, target_writes = 0;
  int shared_bytes = 0;                       // from the first to the last byte touched
  std::vector<conv_cpu::AccessFault> faults;  // of each kind the first, the most serious kind first
};

class Recorder : public conv_cpu::AccessSink {
 public:
  // cell_bytes: 4, or 1 if pixels of other sizes share four bytes.
  Recorder(const KernelStep& step, Size2 target, int warp_size, int cell_bytes);

  void begin_block(const conv_cpu::ThreadIndex& first_thread) override;
  void access(const MemoryAccess& a) override;
  void fault(conv_cpu::AccessFault fault) override;

  AccessCounts finished();

 private:
  struct Touch {
    int thread = -1, block_epoch = -1, warp_epoch = -1;
    bool several = false;  // several threads read it in this epoch
    conv_cpu::CallSite site{"", 0};
  };
  struct Cell {
    Touch read, write;
  };
  void touch_shared(const MemoryAccess& a, int byte, int thread);
  void end_block();

  Size2 block_, target_;
  int warp_size_, cell_bytes_;
  Point2 at_;
  bool inside_ = false;
  AccessCounts counts_;
  std::vector<Cell> cells_;  // one per cell_bytes bytes of shared memory
  enum class Did : unsigned char { nothing, loaded, wrote };
  std::vector<Did> did_;
  std::vector<unsigned char> written_;  // how often each target pixel was written
};

}  // namespace conv
