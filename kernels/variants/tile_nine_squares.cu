#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// The block moves over tile and apron in squares of its own size: nine of them if the apron is as wide as the block.
// Every thread computes. The whitepaper's fourth step.
template <class Source, class Target>
__global__ void tile_nine_squares(ConvArgs args) {
  using Pixel = typename Source::Pixel;
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int tile_width = blockDim.x + 2 * args.radius_x, tile_height = blockDim.y + 2 * args.radius_y;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int squares_x = (args.radius_x + blockDim.x - 1) / blockDim.x;  // on each side of the middle one
  const int squares_y = (args.radius_y + blockDim.y - 1) / blockDim.y;

  const SharedTile<Pixel> tile = shared_tile<Pixel>(tile_width);
  for (int square_y = -squares_y; square_y <= squares_y; ++square_y)
    for (int square_x = -squares_x; square_x <= squares_x; ++square_x) {
      const int dx = square_x * static_cast<int>(blockDim.x), dy = square_y * static_cast<int>(blockDim.y);
      const int tx = threadIdx.x + args.radius_x + dx, ty = threadIdx.y + args.radius_y + dy;
      if (tx >= 0 && tx < tile_width && ty >= 0 && ty < tile_height) tile.store(tx, ty, source.load(x + dx, y + dy));
    }
  __syncthreads();
  if (!target.contains(x, y)) return;

  target.store(x, y, window_sum(tile, taps, args, threadIdx.x, threadIdx.y), args.offset,
               tile.load(threadIdx.x + args.radius_x, threadIdx.y + args.radius_y));
}

}  // namespace CONV_TARGET
