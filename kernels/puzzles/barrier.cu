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

  // Step 1: load the tile.
  const SharedTile<float> tile = shared_tile<float>(tile_width);
  for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
    for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x) tile.store(tx, ty, source.load(left + tx, top + ty));

  // Step 2: filter the rows of the tile. A thread has one or two of them.
  float sums[4];
  int count = 0;
  for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y) {
    float sum = 0;
    for (int k = 0; k <= 2 * args.radius_x; ++k) sum += taps[k] * tile.load(threadIdx.x + k, ty);
    sums[count++] = sum;
  }

  // Step 3: replace the pixels in the tile by these sums.
  count = 0;
  for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y) tile.store(threadIdx.x, ty, sums[count++]);

  // Step 4: filter the columns of the tile. The taps for the columns follow those for the rows.
  const int first = 2 * args.radius_x + 1;
  float sum = 0;
  for (int k = 0; k <= 2 * args.radius_y; ++k) sum += taps[first + k] * tile.load(threadIdx.x, threadIdx.y + k);
  if (target.contains(x, y)) target.copy(x, y, sum);
}

}  // namespace CONV_TARGET
