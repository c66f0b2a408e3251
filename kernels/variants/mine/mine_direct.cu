#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// One thread per pixel. Each thread reads all pixels of its window from global memory.
template <class Source, class Target>
__global__ void mine_direct(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;

  typename PixelTraits<typename Source::Pixel>::Sum sum{};
  int tap = 0;
  for (int dy = -args.radius_y; dy <= args.radius_y; ++dy)
    for (int dx = -args.radius_x; dx <= args.radius_x; ++dx) sum += weighted(taps[tap++], source.load(x + dx, y + dy));
  target.store(x, y, sum, args.offset, source.load(x, y));
}

}  // namespace CONV_TARGET
