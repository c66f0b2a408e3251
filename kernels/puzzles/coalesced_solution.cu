#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

template <class Source, class Target>
__global__ void convolve(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  // The number of the thread in its block: the first 32 threads are the first warp.
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int x = blockIdx.x * blockDim.x + thread % blockDim.x;
  const int y = blockIdx.y * blockDim.y + thread / blockDim.x;
  if (!target.contains(x, y)) return;

  float sum = 0;
  int tap = 0;
  for (int dy = -args.radius_y; dy <= args.radius_y; ++dy)
    for (int dx = -args.radius_x; dx <= args.radius_x; ++dx) sum += taps[tap++] * source.load(x + dx, y + dy);
  target.copy(x, y, sum);
}

}  // namespace CONV_TARGET
