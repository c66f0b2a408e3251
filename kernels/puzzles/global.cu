#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

template <class Source, class Target>
__global__ void convolve(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const TapsView taps{args.taps};
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;
  float sum = 0;
  // Add up the window here. Then write the sum instead of the pixel.
  target.copy(x, y, source.load(x, y));
}

}  // namespace CONV_TARGET
