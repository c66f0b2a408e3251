// How many blocks of a kernel a multiprocessor holds at once, and what keeps it from holding more.
#pragma once
#include <string>

#include "kernels/core/geometry.h"

namespace conv {

// Of one multiprocessor of the GPU.
struct MultiprocessorLimits {
  int registers = 65536, shared_bytes = 0, threads = 2048, blocks = 32;
  int reserved_shared_bytes = 1024;  // taken from every block by the system
  int warp_size = 32;
  int count = 1;  // multiprocessors
};

struct KernelResources {
  int registers = 0;     // per thread
  int shared_bytes = 0;  // per block, static and dynamic
  int local_bytes = 0;   // per thread: spilled registers and indexed arrays
  Size2 block;
};

// Of a compiled kernel, with the blocks that a multiprocessor holds at once as the driver counts them.
struct Footprint {
  KernelResources resources;
  int blocks = 0;
};

struct Occupancy {
  int blocks = 0;  // on a multiprocessor at once
  int warps = 0, most_warps = 0;
  std::string limiter;  // "registers: 40 a thread, 10240 a block of 65536: 6 blocks at once"
  double share() const { return most_warps > 0 ? static_cast<double>(warps) / most_warps : 0; }
};

// By the rules of NVIDIA's occupancy calculator: registers are given to a warp in steps of 256 and within a quarter of
// the multiprocessor, shared memory to a block in steps of 128 bytes.
Occupancy occupancy_of(const KernelResources& kernel, const MultiprocessorLimits& limits);

}  // namespace conv
