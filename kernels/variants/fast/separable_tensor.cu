#include "kernels/api/kernel_api.h"
#include "kernels/api/matrix_product.h"
#include "kernels/api/row_stream.h"

namespace CONV_TARGET {

// Pixels are processed in squares of this side.
inline constexpr int side = 16;
// The squares side by side that contain the window of one square.
CONV_ANY_PROCESSOR constexpr int squares_of(int radius) {
  return 1 + (radius + 7) / 8;
}
// Squares of one warp. Two share what they load; more would need more registers than there are.
inline constexpr int side_by_side = 2;
// The largest radius of the instance that reads the radius from the arguments.
inline constexpr int tensor_reach = 32;
// Taps are multiplied by this: below 2^-14, FP16 numbers have fewer digits. Filtered rows may reach 65504, so pixels
// may reach 2047 if the magnitudes of the row's taps add up to less than 2. Levels are small numbers in a product,
// half_level each, so their taps are multiplied by more.
CONV_ANY_PROCESSOR constexpr float row_scale(bool levels) {
  return levels ? 16384 : 16;
}
inline constexpr float column_scale = 256;

// The distance between rows of a ring, in pixels. Eight adjacent rows, which are read together, are in different banks.
CONV_ANY_PROCESSOR constexpr int tensor_pitch(int staged, int pixel_bytes) {
  const int apart = pixel_bytes > 2 ? 8 * pixel_bytes : 16;
  const int bytes = staged * pixel_bytes;
  return 256 % pixel_bytes != 0 ? staged : ((bytes + apart) / (2 * apart) * 2 * apart + apart) / pixel_bytes;
}

// Which of 16 neighbours a row of a matrix belongs to. A lane gets rows 2q, 2q + 1, 2q + 8 and 2q + 9 of a product, and
// stores them together.
CONV_DEVICE int neighbour_of(int row) {
  return row % 8 / 2 * 4 + row / 8 * 2 + row % 2;
}

// A filter along a line as a matrix of 16 rows, one for each of 16 neighbours: the taps, and zeros beside them. The
// matrix is cut into squares of 16 columns. The FP16 rounding residuals of the taps have squares of their own. A block
// keeps all squares in shared memory, because registers are scarce and a square is used for many products once loaded.
struct BandMatrix {
  SharedTile<LeftMatrix> squares;  // one row of 32 lanes per square; first the taps, then their residuals
  int count;

  static CONV_ANY_PROCESSOR constexpr int bytes(int squares) { return squares * 2 * 32 * 16; }

  CONV_DEVICE BandMatrix(int count_, int first_byte)
      : squares(shared_tile<LeftMatrix>(32, first_byte)), count(count_) {}

  // Called by all threads of the block; a barrier must follow.
  CONV_DEVICE void fill(const TapsView& taps, int first_tap, int radius, float scale) {
    for (int at = threadIdx.x; at < count * 32; at += blockDim.x) {
      const int square = at / 32, lane = at % 32;
      LeftMatrix high, low;
      for (int i = 0; i < 4; ++i) {
        float pair[2];
        for (int k = 0; k < 2; ++k) {
          const int column = square * side + lane % 4 * 2 + i / 2 * 8 + k;
          const int tap = column - 8 * (count - 1) - neighbour_of(lane / 4 + i % 2 * 8) + radius;
          pair[k] = 0 <= tap && tap <= 2 * radius ? taps[first_tap + tap] * scale : 0;
        }
        high.pairs[i] = half_pair(pair[0], pair[1]);
        low.pairs[i] = half_rest(high.pairs[i], pair[0], pair[1]);
      }
      squares.store(lane, square, high);
      squares.store(lane, count + square, low);
    }
  }
  CONV_DEVICE LeftMatrix high(int square) const { return squares.load(threadIdx.x % 32, square); }
  CONV_DEVICE LeftMatrix low(int square) const { return squares.load(threadIdx.x % 32, count + square); }
};

// The filtered rows of a step as right matrices, rounded to FP16, and their rounding residuals. [..][1] has the last
// two of every four neighbours.
template <int channels, int tiles>
struct FilteredRows {
  RightMatrix high[channels][tiles][2], low[channels][tiles][2];
};

// Where a thread works, and how many squares its windows have.
template <int squares_x, int squares_y, int tiles>
struct TensorPlace {
  int across, down;          // squares of a window
  int beside, above, apron;  // pixels before the first result of a row, of a column, and staged on each side
  int g, q, first_x;         // of the lane in its matrices; the first column of the warp
  int left, top, rows_here;  // of the block's strip
  int steps, staged;

  CONV_DEVICE TensorPlace(const ConvArgs& args, int chunk)
      : across(squares_x == from_args ? squares_of(args.radius_x) : squares_x),
        down(squares_y == from_args ? squares_of(args.radius_y) : squares_y),
        beside(8 * (across - 1)),
        above(8 * (down - 1)),
        apron(stream_apron(beside, chunk)),
        g(threadIdx.x % 32 / 4),
        q(threadIdx.x % 4),
        first_x(threadIdx.x / 32 * tiles * side) {
    const int width = blockDim.x / 32 * tiles * side, height = args.results;
    left = blockIdx.x * width;
    top = blockIdx.y * height;
    const int below = args.target.height - top;
    rows_here = height < below ? height : below;
    steps = height / side + down - 1;  // the plan makes the height a multiple of the side
    staged = width + 2 * apron;
  }
};

// A block walks down a strip of the image, 16 rows per step, with `tiles` squares per warp. The rows of a step are
// filtered along x: a product with the band matrix of the row's taps. The result stays in registers and is multiplied
// by the band matrix of the column's taps, once for every square of results whose window contains it. Until the next
// step, registers keep whichever takes fewer of them: the unfinished sums of those results or, for colours with one
// product, the rounded filtered rows.
// products: 3 includes the FP16 rounding residuals of pixels, taps and filtered rows, 1 does not.
template <class Source, class Target, int squares_x, int squares_y, int tiles, int products>
class TensorPlane {
  using Ring = RowRing<Source, side>;
  using Pixel = typename Source::Pixel;
  using Traits = PixelTraits<Pixel>;
  using Sum = typename Traits::Sum;
  static constexpr int channels = channels_summed<Sum>, channel_bytes = sizeof(typename Traits::Channel);
  static constexpr bool split = products == 3, split_pixels = split && channel_bytes > 2, levels = channel_bytes == 1;
  static constexpr bool has_alpha = Traits::channels == 4, keeps_rows = !split && channels > 1;
  // Squares side by side, and halves of a square's rows, that are processed together. More keep the tensor cores
  // busier, but need registers that colours do not have.
  static constexpr int at_once = channels == 1 ? 2 : 1;
  static constexpr float scale = row_scale(levels) * column_scale * (levels ? half_level : 1);
  static constexpr int most_x = squares_x == from_args ? squares_of(tensor_reach) : squares_x;
  static constexpr int most_y = squares_y == from_args ? squares_of(tensor_reach) : squares_y;

  using Filtered = MatrixSum[channels][tiles][at_once];
  using Whole = MatrixSum[channels][at_once][2];
  using Rows = FilteredRows<channels, tiles>;
  // What the next step needs.
  struct Waiting {
    RightMatrix rows[keeps_rows ? most_y : 1][channels][tiles][2] = {};
    MatrixSum sums[!keeps_rows && most_y > 1 ? most_y - 1 : 1][channels][tiles][2] = {};
  };

  const ConvArgs& args;
  const int plane;
  const Target target{args};
  const TensorPlace<squares_x, squares_y, tiles> at{args, Ring::chunk};
  // Pixels stay in the ring until the results that they are the middle of are stored with their alpha.
  const int slots = Ring::ahead + 1 + (has_alpha ? (at.above + side - 1) / side : 0);
  Ring ring;
  BandMatrix row, column;

 public:
  CONV_DEVICE TensorPlane(const ConvArgs& args_, int plane_, int planes)
      : args(args_),
        plane(plane_),
        ring(args, at.left - at.apron, at.top - at.above, at.staged, slots, plane, planes,
             tensor_pitch(at.staged, static_cast<int>(sizeof(Pixel))), BandMatrix::bytes(at.across + at.down)),
        row(at.across, 0),
        column(at.down, BandMatrix::bytes(at.across)) {}

  CONV_DEVICE void walk() {
    ring.fetch_first();
    // While the first rows are copied: 80.9 us instead of 82.0 at radius 8.
    const TapsView taps{args.taps};
    row.fill(taps, 0, args.radius_x, row_scale(levels));
    column.fill(taps, 2 * args.radius_x + 1, args.radius_y, column_scale);

    Waiting waiting;
    Pixel* out = pixel_of<Pixel>(target.image, at.left + at.first_x + 4 * at.q, at.top + neighbour_of(at.g));
#pragma unroll 1
    for (int step = 0; step < at.steps; ++step) {
      ring.wait(step);
      ring.fetch_if(step + Ring::ahead < at.steps, step + Ring::ahead);
      Rows rows;
      filter_along_x(step % slots * side, rows);
#pragma unroll
      for (int first_tile = 0; first_tile < tiles; first_tile += at_once) {
        Whole whole = {};
        filter_along_y(rows, first_tile, waiting, whole);
        if (step < at.down - 1) continue;
        store(step, first_tile, whole, out);
        // Lanes outside the image skipped some code. The next products need all lanes of a warp together.
        if constexpr (at_once < tiles) __syncwarp();
      }
      if (step >= at.down - 1) out += side * target.image.stride_px;
    }
    __syncthreads();  // before the next plane
  }

 private:
  // Filters the rows of a step along x; they begin at row `first` of the ring.
  CONV_DEVICE void filter_along_x(int first, Rows& rows) {
#pragma unroll
    for (int half = 0; half < 2; half += at_once) {
      Filtered filtered = {};
#pragma unroll
      for (int s = 0; s < tiles + most_x - 1; ++s) {
        if (squares_x == from_args && s >= tiles + at.across - 1) break;
#pragma unroll
        for (int j = 0; j < at_once; ++j) {
          Pixel pixels[2][2];
#pragma unroll
          for (int k = 0; k < 2; ++k)
            load_run<2>(ring.pixels, at.first_x + at.apron - at.beside + s * side + 8 * k + 2 * at.q,
                        first + 8 * (half + j) + at.g, 2, pixels[k]);
#pragma unroll
          for (int c = 0; c < channels; ++c) multiply_along_x(pixels, c, s, filtered, j);
        }
      }
      round_rows(filtered, half, rows);
    }
  }

  // Adds channel c of one square of pixels, the s-th from the left, to all tiles whose window contains it.
  CONV_DEVICE void multiply_along_x(const Pixel (&pixels)[2][2], int c, int s, Filtered& filtered, int j) {
    RightMatrix rounded, rest;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      rounded.pairs[k] = half_pair_of(pixels[k], c);
      if constexpr (split_pixels)
        rest.pairs[k] = half_rest(rounded.pairs[k], channel_of(pixels[k][0], c), channel_of(pixels[k][1], c));
    }
#pragma unroll
    for (int tile = 0; tile < tiles; ++tile) {
      const int square = s - tile;
      if (square < 0 || square >= most_x || (squares_x == from_args && square >= at.across)) continue;
      MatrixSum& sum = filtered[c][tile][j];
      sum = multiply_add(row.high(square), rounded, sum);
      if constexpr (split) sum = multiply_add(row.low(square), rounded, sum);
      if constexpr (split_pixels) sum = multiply_add(row.high(square), rest, sum);
    }
  }

  CONV_DEVICE void round_rows(const Filtered& filtered, int half, Rows& rows) {
#pragma unroll
    for (int c = 0; c < channels; ++c)
#pragma unroll
      for (int tile = 0; tile < tiles; ++tile)
#pragma unroll
        for (int i = 0; i < 2 * at_once; ++i) {
          const float* pair = filtered[c][tile][i / 2].numbers + i % 2 * 2;
          HalfPair& rounded = rows.high[c][tile][i % 2].pairs[half + i / 2];
          rounded = half_pair(pair[0], pair[1]);
          if constexpr (split) rows.low[c][tile][i % 2].pairs[half + i / 2] = half_rest(rounded, pair[0], pair[1]);
        }
  }

  // Multiplies the step's rows by the column's taps; `whole` gets the results that are finished with them.
  CONV_DEVICE void filter_along_y(const Rows& rows, int first_tile, Waiting& waiting, Whole& whole) {
#pragma unroll
    for (int s = 0; s < most_y; ++s) {
      if (squares_y == from_args && s >= at.down) break;
      const LeftMatrix square = column.high(keeps_rows ? s : at.down - 1 - s), rest = column.low(at.down - 1 - s);
#pragma unroll
      for (int c = 0; c < channels; ++c)
#pragma unroll
        for (int j = 0; j < at_once; ++j)
#pragma unroll
          for (int i = 0; i < 2; ++i) {
            const int tile = first_tile + j;
            if constexpr (keeps_rows) {
              // The first rows leave the window, and the others move up.
              const bool last = s + 1 == most_y || (squares_y == from_args && s + 1 == at.down);
              waiting.rows[s][c][tile][i] =
                  last ? rows.high[c][tile][i] : waiting.rows[s + 1 < most_y ? s + 1 : s][c][tile][i];
              whole[c][j][i] = multiply_add(square, waiting.rows[s][c][tile][i], whole[c][j][i]);
            } else {
              // The first squares of results get their last rows, the others move up, and a new one begins.
              MatrixSum sum{};
              if (s + 1 < most_y) sum = waiting.sums[s][c][tile][i];
              sum = multiply_add(square, rows.high[c][tile][i], sum);
              if constexpr (split) {
                sum = multiply_add(rest, rows.high[c][tile][i], sum);
                sum = multiply_add(square, rows.low[c][tile][i], sum);
              }
              (s == 0 ? whole[c][j][i] : waiting.sums[s - 1][c][tile][i]) = sum;
            }
          }
    }
  }

  // out: this lane's first result of tile 0.
  CONV_DEVICE void store(int step, int first_tile, const Whole& whole, Pixel* out) {
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      const int aside = (first_tile + j) * side, x = at.left + at.first_x + 4 * at.q + aside;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int row_in_square = neighbour_of(at.g) + 2 * i;  // neighbour_of(at.g + 8 * i)
        const int y = (step - at.down + 1) * side + row_in_square;
        if (y >= at.rows_here || x >= target.image.width) continue;
        const int middle = step % slots * side + row_in_square - at.above;
        Pixel centres[4] = {};
        if constexpr (has_alpha)
          load_run<4>(ring.pixels, x - at.left + at.apron, middle < 0 ? middle + slots * side : middle, 4, centres);
        alignas(16) Pixel finished[4];
#pragma unroll
        for (int p = 0; p < 4; ++p) {
          Sum sum;
#pragma unroll
          for (int c = 0; c < channels; ++c) set_channel(sum, c, whole[c][j][p / 2].numbers[2 * i + p % 2]);
          finished[p] = finished_near(sum, 1 / scale, args.offset, centres[p]);
        }
        store_finished(target.image, out + 2 * i * target.image.stride_px + aside, x, at.top + y, plane, finished);
      }
    }
  }
};

template <int squares_x, int squares_y, int tiles, int products>
struct TensorStrip {
  template <class Source, class Target>
  static CONV_DEVICE void walk(const ConvArgs& args, int plane, int planes) {
    TensorPlane<Source, Target, squares_x, squares_y, tiles, products>(args, plane, planes).walk();
  }
};

// Blocks per multiprocessor. More blocks leave fewer registers per thread; with more registers a warp waits less for
// its own products. Spilling costs more than either. Measured on an H200.
template <class Pixel>
CONV_ANY_PROCESSOR constexpr int tensor_blocks(int squares_y, int products) {
  const bool few = squares_y == 1 || squares_y == 2, many = squares_y == from_args || squares_y > 3;
  if (channels_summed<typename PixelTraits<Pixel>::Sum> == 1) return few && products == 1 ? 5 : 4;
  if (many || (products == 3 && !few)) return 2;
  return products == 1 && sizeof(Pixel) <= 8 ? 4 : 3;
}

template <class Source, class Target, int squares_x, int squares_y, int tiles, int products>
__global__ void __launch_bounds__(128, tensor_blocks<typename PlaneOf<Source>::Source::Pixel>(squares_y, products))
    separable_tensor(ConvArgs args) {
  using Strip = TensorStrip<squares_x, squares_y, tiles, products>;
  for_planes<Source, Target, Strip>(args, blockDim.x / 32 * tiles * side);
}

}  // namespace CONV_TARGET
