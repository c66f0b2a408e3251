#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// One thread per pixel of tile and apron: each loads one pixel; after the barrier the threads of the apron are
// finished. The whitepaper's second step.
template <class Source, class Target>
__global__ void tile_thread_per_load(ConvArgs args) {
  using Pixel = typename Source::Pixel;
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int tile_width = blockDim.x - 2 * args.radius_x, tile_height = blockDim.y - 2 * args.radius_y;
  const int column = threadIdx.x - args.radius_x, row = threadIdx.y - args.radius_y;
  const int x = blockIdx.x * tile_width + column, y = blockIdx.y * tile_height + row;

  const SharedTile<Pixel> tile = shared_tile<Pixel>(blockDim.x);
  tile.store(threadIdx.x, threadIdx.y, source.load(x, y));
  __syncthreads();
  const bool in_apron = column < 0 || column >= tile_width || row < 0 || row >= tile_height;
  if (in_apron || !target.contains(x, y)) return;

  target.store(x, y, window_sum(tile, taps, args, column, row), args.offset,
               tile.load(column + args.radius_x, row + args.radius_y));
}

}  // namespace CONV_TARGET
