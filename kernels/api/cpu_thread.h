// CUDA's built-in variables and functions for the CPU executor: a thread is a fiber, and a barrier switches to the
// other threads of the block.
#pragma once
#include "kernels/api/conv_args.h"

namespace conv_cpu {

struct Index3 {
  int x, y, z;
};
struct ThreadIndex {
  Index3 thread, block, block_dim, grid_dim;
};
enum class Space : unsigned char { global, shared, taps };
enum class Access : unsigned char { read, write };

extern constinit thread_local ThreadIndex* current_thread;

void block_barrier();
void warp_barrier();
// Waits until all 32 threads of the warp have called it with the same number of bytes, at most 64, and returns the data
// of all threads in order. The data stay valid until this thread's next exchange.
const void* exchange(const void* mine, int bytes);
void* shared_memory();
// The line of the kernel that accesses memory. The file is as the compiler was given it.
struct CallSite {
  const char* file;
  int line;
  static constexpr CallSite here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

// Traced kernels report every access before they do it. False: it is outside the image of this size, the block's shared
// memory, or the taps; the kernel leaves it out, and the fault is recorded.
bool trace_pixel(Access access, int x, int y, int width, int height, CallSite site = CallSite::here());
bool trace_shared(Access access, int first_byte, int bytes, CallSite site = CallSite::here());
bool trace_tap(int index);

// While one exists, the kernel is not stopped for taking too long: it is in code of the executor that must finish.
class InExecutor {
 public:
  InExecutor();
  ~InExecutor();
  InExecutor(const InExecutor&) = delete;
};

using Kernel = void (*)(ConvArgs);

}  // namespace conv_cpu
