// Runs the threads of one block as fibers, with block barriers and warp barriers.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "kernels/api/cpu_thread.h"
#include "kernels/core/error.h"
#include "kernels/core/geometry.h"

namespace conv_cpu {

constexpr conv::Point2 point_of(const Index3& index) {
  return {static_cast<int>(index.x), static_cast<int>(index.y)};
}
constexpr Index3 index_of(conv::Point2 point, unsigned z = 0) {
  return {static_cast<unsigned>(point.x), static_cast<unsigned>(point.y), z};
}

// What a kernel does wrong, the most serious first: what comes later is often a consequence.
enum class FaultKind { memory, endless, barrier, race, written };
struct AccessFault {
  FaultKind kind;
  std::string text;  // with the line, the block and the threads, or the pixel
};

// The interface that a traced kernel reports to; kernels/cpu/recorder.h implements it.
class AccessSink {
 public:
  virtual ~AccessSink() = default;
  virtual void begin_block(const ThreadIndex& first_thread) = 0;
  // What x and y mean. Global memory: the pixel. Shared memory: the first byte and the number of bytes. Taps: the
  // index, and 1 if it is in constant memory.
  struct MemoryAccess {
    Space space;
    Access access;
    int x, y;
    conv::Point2 asked;  // the pixel before the border rule; only of global memory
    PixelPart part;      // the same
    conv::Size2 image;   // that of the pixel
    CallSite site;
    const ThreadIndex& thread;
    int block_epoch, warp_epoch;  // the numbers of block barriers and of warp barriers passed so far
    Way way;
    int word, transfer;  // see Transfer; the number of the thread's transfers so far
    // Names the run of the loops that the thread is in: the same for lanes of a warp that run them together. A transfer
    // has the one in which it began.
    unsigned long long loops;
    int loop_line;  // of the innermost loop; 0: none
  };
  virtual void access(const MemoryAccess& a) = 0;
  // The access that this thread leaves out, because it uses the value outside the image. x and y are those asked for.
  virtual void leave_out(const MemoryAccess& a) { static_cast<void>(a); }
  // A thread takes part in what its warp does together.
  virtual void exchange(const ThreadIndex& thread, Exchange kind, int instructions) {
    static_cast<void>(thread);
    static_cast<void>(kind);
    static_cast<void>(instructions);
  }
  // A thread has run to its end, with these loops.
  virtual void end_thread(const ThreadIndex& thread, const Loops& loops) {
    static_cast<void>(thread);
    static_cast<void>(loops);
  }
  virtual void fault(AccessFault fault) = 0;
};

// "kernels/variants/global.cu:12".
std::string to_text(CallSite site);

struct BlockLaunch {
  Kernel kernel;
  ConvArgs args;
  conv::Size2 grid, block;
  int shared_bytes;
  int warp_size;
  int taps;           // that the kernel may read
  double barriers_s;  // processor time after which barriers in a loop are taken for an endless one
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

  // sink may be null. If some threads of the block never reach a barrier, it is told of a fault. Fails if the kernel
  // had to be stopped: the error says at which thread and why. Then the block's results are incomplete.
  tl::expected<void, AccessFault> run(const BlockLaunch& launch, conv::Point2 block, AccessSink* sink);

 private:
  friend void block_barrier();
  friend void warp_barrier();
  friend class InExecutor;
  friend const void* exchange(const void*, int, Exchange, int);
  friend void* shared_memory();
  friend bool trace_pixel(Access, PixelPart, int, int, int, int, CallSite);
  friend bool trace_shared(Access, int, int, CallSite);
  friend bool trace_tap(const TapIndex&, const float*);
  friend void trace_question(int, int);
  friend void trace_no_pixel(PixelPart, CallSite);
  friend class Transfer;

  BlockFiber& idle_fiber();
  void resume(BlockFiber& fiber);
  void run_threads(BlockFiber& fiber);
  void abandon_waiting();

  std::unique_ptr<BlockState> state_;
};

}  // namespace conv_cpu
