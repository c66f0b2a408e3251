#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// One pass along x (step_x 1) or along y (step_y 1): the block stages its tile and the apron at both ends.
template <class Source, class Target, int fixed_radius, int step_x, int step_y>
CONV_DEVICE void filter_along(const ConvArgs& args) {
  using Pixel = typename Source::Pixel;
  constexpr int unrolled_taps = !CONV_UNROLL ? 1 : fixed_radius == from_args ? 4 : 2 * fixed_radius + 1;
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int radius = fixed_radius != from_args ? fixed_radius : step_x ? args.radius_x : args.radius_y;
  const int tile_width = blockDim.x + 2 * radius * step_x, tile_height = blockDim.y + 2 * radius * step_y;
  const int left = blockIdx.x * blockDim.x - radius * step_x, top = blockIdx.y * blockDim.y - radius * step_y;

  const SharedTile<Pixel> tile = shared_tile<Pixel>(tile_width);
  for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
    for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x) tile.store(tx, ty, source.load(left + tx, top + ty));
  __syncthreads();

  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;

  typename PixelTraits<Pixel>::Sum sum{};
#pragma unroll unrolled_taps
  for (int k = 0; k <= 2 * radius; ++k)
    sum += weighted(taps[k], tile.load(threadIdx.x + k * step_x, threadIdx.y + k * step_y));
  target.store(x, y, sum, args.offset, tile.load(threadIdx.x + radius * step_x, threadIdx.y + radius * step_y));
}

template <class Source, class Target, int fixed_radius>
__global__ void separable_rows(ConvArgs args) {
  filter_along<Source, Target, fixed_radius, 1, 0>(args);
}

template <class Source, class Target, int fixed_radius>
__global__ void separable_columns(ConvArgs args) {
  filter_along<Source, Target, fixed_radius, 0, 1>(args);
}

}  // namespace CONV_TARGET
