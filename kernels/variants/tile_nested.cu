#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// Two nested loops load the tile in strides of the block: num_loads_x along x, num_loads_y along y.
template <class Source, class Target>
__global__ void tile_nested(ConvArgs args) {
  using Pixel = typename Source::Pixel;
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int tile_width = blockDim.x + 2 * args.radius_x, tile_height = blockDim.y + 2 * args.radius_y;
  const int left = blockIdx.x * blockDim.x - args.radius_x, top = blockIdx.y * blockDim.y - args.radius_y;
  const int num_loads_x = (tile_width + blockDim.x - 1) / blockDim.x;
  const int num_loads_y = (tile_height + blockDim.y - 1) / blockDim.y;

  const SharedTile<Pixel> tile = shared_tile<Pixel>(tile_width);
  for (int load_y = 0; load_y < num_loads_y; ++load_y)
    for (int load_x = 0; load_x < num_loads_x; ++load_x) {
      const int tx = threadIdx.x + load_x * blockDim.x, ty = threadIdx.y + load_y * blockDim.y;
      if (tx < tile_width && ty < tile_height) tile.store(tx, ty, source.load(left + tx, top + ty));
    }
  __syncthreads();
  const int x = left + args.radius_x + threadIdx.x, y = top + args.radius_y + threadIdx.y;
  if (!target.contains(x, y)) return;

  target.store(x, y, window_sum(tile, taps, args, threadIdx.x, threadIdx.y), args.offset,
               tile.load(threadIdx.x + args.radius_x, threadIdx.y + args.radius_y));
}

}  // namespace CONV_TARGET
