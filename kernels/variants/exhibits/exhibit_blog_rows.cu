#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// A row pass as a blog printed it, with its bugs: all rows of the block share one row of shared memory, threads below
// the image return before the barrier, and threads that may be outside the image read the right apron. Reads that would
// leave the image are clamped, so the exhibit does no harm. An exhibit.
template <class Source, class Target>
__global__ void blog_rows(ConvArgs args) {
  using Pixel = typename Source::Pixel;
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int radius = args.radius_x, width = blockDim.x;
  const int x = blockIdx.x * width + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= target.image.height) return;

  const SharedTile<Pixel> row = shared_tile<Pixel>(width + 2 * radius);  // one row for a block of several
  const int centre = threadIdx.x + radius;
  if (x < target.image.width) row.store(centre, 0, source.load(x, y));
  if (threadIdx.x < radius) {
    row.store(threadIdx.x, 0, source.load(x - radius, y));
    row.store(centre + width, 0, source.load(x + width, y));
  }
  __syncthreads();
  if (x >= target.image.width) return;

  typename PixelTraits<Pixel>::Sum sum{};
  for (int k = 0; k <= 2 * radius; ++k) sum += weighted(taps[k], row.load(threadIdx.x + k, 0));
  target.store(x, y, sum, args.offset, row.load(centre, 0));
}

}  // namespace CONV_TARGET
