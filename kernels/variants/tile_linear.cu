#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// All constant memory of a module: 64 KB of taps.
__constant__ float constant_taps[16384];

// The block's threads walk through tile and apron in one line and stage them in shared memory. After the barrier each
// thread sums its own window from there. If the radius is fixed, the compiler unrolls the window. If the block is
// fixed, it replaces the division that separates row from column by a multiplication. Taps are in constant memory if
// they fit.
template <class Source, class Target, int fixed_radius_x, int fixed_radius_y, int fixed_block_x, int fixed_block_y,
          int taps_are_constant>
__global__ void tile_linear(ConvArgs args) {
  using Pixel = typename Source::Pixel;
  constexpr int fixed_width = 2 * fixed_radius_x + 1, fixed_height = 2 * fixed_radius_y + 1;
  // Unrolling more than about 15x15 makes the compiler slow (35x35: 11.6 s) and the code larger than the instruction
  // cache.
  constexpr int unrolled_columns = !CONV_UNROLL ? 1 : fixed_radius_x == from_args ? 4 : fixed_width;
  constexpr int unrolled_rows =
      CONV_UNROLL && fixed_radius_y != from_args && fixed_width * fixed_height <= 225 ? fixed_height : 1;

  const Source source(args);
  const Target target(args);
  const TapsView taps{taps_are_constant ? constant_taps + args.first_constant : args.taps};
  const int radius_x = fixed_radius_x == from_args ? args.radius_x : fixed_radius_x;
  const int radius_y = fixed_radius_y == from_args ? args.radius_y : fixed_radius_y;
  const int block_x = fixed_block_x == from_args ? blockDim.x : fixed_block_x;
  const int block_y = fixed_block_y == from_args ? blockDim.y : fixed_block_y;
  const int tile_width = block_x + 2 * radius_x, tile_height = block_y + 2 * radius_y;
  const int left = blockIdx.x * block_x - radius_x, top = blockIdx.y * block_y - radius_y;

  const SharedTile<Pixel> tile = shared_tile<Pixel>(tile_width);
  for (int i = threadIdx.y * block_x + threadIdx.x; i < tile_width * tile_height; i += block_x * block_y)
    tile.store(i % tile_width, i / tile_width, source.load(left + i % tile_width, top + i / tile_width));
  __syncthreads();

  const int x = left + radius_x + threadIdx.x, y = top + radius_y + threadIdx.y;
  if (!target.contains(x, y)) return;

  typename PixelTraits<Pixel>::Sum sum{};
#pragma unroll unrolled_rows
  for (int ky = 0; ky <= 2 * radius_y; ++ky)
#pragma unroll unrolled_columns
    for (int kx = 0; kx <= 2 * radius_x; ++kx)
      sum += weighted(taps[ky * (2 * radius_x + 1) + kx], tile.load(threadIdx.x + kx, threadIdx.y + ky));
  target.store(x, y, sum, args.offset, tile.load(threadIdx.x + radius_x, threadIdx.y + radius_y));
}

}  // namespace CONV_TARGET
