#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// A wide tile with one row per row of threads: each thread writes every blockDim.x-th pixel. If requested, the first
// threads skip the first load, so that thread 0 reads from an aligned address.
template <class Source, class Target, int fixed_radius, int fixed_results>
__global__ void whitepaper_rows(ConvArgs args) {
  using Pixel = typename Source::Pixel;
  constexpr int unrolled_taps = !CONV_UNROLL ? 1 : fixed_radius == from_args ? 4 : 2 * fixed_radius + 1;
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int radius = fixed_radius == from_args ? args.radius_x : fixed_radius;
  const int results = fixed_results == from_args ? args.results : fixed_results;
  const int tile_width = results * blockDim.x + 2 * radius;
  const int left = blockIdx.x * results * blockDim.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int leading = args.alignment_px > 0 ? (args.alignment_px - radius % args.alignment_px) % args.alignment_px : 0;

  const SharedTile<Pixel> tile = shared_tile<Pixel>(tile_width);
  for (int tx = static_cast<int>(threadIdx.x) - leading; tx < tile_width; tx += blockDim.x)
    if (tx >= 0) tile.store(tx, threadIdx.y, source.load(left + tx - radius, y));
  __syncthreads();

#pragma unroll
  for (int result = 0; result < results; ++result) {
    const int column = threadIdx.x + result * blockDim.x;
    if (!target.contains(left + column, y)) return;
    typename PixelTraits<Pixel>::Sum sum{};
#pragma unroll unrolled_taps
    for (int k = 0; k <= 2 * radius; ++k) sum += weighted(taps[k], tile.load(column + k, threadIdx.y));
    target.store(left + column, y, sum, args.offset, tile.load(column + radius, threadIdx.y));
  }
}

// A narrow, tall tile, as wide as a coalesced read: each thread writes every blockDim.y-th pixel of its column.
template <class Source, class Target, int fixed_radius, int fixed_results>
__global__ void whitepaper_columns(ConvArgs args) {
  using Pixel = typename Source::Pixel;
  constexpr int unrolled_taps = !CONV_UNROLL ? 1 : fixed_radius == from_args ? 4 : 2 * fixed_radius + 1;
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int radius = fixed_radius == from_args ? args.radius_y : fixed_radius;
  const int results = fixed_results == from_args ? args.results : fixed_results;
  const int tile_height = results * blockDim.y + 2 * radius;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, top = blockIdx.y * results * blockDim.y;

  const SharedTile<Pixel> tile = shared_tile<Pixel>(blockDim.x);
  for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
    tile.store(threadIdx.x, ty, source.load(x, top + ty - radius));
  __syncthreads();

#pragma unroll
  for (int result = 0; result < results; ++result) {
    const int row = threadIdx.y + result * blockDim.y;
    if (!target.contains(x, top + row)) return;
    typename PixelTraits<Pixel>::Sum sum{};
#pragma unroll unrolled_taps
    for (int k = 0; k <= 2 * radius; ++k) sum += weighted(taps[k], tile.load(threadIdx.x, row + k));
    target.store(x, top + row, sum, args.offset, tile.load(threadIdx.x, row + radius));
  }
}

}  // namespace CONV_TARGET
