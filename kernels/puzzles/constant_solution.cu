#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// All constant memory: 64 KiB.
__constant__ float constant_taps[16384];

template <class Source, class Target>
__global__ void convolve(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const TapsView taps{constant_taps + args.first_constant};
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;
  float sum = 0;
  int tap = 0;
  for (int dy = -args.radius_y; dy <= args.radius_y; ++dy)
    for (int dx = -args.radius_x; dx <= args.radius_x; ++dx) sum += taps[tap++] * source.load(x + dx, y + dy);
  target.copy(x, y, sum);
}

}  // namespace CONV_TARGET
