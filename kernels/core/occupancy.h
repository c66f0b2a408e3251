// How many blocks of a kernel run on a multiprocessor at once, and what limits their number.
#pragma once
#include <string>

#include "kernels/core/geometry.h"

namespace conv {

// The limits of one multiprocessor.
struct MultiprocessorLimits {
  int registers = 65536, shared_bytes = 0, threads = 2048, blocks = 32;
  int reserved_shared_bytes = 1024;  // used by the system for every block
  int warp_size = 32;
  int count = 1;  // multiprocessors
};

struct KernelResources {
  int registers = 0;     // per thread
  int shared_bytes = 0;  // per block, static and dynamic
  int local_bytes = 0;   // per thread: spilled registers and indexed arrays
  Size2 block;
};

// The occupancy of a compiled kernel, with the number of blocks that the driver reports.
struct Footprint {
  KernelResources resources;
  int blocks = 0;
};

struct Occupancy {
  int blocks = 0;  // on a multiprocessor at the same time
  int warps = 0, most_warps = 0;
  std::string limiter;  // "registers: 40 a thread, 10240 a block of 65536: 6 blocks at once"
  double share() const { return most_warps > 0 ? static_cast<double>(warps) / most_warps : 0; }
};

// By the rules of NVIDIA's occupancy calculator: a warp gets registers in units of 256, within a quarter of the
// multiprocessor; a block gets shared memory in units of 128 bytes.
Occupancy occupancy_of(const KernelResources& kernel, const MultiprocessorLimits& limits);

}  // namespace conv
