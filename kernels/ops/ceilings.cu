#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// The highest rates of a GPU, to compare kernels with. Every thread writes a pixel, so that the compiler cannot remove
// its work; `offset` hides the values from the compiler.

// Each thread: 8 independent chains of `rounds` multiply-adds, enough to hide their latency.
template <int rounds>
__global__ void ceiling_multiply_add(ConvArgs args) {
  const TargetView<float> target(args);
  float sums[8];
  for (int i = 0; i < 8; ++i) sums[i] = args.offset + i;
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int i = 0; i < 8; ++i) sums[i] = sums[i] * args.offset + args.outside;
  float total = 0;
  for (int i = 0; i < 8; ++i) total += sums[i];
  target.copy(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y, total);
}

// Each thread reads 8 * `rounds` floats of shared memory, adjacent within a warp.
template <int rounds>
__global__ void ceiling_shared(ConvArgs args) {
  const TargetView<float> target(args);
  constexpr int width = 1024, beyond = 256;
  const SharedTile<float> tile = shared_tile<float>(width + beyond);
  for (int i = threadIdx.x; i < width + beyond; i += blockDim.x) tile.store(i, 0, args.offset * i);
  __syncthreads();
  float sums[8] = {};
  for (int round = 0; round < rounds; ++round) {
    const int first = (threadIdx.x + 32 * round) & (width - 1);
#pragma unroll
    for (int i = 0; i < 8; ++i) sums[i] += tile.load(first + 32 * i, 0);
  }
  float total = 0;
  for (int i = 0; i < 8; ++i) total += sums[i];
  target.copy(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y, total);
}

// Copies the image `rounds` times in one launch, each time other rows: the image stays in the L2 cache, but not in the
// L1 cache of a multiprocessor.
template <int rounds>
__global__ void ceiling_cached_copy(ConvArgs args) {
  const SourceView<float, Border::inside> source(args);
  const TargetView<float> target(args);
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
  for (int round = 0; round < rounds; ++round) {
    const int y = (blockIdx.y + 37 * round) % gridDim.y;
    target.copy(x, y, source.load(x, y));
  }
}

}  // namespace CONV_TARGET
