#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// tile_linear without its barrier: threads add pixels that other warps may not have stored yet. An exhibit.
template <class Source, class Target>
__global__ void no_barrier(ConvArgs args) {
  using Pixel = typename Source::Pixel;
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int tile_width = blockDim.x + 2 * args.radius_x, tile_height = blockDim.y + 2 * args.radius_y;
  const int left = blockIdx.x * blockDim.x - args.radius_x, top = blockIdx.y * blockDim.y - args.radius_y;

  const SharedTile<Pixel> tile = shared_tile<Pixel>(tile_width);
  const int threads = blockDim.x * blockDim.y;
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < tile_width * tile_height; i += threads)
    tile.store(i % tile_width, i / tile_width, source.load(left + i % tile_width, top + i / tile_width));
  // __syncthreads() belongs here

  const int x = left + args.radius_x + threadIdx.x, y = top + args.radius_y + threadIdx.y;
  if (!target.contains(x, y)) return;

  target.store(x, y, window_sum(tile, taps, args, threadIdx.x, threadIdx.y), args.offset,
               tile.load(threadIdx.x + args.radius_x, threadIdx.y + args.radius_y));
}

}  // namespace CONV_TARGET
