#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// The block is as wide as the tile and as high as tile and apron. Each thread walks along its row and loads every
// blockDim.x-th pixel, three of them if the apron is as wide as the tile. The whitepaper's third step.
template <class Source, class Target>
__global__ void tile_column_threads(ConvArgs args) {
  using Pixel = typename Source::Pixel;
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int tile_width = blockDim.x + 2 * args.radius_x, tile_height = blockDim.y - 2 * args.radius_y;
  const int row = threadIdx.y - args.radius_y;
  const int left = blockIdx.x * blockDim.x, y = blockIdx.y * tile_height + row;

  const SharedTile<Pixel> tile = shared_tile<Pixel>(tile_width);
  for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x)
    tile.store(tx, threadIdx.y, source.load(left + tx - args.radius_x, y));
  __syncthreads();
  const int x = left + threadIdx.x;
  if (row < 0 || row >= tile_height || !target.contains(x, y)) return;

  target.store(x, y, window_sum(tile, taps, args, threadIdx.x, row), args.offset,
               tile.load(threadIdx.x + args.radius_x, row + args.radius_y));
}

}  // namespace CONV_TARGET
