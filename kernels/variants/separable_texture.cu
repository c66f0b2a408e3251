#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// Two passes that fetch every pixel through the texture unit, without shared memory. The texture cache serves
// neighbouring pixels, and the address modes handle pixels outside the image.
template <class Source, class Target, int fixed_radius>
__global__ void texture_rows(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int radius = fixed_radius == from_args ? args.radius_x : fixed_radius;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;

  typename PixelTraits<typename Source::Pixel>::Sum sum{};
#pragma unroll
  for (int k = 0; k <= 2 * radius; ++k) sum += weighted(taps[k], source.load(x + k - radius, y));
  target.store(x, y, sum, args.offset, source.load(x, y));
}

template <class Source, class Target, int fixed_radius>
__global__ void texture_columns(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int radius = fixed_radius == from_args ? args.radius_y : fixed_radius;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;

  typename PixelTraits<typename Source::Pixel>::Sum sum{};
#pragma unroll
  for (int k = 0; k <= 2 * radius; ++k) sum += weighted(taps[k], source.load(x, y + k - radius));
  target.store(x, y, sum, args.offset, source.load(x, y));
}

}  // namespace CONV_TARGET
