#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// A block loads its pixels and an apron of the radius around them into shared memory. Then each thread sums its window.
template <class Source, class Target>
__global__ void mine_tiled(ConvArgs args) {
  using Pixel = typename Source::Pixel;
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int tile_width = blockDim.x + 2 * args.radius_x, tile_height = blockDim.y + 2 * args.radius_y;
  const int left = blockIdx.x * blockDim.x - args.radius_x, top = blockIdx.y * blockDim.y - args.radius_y;

  const SharedTile<Pixel> tile = shared_tile<Pixel>(tile_width);
  for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
    for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x) tile.store(tx, ty, source.load(left + tx, top + ty));
  __syncthreads();

  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;
  typename PixelTraits<Pixel>::Sum sum{};
  int tap = 0;
  for (int dy = 0; dy <= 2 * args.radius_y; ++dy)
    for (int dx = 0; dx <= 2 * args.radius_x; ++dx)
      sum += weighted(taps[tap++], tile.load(threadIdx.x + dx, threadIdx.y + dy));
  target.store(x, y, sum, args.offset, tile.load(threadIdx.x + args.radius_x, threadIdx.y + args.radius_y));
}

}  // namespace CONV_TARGET
