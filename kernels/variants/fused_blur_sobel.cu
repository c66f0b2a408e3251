#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// Gaussian, both Sobel filters and their magnitude in one launch: the block stages source tile and apron, writes the
// blurred tile with a rim of one pixel into shared memory, and computes the gradient from there. Blurred pixels outside
// the image follow the border rule for the blurred image, as in a chain of launches.
template <class Source, class Target>
__global__ void fused_blur_sobel(ConvArgs args) {
  using Pixel = typename Source::Pixel;
  using Sum = typename PixelTraits<Pixel>::Sum;
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int radius_x = args.radius_x, radius_y = args.radius_y;
  const int blurred_width = blockDim.x + 2, blurred_height = blockDim.y + 2;
  const int tile_width = blurred_width + 2 * radius_x, tile_height = blurred_height + 2 * radius_y;
  const int left = blockIdx.x * blockDim.x - 1, top = blockIdx.y * blockDim.y - 1;
  const int threads = blockDim.x * blockDim.y, first = threadIdx.y * blockDim.x + threadIdx.x;

  const SharedTile<Pixel> tile = shared_tile<Pixel>(tile_width);
  for (int i = first; i < tile_width * tile_height; i += threads)
    tile.store(i % tile_width, i / tile_width,
               source.load(left - radius_x + i % tile_width, top - radius_y + i / tile_width));
  __syncthreads();

  const int tile_bytes = (tile_width * tile_height * static_cast<int>(sizeof(Pixel)) + 15) / 16 * 16;
  const SharedTile<Sum> blurred = shared_tile<Sum>(blurred_width, tile_bytes);
  for (int i = first; i < blurred_width * blurred_height; i += threads) {
    const int blurred_x = left + i % blurred_width, blurred_y = top + i / blurred_width;
    const auto at = source.inside(blurred_x, blurred_y);
    const bool needed =
        blurred_x <= target.image.width &&
        blurred_y <= target.image.height;  // otherwise the border rule may need a pixel of another block
    Sum sum = PixelTraits<Pixel>::sum_of(args.outside);
    if (at.exists && needed) sum = window_sum(tile, taps, args, at.x - left, at.y - top);
    blurred.store(i % blurred_width, i / blurred_width, sum);
  }
  __syncthreads();

  const int x = left + 1 + threadIdx.x, y = top + 1 + threadIdx.y;
  if (!target.contains(x, y)) return;
  Sum across{}, down{};
  for (int k = 0; k < 3; ++k) {
    const float weight = k == 1 ? 2.0f : 1.0f;
    across += weighted(weight, blurred.load(threadIdx.x + 2, threadIdx.y + k));
    across += weighted(-weight, blurred.load(threadIdx.x, threadIdx.y + k));
    down += weighted(weight, blurred.load(threadIdx.x + k, threadIdx.y + 2));
    down += weighted(-weight, blurred.load(threadIdx.x + k, threadIdx.y));
  }
  target.store(x, y, length(across, down), args.offset,
               tile.load(threadIdx.x + 1 + radius_x, threadIdx.y + 1 + radius_y));
}

}  // namespace CONV_TARGET
