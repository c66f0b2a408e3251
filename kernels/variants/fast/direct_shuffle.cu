#include "kernels/api/kernel_api.h"
#include "kernels/api/row_stream.h"
#include "kernels/api/warp_sums.h"
#include "kernels/api/warp_tile.h"

namespace CONV_TARGET {

// The largest radius of the instance that reads the radius from the arguments.
inline constexpr int matrix_reach = 5;

// Each lane gets the pixels beside its own from its neighbours, in the words they were loaded in, and adds the row to
// all results whose window contains it.
template <class Pixel, class Radii, int columns>
struct WholeMatrix {
  using Sum = typename PixelTraits<Pixel>::Sum;
  static constexpr int beside = lending_lanes(Radii::reach_x, columns);
  const StreamTaps& taps;
  const Radii radii;
  Sum waiting[2 * Radii::reach_y + 1][columns] = {};  // the unfinished sums of the results below
  Sum whole[columns] = {};

  // The first result gets its last row, the others move up, and a new one begins.
  CONV_DEVICE void take(const PixelRun<Pixel, columns>& row) {
    Sum values[2 * beside + 1][columns] = {};
#pragma unroll
    for (int p = 0; p < columns; ++p) values[beside][p] = weighted(1.0f, row[p]);
#pragma unroll
    for (int away = 1; away <= lending_lanes(radii.x(), columns); ++away) {
      const int needed = radii.x() - (away - 1) * columns < columns ? radii.x() - (away - 1) * columns : columns;
      const auto left = row.from_lane(-away, columns - needed, columns), right = row.from_lane(away, 0, needed);
#pragma unroll
      for (int p = 0; p < needed; ++p) {
        values[beside - away][columns - 1 - p] = weighted(1.0f, left[columns - 1 - p]);
        values[beside + away][p] = weighted(1.0f, right[p]);
      }
    }
#pragma unroll
    for (int p = 0; p < columns; ++p)
#pragma unroll
      for (int i = 0; i <= 2 * radii.y(); ++i) {
        Sum sum{};
        if (i < 2 * radii.y()) sum = waiting[i][p];
#pragma unroll
        for (int k = 0; k <= 2 * radii.x(); ++k) {
          const int column = beside * columns + p + k - radii.x();
          multiply_add(sum, taps[(2 * radii.y() - i) * (2 * radii.x() + 1) + k],
                       values[column / columns][column % columns]);
        }
        (i == 0 ? whole[p] : waiting[i - 1][p]) = sum;
      }
  }

  CONV_DEVICE void finish(Sum (&sums)[columns]) const {
#pragma unroll
    for (int p = 0; p < columns; ++p) sums[p] = whole[p];
  }
};

template <class Source, class Target, int fixed_x, int fixed_y, int fixed_rows>
__global__ void __launch_bounds__(32) direct_shuffle(ConvArgs args) {
  for_warp_planes<Source, Target, WarpTile<WholeMatrix, WindowRadii<fixed_x, fixed_y, matrix_reach>, fixed_rows>>(args);
}

}  // namespace CONV_TARGET
