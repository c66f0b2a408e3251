// What the threads of one block do in each phase, recorded from the running kernel.
#pragma once
#include <string>
#include <vector>

#include "kernels/core/plan.h"
#include "kernels/cpu/block_runner.h"

namespace conv {

enum class PhaseKind {
  load,     // from global to shared memory: one wave is the k-th pixel of every thread
  stage,    // from shared memory to shared memory: the first of two stages
  compute,  // sums, from shared memory or, without a tile, from global memory
  store,    // storing results
};
struct BlockPhase {
  PhaseKind kind = PhaseKind::load;
  int wave = 0;   // number of the wave of loads, from 0
  int epoch = 0;  // barriers of the block passed before
  // Per thread, row by row. Whether it does anything; for loads the cell of the staged tile, otherwise -1.
  std::vector<bool> active;
  std::vector<int> cell;
  int count = 0;  // active threads
};

struct BlockRecording {
  Point2 block;
  std::vector<BlockPhase> phases;
  std::vector<std::vector<Point2>> written;  // per thread: the image pixels that it writes
  ThreadCounts threads;
  long long source_reads = 0, tap_reads = 0, shared_reads = 0, shared_writes = 0, target_writes = 0;
  int shared_bytes = 0;  // from the first to the last byte touched
};

class BlockRecorder : public conv_cpu::AccessSink {
 public:
  explicit BlockRecorder(const KernelStep& step);
  void begin_block(const conv_cpu::ThreadIndex& first_thread) override;
  void access(const MemoryAccess& a) override;
  void fault(conv_cpu::AccessFault) override {}  // reported where the whole launch is recorded

  BlockRecording finished();

 private:
  // What one thread does between two barriers.
  struct Share {
    std::vector<int> shared_writes;  // first bytes, in order
    long long source_reads = 0, shared_reads = 0;
    bool stores = false;
  };
  void add_epoch(int epoch);

  Size2 block_;
  std::vector<std::vector<Share>> epochs_;  // by epoch, then by thread
  std::vector<int> cells_;                  // first bytes of the staged tile's cells, sorted
  BlockRecording recording_;
};

}  // namespace conv
