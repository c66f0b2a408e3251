// Runs the threads of one block as fibers, with block barriers and warp barriers.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "kernels/api/cpu_thread.h"
#include "kernels/core/geometry.h"

namespace conv_cpu {

// The interface that a traced kernel reports to; kernels/cpu/recorder.h implements it.
class AccessSink {
 public:
  virtual ~AccessSink() = default;
  virtual void begin_block(const ThreadIndex& first_thread) = 0;
  // block_epoch: the number of block barriers passed so far. warp_epoch: the same for the warp.
  virtual void access(Space space, Access access, int x, int y, const ThreadIndex& thread, int block_epoch,
                      int warp_epoch) = 0;
  virtual void fault(std::string text) = 0;
};

struct BlockLaunch {
  Kernel kernel;
  ConvArgs args;
  conv::Size2 grid, block;
  int shared_bytes;
  int warp_size;
};

struct BlockFiber;
struct BlockState;

// One per operating-system thread: a fiber stays on the thread that created it and is reused for other blocks.
class BlockRunner {
 public:
  BlockRunner();
  ~BlockRunner();
  BlockRunner(const BlockRunner&) = delete;  // owns its fibers and their stacks
  BlockRunner& operator=(const BlockRunner&) = delete;

  // sink may be null. If some threads of the block never reach a barrier, it is told of a fault.
  void run(const BlockLaunch& launch, conv::Point2 block, AccessSink* sink);

 private:
  friend void block_barrier();
  friend void warp_barrier();
  friend const void* exchange(const void*, int);
  friend void* shared_memory();
  friend void trace(Space, Access, int, int);

  BlockFiber& idle_fiber();
  void resume(BlockFiber& fiber);
  void run_threads(BlockFiber& fiber);

  std::unique_ptr<BlockState> state_;
};

}  // namespace conv_cpu
