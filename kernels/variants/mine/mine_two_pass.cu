#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// The rows, into an image of floats. A block loads a tile with an apron on the left and on the right.
template <class Source, class Target>
__global__ void mine_two_pass_rows(ConvArgs args) {
  using Pixel = typename Source::Pixel;
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int left = blockIdx.x * blockDim.x - args.radius_x, tile_width = blockDim.x + 2 * args.radius_x;

  const SharedTile<Pixel> tile = shared_tile<Pixel>(tile_width);
  for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x) tile.store(tx, threadIdx.y, source.load(left + tx, y));
  __syncthreads();
  if (!target.contains(x, y)) return;

  typename PixelTraits<Pixel>::Sum sum{};
  for (int k = 0; k <= 2 * args.radius_x; ++k) sum += weighted(taps[k], tile.load(threadIdx.x + k, threadIdx.y));
  target.store(x, y, sum, args.offset, tile.load(threadIdx.x + args.radius_x, threadIdx.y));
}

// The columns of these floats, into the result. The apron is above and below.
template <class Source, class Target>
__global__ void mine_two_pass_columns(ConvArgs args) {
  using Pixel = typename Source::Pixel;
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int top = blockIdx.y * blockDim.y - args.radius_y, tile_height = blockDim.y + 2 * args.radius_y;

  const SharedTile<Pixel> tile = shared_tile<Pixel>(blockDim.x);
  for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y) tile.store(threadIdx.x, ty, source.load(x, top + ty));
  __syncthreads();
  if (!target.contains(x, y)) return;

  typename PixelTraits<Pixel>::Sum sum{};
  for (int k = 0; k <= 2 * args.radius_y; ++k) sum += weighted(taps[k], tile.load(threadIdx.x, threadIdx.y + k));
  target.store(x, y, sum, args.offset, tile.load(threadIdx.x, threadIdx.y + args.radius_y));
}

}  // namespace CONV_TARGET
