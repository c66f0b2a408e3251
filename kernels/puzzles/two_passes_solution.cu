#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// The first pass: from the picture into an intermediate picture.
template <class Source, class Target>
__global__ void convolve_rows(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;
  float sum = 0;
  for (int dx = -args.radius_x; dx <= args.radius_x; ++dx) sum += taps[dx + args.radius_x] * source.load(x + dx, y);
  target.copy(x, y, sum);
}

// The second pass: from the intermediate picture into the result.
template <class Source, class Target>
__global__ void convolve_columns(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;
  float sum = 0;
  for (int dy = -args.radius_y; dy <= args.radius_y; ++dy) sum += taps[dy + args.radius_y] * source.load(x, y + dy);
  target.copy(x, y, sum);
}

}  // namespace CONV_TARGET
