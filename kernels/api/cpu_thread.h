// CUDA's words as the CPU executor means them: a thread is a fiber, a barrier gives way to the other threads of the
// block.
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
// Waits until all 32 threads of the warp have come with as many bytes, 64 at most; returns those of all, in their
// order. They stand until this thread exchanges again.
const void* exchange(const void* mine, int bytes);
void* shared_memory();
// Global memory: x, y are the pixel. Shared memory: first byte and number of bytes. Taps: index and 0.
void trace(Space space, Access access, int x, int y);

using Kernel = void (*)(ConvArgs);

}  // namespace conv_cpu
