#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

CONV_DEVICE float distance_squared(float a, float b) {
  return (a - b) * (a - b);
}
CONV_DEVICE float distance_squared(Rgb a, Rgb b) {
  return distance_squared(a.r, b.r) + distance_squared(a.g, b.g) + distance_squared(a.b, b.b);
}
CONV_DEVICE float times(float value, float factor) {
  return value * factor;
}
CONV_DEVICE Rgb times(Rgb value, float factor) {
  return {value.r * factor, value.g * factor, value.b * factor};
}

// As `global`, but each weight also depends on how similar the pixel is to the middle one, so edges are kept. The
// weights differ at every pixel: they cannot be in constant memory or be split into a row and a column.
template <class Source, class Target>
__global__ void bilateral(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;

  using Sum = typename PixelTraits<typename Source::Pixel>::Sum;
  const auto centre = source.load(x, y);
  const Sum middle = weighted(1.0f, centre);
  const float scale = -0.5f / (args.range * args.range);
  Sum sum{};
  float weights = 0;
  int tap = 0;
  for (int dy = -args.radius_y; dy <= args.radius_y; ++dy)
    for (int dx = -args.radius_x; dx <= args.radius_x; ++dx) {
      const Sum pixel = weighted(1.0f, source.load(x + dx, y + dy));
      const float weight = taps[tap++] * expf(scale * distance_squared(pixel, middle));
      sum += times(pixel, weight);
      weights += weight;
    }
  target.store(x, y, times(sum, 1 / weights), args.offset, centre);
}

}  // namespace CONV_TARGET
