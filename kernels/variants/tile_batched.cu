#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// One channel at a time: the block's threads load the channel's tile in batches, one pixel per thread, sum it, and wait
// before the next channel overwrites it.
template <class Source, class Target>
__global__ void tile_batched(ConvArgs args) {
  using Pixel = typename Source::Pixel;
  using Sum = typename PixelTraits<Pixel>::Sum;
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int tile_width = blockDim.x + 2 * args.radius_x, tile_height = blockDim.y + 2 * args.radius_y;
  const int left = blockIdx.x * blockDim.x - args.radius_x, top = blockIdx.y * blockDim.y - args.radius_y;
  const int x = left + args.radius_x + threadIdx.x, y = top + args.radius_y + threadIdx.y;
  const int batch = blockDim.x * blockDim.y, first = threadIdx.y * blockDim.x + threadIdx.x;

  const SharedTile<float> tile = shared_tile<float>(tile_width);
  Sum sum{};
  for (int channel = 0; channel < channels_summed<Sum>; ++channel) {
    for (int i = first; i < tile_width * tile_height; i += batch)
      tile.store(i % tile_width, i / tile_width,
                 source.load_channel(left + i % tile_width, top + i / tile_width, channel));
    __syncthreads();
    if (target.contains(x, y)) {
      float total = 0;
      int tap = 0;
      for (int ky = 0; ky <= 2 * args.radius_y; ++ky)
        for (int kx = 0; kx <= 2 * args.radius_x; ++kx)
          total += taps[tap++] * tile.load(threadIdx.x + kx, threadIdx.y + ky);
      set_channel(sum, channel, total);
    }
    __syncthreads();
  }
  if (target.contains(x, y)) target.store(x, y, sum, args.offset, source.load(x, y));
}

}  // namespace CONV_TARGET
