#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

template <class Source, class Target>
__global__ void convolve(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int tile_width = blockDim.x + 2 * args.radius_x;
  const int tile_height = blockDim.y + 2 * args.radius_y;
  const int left = blockIdx.x * blockDim.x - args.radius_x;
  const int top = blockIdx.y * blockDim.y - args.radius_y;

  const int first = 2 * args.radius_x + 1;
  const SharedTile<float> tile = shared_tile<float>(tile_width);
  for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
    for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x) tile.store(tx, ty, source.load(left + tx, top + ty));
  __syncthreads();

  // The sums of the rows, in shared memory behind the tile.
  const int behind_tile = tile_width * tile_height * sizeof(float);
  const SharedTile<float> sums = shared_tile<float>(blockDim.x, behind_tile);
  for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y) {
    float sum = 0;
    for (int k = 0; k <= 2 * args.radius_x; ++k) sum += taps[k] * tile.load(threadIdx.x + k, ty);
    sums.store(threadIdx.x, ty, sum);
  }
  __syncthreads();
  if (!target.contains(x, y)) return;

  float sum = 0;
  for (int k = 0; k <= 2 * args.radius_y; ++k) sum += taps[first + k] * sums.load(threadIdx.x, threadIdx.y + k);
  target.copy(x, y, sum);
}

}  // namespace CONV_TARGET
