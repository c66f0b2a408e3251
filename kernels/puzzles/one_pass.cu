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

  // This kernel has the taps of both passes: those for the row, and behind them those for the column.
  const int first = 2 * args.radius_x + 1;
  const SharedTile<float> tile = shared_tile<float>(tile_width);
  for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
    for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x) tile.store(tx, ty, source.load(left + tx, top + ty));
  __syncthreads();
  if (!target.contains(x, y)) return;

  float sum = 0;
  for (int dy = 0; dy <= 2 * args.radius_y; ++dy)
    for (int dx = 0; dx <= 2 * args.radius_x; ++dx)
      sum += taps[first + dy] * taps[dx] * tile.load(threadIdx.x + dx, threadIdx.y + dy);
  target.copy(x, y, sum);
}

}  // namespace CONV_TARGET
