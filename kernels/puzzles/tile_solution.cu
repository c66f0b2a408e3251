#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

template <class Source, class Target>
__global__ void convolve(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;

  const SharedTile<float> tile = shared_tile<float>(blockDim.x);
  tile.store(threadIdx.x, threadIdx.y, source.load(x, y));
  __syncthreads();
  if (!target.contains(x, y)) return;

  float sum = 0;
  int tap = 0;
  for (int dy = -args.radius_y; dy <= args.radius_y; ++dy)
    for (int dx = -args.radius_x; dx <= args.radius_x; ++dx) {
      const int tx = threadIdx.x + dx;
      const int ty = threadIdx.y + dy;
      const bool in_tile = tx >= 0 && tx < blockDim.x && ty >= 0 && ty < blockDim.y;
      sum += taps[tap++] * (in_tile ? tile.load(tx, ty) : source.load(x + dx, y + dy));
    }
  target.copy(x, y, sum);
}

}  // namespace CONV_TARGET
