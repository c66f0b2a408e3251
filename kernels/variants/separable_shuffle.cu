#include "kernels/api/kernel_api.h"
#include "kernels/api/row_stream.h"
#include "kernels/api/warp_sums.h"

namespace CONV_TARGET {

// Radii, and the rows of a warp, that are taken from the arguments are no larger.
constexpr int shuffle_reach = 8, shuffle_rows = 16;

// Pixels, or channels of an image in planes, that a lane makes of a row: up to 16 bytes, or two of what is larger.
CONV_ANY_PROCESSOR constexpr int lane_columns(int bytes) {
  return bytes > 4 ? 2 : 4;
}

// Lanes on each side of a warp that only lend their columns to the others.
CONV_ANY_PROCESSOR constexpr int lending_lanes(int radius, int columns) {
  return (radius + columns - 1) / columns;
}

// A warp makes `rows` rows of as many columns as its lanes read, but for those that are lent. Each lane sums its own
// columns down the rows it reads; what it needs of the columns beside them, its neighbours have summed up.
template <int fixed_x, int fixed_y, int fixed_rows>
struct ShuffleTile {
  static constexpr int reach_x = fixed_x == from_args ? shuffle_reach : fixed_x;
  static constexpr int reach_y = fixed_y == from_args ? shuffle_reach : fixed_y;
  static constexpr int most_rows = fixed_rows == from_args ? shuffle_rows : fixed_rows;

  template <class Source, class Target>
  static CONV_DEVICE void walk(const ConvArgs& args, int plane, int) {
    using Pixel = typename Source::Pixel;
    using Traits = PixelTraits<Pixel>;
    using Sum = typename Traits::Sum;
    constexpr int columns = lane_columns(sizeof(Pixel));
    const int radius_x = fixed_x == from_args ? args.radius_x : fixed_x;
    const int radius_y = fixed_y == from_args ? args.radius_y : fixed_y;
    const int rows = fixed_rows == from_args ? args.results : fixed_rows;
    const Source source(args);
    const Target target(args);
    const StreamTaps taps{{args.taps}};
    const int lane = threadIdx.x, lending = lending_lanes(radius_x, columns);
    const int first = blockIdx.x * (32 - 2 * lending) * columns - lending * columns;
    const int x = first + lane * columns, top = blockIdx.y * rows;

    // All rows are on their way before the first is needed. That they come in a branch keeps the compiler from putting
    // some of them off.
    PixelRun<Pixel, columns> read[most_rows + 2 * reach_y];
    const int place = first + source.origin_x;
    if (place % columns == 0 && place >= 0 && place + 32 * columns <= source.width) {
#pragma unroll
      for (int row = 0; row < rows + 2 * radius_y; ++row) read[row] = whole_run(source, x, top + row - radius_y);
    } else {
#pragma unroll
      for (int row = 0; row < rows + 2 * radius_y; ++row) {
        Pixel pixels[columns];
#pragma unroll
        for (int p = 0; p < columns; ++p) pixels[p] = source.load(x + p, top + row - radius_y);
        read[row] = PixelRun(pixels);
      }
    }

    const bool writes = lane >= lending && lane < 32 - lending && x < target.image.width;
    const int below = target.image.height - top;
    auto* out = pixel_of<Pixel>(target.image, x, top);
    Sum waiting[2 * reach_y + 1][columns] = {};  // of the results below, what their rows so far come to
#pragma unroll
    for (int row = 0; row < rows + 2 * radius_y; ++row) {
      // The first result gets its last row, the others move up, and one more begins.
      constexpr int beside = lending_lanes(reach_x, columns);
      Sum down[2 * beside + 1][columns] = {};
#pragma unroll
      for (int p = 0; p < columns; ++p)
#pragma unroll
        for (int i = 0; i <= 2 * radius_y; ++i) {
          Sum sum{};
          if (i < 2 * radius_y) sum = waiting[i][p];
          multiply_add(sum, taps[2 * radius_x + 1 + 2 * radius_y - i], read[row][p]);
          (i == 0 ? down[beside][p] : waiting[i - 1][p]) = sum;
        }
      if (row < 2 * radius_y) continue;

#pragma unroll
      for (int away = 1; away <= lending; ++away)
#pragma unroll
        for (int p = 0; p < columns; ++p) {
          if (away * columns - p <= radius_x) down[beside - away][p] = from_neighbour(down[beside][p], -away);
          if ((away - 1) * columns + 1 + p <= radius_x) down[beside + away][p] = from_neighbour(down[beside][p], away);
        }
      alignas(16) Pixel finished[columns];
#pragma unroll
      for (int p = 0; p < columns; ++p) {
        Sum sum{};
#pragma unroll
        for (int i = 0; i <= 2 * radius_x; ++i) {
          const int column = beside * columns + p + i - radius_x;
          multiply_add(sum, taps[i], down[column / columns][column % columns]);
        }
        finished[p] = Traits::finished(sum, args.offset, read[row - radius_y][p]);
      }
      const int made = row - 2 * radius_y;
      if (writes && made < below) store_finished(target.image, out, x, top + made, plane, finished);
      out += target.image.stride_px;
    }
  }

  // Pixels side by side that are in the image as they are, from a word's begin on.
  template <class Source>
  static CONV_DEVICE auto whole_run(const Source& source, int x, int y) {
    using Pixel = typename Source::Pixel;
    constexpr int columns = lane_columns(sizeof(Pixel));
    const auto at = source.inside(0, y);
    Pixel outside[columns];
#pragma unroll
    for (int p = 0; p < columns; ++p) {
      outside[p] = PixelTraits<Pixel>::uniform(source.outside);
      if (at.exists) CONV_TRACE(global, read, x + p + source.origin_x, at.y + source.origin_y);
    }
    PixelRun<Pixel, columns> run(outside);
    if (at.exists) run.load(source.at(0, 0) + (at.y * source.stride_px + x));
    return run;
  }
};

template <class Source, class Target, int fixed_x, int fixed_y, int fixed_rows>
__global__ void __launch_bounds__(32) separable_shuffle(ConvArgs args) {
  constexpr int columns = lane_columns(sizeof(typename PlaneOf<Source>::Source::Pixel));
  for_planes<Source, Target, ShuffleTile<fixed_x, fixed_y, fixed_rows>>(
      args, (32 - 2 * lending_lanes(args.radius_x, columns)) * columns);
}

}  // namespace CONV_TARGET
