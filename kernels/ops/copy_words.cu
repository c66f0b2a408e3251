#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

// Copies the image, 16 bytes per thread, all planes. Rows are multiples of 32 pixels, so the last word of a row is
// complete.
template <int pixel_bytes>
__global__ void copy_words(ConvArgs args) {
  struct alignas(16) Word {
    unsigned part[4];
  };
  const PixelBuffer &from = args.source, &to = args.target;
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (16 * x >= from.width * pixel_bytes) return;
  const auto place = [&](const PixelBuffer& image) {
    const int plane = blockIdx.y / from.height, y = blockIdx.y % from.height;
    const long long row = static_cast<long long>(image.plane_rows) * plane + y;
    return static_cast<Word*>(image.data) + row * (image.stride_px * pixel_bytes / 16) + x;
  };
  *place(to) = *place(from);
}

}  // namespace CONV_TARGET
