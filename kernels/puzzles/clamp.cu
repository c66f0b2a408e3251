#include "kernels/api/kernel_api.h"

namespace CONV_TARGET {

template <class Source, class Target>
__global__ void convolve(ConvArgs args) {
  const Source source(args);
  const Target target(args);
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!target.contains(x, y)) return;
  const float left = source.load(x - 1, y);
  const float centre = source.load(x, y);
  const float right = source.load(x + 1, y);
  target.copy(x, y, (left + centre + right) / 3);
}

}  // namespace CONV_TARGET
