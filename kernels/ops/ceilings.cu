#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// What a GPU can do at most, to hold other kernels against. Every thread writes a pixel, so that nothing is left out as
// unused; offset keeps the compiler from knowing the values.

// 8 chains of `rounds` dependent multiply-adds a thread: enough to hide the latency of each.
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

// 8 * `rounds` floats of shared memory read by each thread, a warp's side by side.
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

// Copies the image `rounds` times in one launch, each time other rows: it stays in the L2 cache, and no multiprocessor
// finds what it reads in its own.
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
