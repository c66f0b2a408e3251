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

  const SharedTile<float> tile = shared_tile<float>(tile_width);
  const int threads = blockDim.x * blockDim.y;
  const int pixels = tile_width * tile_height;
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < pixels; i += threads)
    tile.store(i % tile_width, i / tile_width, source.load(left + i % tile_width, top + i / tile_width));
  __syncthreads();
  if (!target.contains(x, y)) return;

  float sum = 0;
  int tap = 0;
  for (int dy = 0; dy <= 2 * args.radius_y; ++dy)
    for (int dx = 0; dx <= 2 * args.radius_x; ++dx) sum += taps[tap++] * tile.load(threadIdx.x + dx, threadIdx.y + dy);
  target.copy(x, y, sum);
}

}  // namespace CONV_TARGET
