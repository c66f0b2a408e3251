#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// A block stages only its own pixels. Windows that reach beyond the block miss the pixels there, so results along every
// block edge are wrong. The whitepaper's first step.
template <class Source, class Target>
__global__ void tile_no_apron(ConvArgs args) {
  using Pixel = typename Source::Pixel;
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const SharedTile<Pixel> tile = shared_tile<Pixel>(blockDim.x);
  tile.store(threadIdx.x, threadIdx.y, source.load(x, y));
  __syncthreads();
  if (!target.contains(x, y)) return;

  typename PixelTraits<Pixel>::Sum sum{};
  int tap = 0;
  for (int dy = -args.radius_y; dy <= args.radius_y; ++dy)
    for (int dx = -args.radius_x; dx <= args.radius_x; ++dx, ++tap) {
      const int tx = threadIdx.x + dx, ty = threadIdx.y + dy;
      const bool staged = tx >= 0 && tx < blockDim.x && ty >= 0 && ty < blockDim.y;
      if (staged) sum += weighted(taps[tap], tile.load(tx, ty));
    }
  target.store(x, y, sum, args.offset, tile.load(threadIdx.x, threadIdx.y));
}

}  // namespace CONV_TARGET
