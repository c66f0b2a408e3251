#include "kernels/api/kernel_api.h"
#include "kernels/api/row_stream.h"

namespace CONV_TARGET {

// The largest radius of the instance that reads the radius from the arguments.
inline constexpr int separable_reach = 16;

// A row, filtered along x once; each result multiplies it by its tap of the column.
template <class Pixel, int reach_x, int results>
struct FilteredRow {
  using Sum = typename PixelTraits<Pixel>::Sum;
  const StreamTaps& taps;
  const int radius_x;
  Sum filtered[results] = {};
  CONV_DEVICE FilteredRow(const StreamTaps& taps_, int radius_x_, const Pixel* run) : taps(taps_), radius_x(radius_x_) {
#pragma unroll
    for (int p = 0; p < results; ++p)
#pragma unroll
      for (int i = 0; i <= 2 * radius_x; ++i) multiply_add(filtered[p], taps[i], run[p + i]);
  }
  CONV_DEVICE void add(Sum (&sums)[results], int k) const {
    const float tap = taps[2 * radius_x + 1 + k];
#pragma unroll
    for (int p = 0; p < results; ++p) multiply_add(sums[p], tap, filtered[p]);
  }
};

template <class Source, class Target, int fixed_x, int fixed_y, int results, int step_rows>
__global__ void __launch_bounds__(128) separable_stream(ConvArgs args) {
  using Strip = RegisterStrip<FilteredRow, fixed_x, fixed_y, separable_reach, results, step_rows>;
  for_planes<Source, Target, Strip>(args, blockDim.x * results);
}

}  // namespace CONV_TARGET
