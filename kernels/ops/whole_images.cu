#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// Copies into a larger image whose rim holds what the border rule puts outside: after it no read leaves the image.
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

// A frame of 8 bits in the type that is to be worked on.
template <class Source, class Target>
__global__ void from_levels(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (target.contains(x, y)) target.copy(x, y, of_levels<typename Target::Type>(source.load(x, y)));
}

// The length of the vector that two images hold the x and y parts of.
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

// Two images added.
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
