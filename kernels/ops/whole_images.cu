#include "kernels/api/kernel_api.h"
#include "kernels/api/yuv.h"

namespace CONV_TARGET {

// Copies into a larger image whose edge holds what the border rule gives: afterwards no read leaves the image.
template <class Source, class Target>
__global__ void pre_pad(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (target.contains(x, y)) target.copy(x, y, source.load(x, y));
}

// The same values in another pixel type.
template <class Source, class Target>
__global__ void convert(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;
  const auto pixel = source.load(x, y);
  target.store(x, y, weighted(1.0f, pixel), args.offset, pixel);
}

// An 8-bit frame in the type that the lanes use.
template <class Source, class Target>
__global__ void from_levels(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (target.contains(x, y)) target.copy(x, y, of_levels<typename Target::Type>(source.load(x, y)));
}

// A frame as a camera or a decoder delivers it. The taps are the conversion matrix.
template <YuvOrder order, bool mirrored>
__global__ void from_yuv(ConvArgs args) {
  const TargetView<Rgba8> target(args);
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;
  const TapsView m{args.taps};
  const YuvMatrix matrix{m[0], m[1], m[2], m[3], m[4], m[5]};
  const int column = mirrored ? target.image.width - 1 - x : x;
  target.copy(x, y, yuv_pixel<order>(args.source, target.image.height, column, y, matrix));
}

// The length of the vector whose x and y components are in two images.
template <class Source, class Target>
__global__ void magnitude(ConvArgs args) {
  const Source across(args), down(args, args.second);
  const Target target(args);
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;
  target.store(x, y, length(weighted(1.0f, across.load(x, y)), weighted(1.0f, down.load(x, y))), args.offset,
               across.load(x, y));
}

// The sum of two images.
template <class Source, class Target>
__global__ void sum(ConvArgs args) {
  const Source first(args), second(args, args.second);
  const Target target(args);
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;
  auto total = weighted(1.0f, first.load(x, y));
  total += weighted(1.0f, second.load(x, y));
  target.store(x, y, total, args.offset, first.load(x, y));
}

}  // namespace CONV_TARGET
