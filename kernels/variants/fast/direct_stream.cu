#include "kernels/api/kernel_api.h"
#include "kernels/api/row_stream.h"

namespace CONV_TARGET {

// The largest radius of the instance that reads the radius from the arguments.
inline constexpr int direct_reach = 8;

// A row as it is; each result multiplies it by its row of the matrix.
template <class Pixel, int reach_x, int results>
struct PlainRow {
  using Sum = typename PixelTraits<Pixel>::Sum;
  const StreamTaps& taps;
  const int radius_x;
  Sum values[results + 2 * reach_x];
  CONV_DEVICE PlainRow(const StreamTaps& taps_, int radius_x_, const Pixel* run) : taps(taps_), radius_x(radius_x_) {
#pragma unroll
    for (int i = 0; i < results + 2 * radius_x; ++i) values[i] = weighted(1.0f, run[i]);
  }
  CONV_DEVICE void add(Sum (&sums)[results], int k) const {
// A bound known at compile time even in the general instance: otherwise the loop around this one is not unrolled.
#pragma unroll
    for (int i = 0; i <= 2 * reach_x; ++i) {
      if (i > 2 * radius_x) break;
      const float tap = taps[k * (2 * radius_x + 1) + i];
#pragma unroll
      for (int p = 0; p < results; ++p) multiply_add(sums[p], tap, values[p + i]);
    }
  }
};

template <class Source, class Target, int fixed_x, int fixed_y, int results, int step_rows>
__global__ void __launch_bounds__(128) direct_stream(ConvArgs args) {
  using Strip = RegisterStrip<PlainRow, fixed_x, fixed_y, direct_reach, results, step_rows>;
  for_planes<Source, Target, Strip>(args, blockDim.x * results);
}

}  // namespace CONV_TARGET
