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
// What x and y mean. Global memory: the pixel. Shared memory: the first byte and the number of bytes. Taps: the index
// and 0.
void trace(Space space, Access access, int x, int y);

using Kernel = void (*)(ConvArgs);

}  // namespace conv_cpu
