#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// Kernels that are wrong on purpose, for the executor to stop.

// Writes without asking whether the pixel exists.
template <class Source, class Target>
__global__ void without_contains(ConvArgs args) {
  const Target target(args);
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  target.copy(x, y, Source(args).load(0, 0));
}

// Reads a tile that is one pixel wider than the plan's.
template <class Source, class Target>
__global__ void beyond_shared(ConvArgs args) {
  const Target target(args);
  const auto tile = shared_tile<typename Source::Pixel>(blockDim.x);
  const int x = threadIdx.x;
  tile.store(x, 0, Source(args).load(x, 0));
  __syncthreads();
  if (target.contains(x, 0)) target.copy(x, 0, tile.load(args.radius_x == 0 ? 100000 + x : x, 0));
}

}  // namespace CONV_TARGET
