#include "kernels/api/kernel_api.h"
#include "kernels/api/row_stream.h"
#include "kernels/api/warp_sums.h"
#include "kernels/api/warp_tile.h"

namespace CONV_TARGET {

// The largest radius of the instance that reads the radius from the arguments.
inline constexpr int shuffle_reach = 8;

// Each lane sums its own columns over the rows. It gets the sums of the columns beside them from its neighbours.
template <class Pixel, class Radii, int columns>
struct ColumnsFirst {
  using Sum = typename PixelTraits<Pixel>::Sum;
  static constexpr int beside = lending_lanes(Radii::reach_x, columns);
  const StreamTaps& taps;
  const Radii radii;
  Sum waiting[2 * Radii::reach_y + 1][columns] = {};  // the unfinished sums of the results below
  Sum down[2 * beside + 1][columns] = {};             // this lane's columns in the middle, and those beside them

  // The first result gets its last row, the others move up, and a new one begins.
  CONV_DEVICE void take(const PixelRun<Pixel, columns>& row) {
#pragma unroll
    for (int p = 0; p < columns; ++p)
#pragma unroll
      for (int i = 0; i <= 2 * radii.y(); ++i) {
        Sum sum{};
        if (i < 2 * radii.y()) sum = waiting[i][p];
        multiply_add(sum, taps[2 * radii.x() + 1 + 2 * radii.y() - i], row[p]);
        (i == 0 ? down[beside][p] : waiting[i - 1][p]) = sum;
      }
  }

  CONV_DEVICE void finish(Sum (&sums)[columns]) {
#pragma unroll
    for (int away = 1; away <= lending_lanes(radii.x(), columns); ++away)
#pragma unroll
      for (int p = 0; p < columns; ++p) {
        if (away * columns - p <= radii.x()) down[beside - away][p] = from_neighbour(down[beside][p], -away);
        if ((away - 1) * columns + 1 + p <= radii.x()) down[beside + away][p] = from_neighbour(down[beside][p], away);
      }
#pragma unroll
    for (int p = 0; p < columns; ++p)
#pragma unroll
      for (int i = 0; i <= 2 * radii.x(); ++i) {
        const int column = beside * columns + p + i - radii.x();
        multiply_add(sums[p], taps[i], down[column / columns][column % columns]);
      }
  }
};

template <class Source, class Target, int fixed_x, int fixed_y, int fixed_rows>
__global__ void __launch_bounds__(32) separable_shuffle(ConvArgs args) {
  for_warp_planes<Source, Target, WarpTile<ColumnsFirst, WindowRadii<fixed_x, fixed_y, shuffle_reach>, fixed_rows>>(
      args);
}

}  // namespace CONV_TARGET
