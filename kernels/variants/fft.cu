#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// The kernels around the transforms. The planes of floats, one per channel, are stacked vertically. The product of two
// spectra is a convolution that wraps around, so every plane is padded by the window.

// Copies source and padding into planes.
template <class Source, class Target>
__global__ void fft_pad(ConvArgs args) {
  constexpr int planes = channels_summed<typename PixelTraits<typename Source::Pixel>::Sum>;
  const Source source(args);
  const Target target(args);
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int height = args.target.height / planes;
  if (!target.contains(x, y) || y >= height) return;
  for (int c = 0; c < planes; ++c) target.copy(x, y + c * height, source.load_channel(x, y, c));
}

// The taps as an image of the planes' size, with the centre at (0, 0), rotated by 180 degrees, and divided by the
// factor that a forward and an inverse transform multiply with.
template <class Target>
__global__ void fft_taps(ConvArgs args) {
  const Target target(args);
  const TapsView taps{args.taps};
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;
  const int width = args.target.width, height = args.target.height;
  const int dx = x <= args.radius_x ? -x : width - x, dy = y <= args.radius_y ? -y : height - y;
  float tap = 0;
  if (dx <= args.radius_x && dy <= args.radius_y)
    tap = taps[(dy + args.radius_y) * (2 * args.radius_x + 1) + dx + args.radius_x];
  target.copy(x, y, tap / (static_cast<float>(width) * height));
}

// Multiplies every plane's spectrum by that of the taps, in place. A complex number is two adjacent floats.
template <class Source, class Target>
__global__ void fft_multiply(ConvArgs args) {
  const Source planes(args), taps(args, args.second);
  const Target target(args);
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;
  const float real = planes.load(x, y), imaginary = planes.load(x + 1, y);
  const int row = y % args.second.height;
  const float tap_real = taps.load(x, row), tap_imaginary = taps.load(x + 1, row);
  target.copy(x, y, real * tap_real - imaginary * tap_imaginary);
  target.copy(x + 1, y, real * tap_imaginary + imaginary * tap_real);
}

// Copies the result out of the planes; alpha comes from the source.
template <class Planes, class Original, class Target>
__global__ void fft_crop(ConvArgs args) {
  using Sum = typename PixelTraits<typename Original::Pixel>::Sum;
  const Planes planes(args);
  const Original original(args, args.second);
  const Target target(args);
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;
  const int height = args.source.height / channels_summed<Sum>;
  Sum sum{};
  for (int c = 0; c < channels_summed<Sum>; ++c)
    set_channel(sum, c, planes.load(x + args.radius_x - args.origin_x, y + args.radius_y - args.origin_y + c * height));
  target.store(x, y, sum, args.offset, original.load(x, y));
}

}  // namespace CONV_TARGET
