#include "kernels/api/kernel_api.h"
#include "kernels/api/row_stream.h"

namespace CONV_TARGET {

// The largest radius of the instance that reads the radius from the arguments.
inline constexpr int paired_reach = 16;

// Two adjacent results, y0 = w[0] r[0] + ... + w[2R] r[2R] and y1 = w[0] r[1] + ... + w[2R] r[2R + 1], take 4R + 2
// multiplications. Some of them can be shared, which leaves 3R + 2:
//   shared = sum over k of w[2k + 1] (r[2k + 1] + r[2k + 2])
//   y0 = shared + sum over k of (w[2k] - w[2k - 1]) r[2k]
//   y1 = shared + sum over k of (w[2k] - w[2k + 1]) r[2k + 1]
// where w[-1] and w[2R + 1] are 0. The differences of taps are constants. Two adjacent rows of results share in the
// same way: each w is then a row of the matrix, and each r a row of pixels. Four results take (3R + 2)^2
// multiplications instead of 4 (2R + 1)^2. The shared sums contain only pixels that are in both windows.

// The pixels of a row that the results of a thread need, and the sums of those that two results share.
template <class Sum, int reach_x, int results>
struct PairedRow {
  Sum pixels[results + 2 * reach_x] = {};
  Sum pairs[results / 2 + reach_x];

  template <class Pixel>
  CONV_DEVICE void load(const Pixel* run, int radius_x) {
#pragma unroll
    for (int i = 0; i < results + 2 * radius_x; ++i) pixels[i] = weighted(1.0f, run[i]);
    pair_up(radius_x);
  }
  CONV_DEVICE void add(const PairedRow& row, int radius_x) {
#pragma unroll
    for (int i = 0; i < results + 2 * radius_x; ++i) pixels[i] += row.pixels[i];
    pair_up(radius_x);
  }

 private:
  CONV_DEVICE void pair_up(int radius_x) {
#pragma unroll
    for (int i = 0; i < results / 2 + radius_x - 1; ++i) {
      pairs[i] = pixels[2 * i + 1];
      pairs[i] += pixels[2 * i + 2];
    }
  }
};

// The unfinished sums of a row of results.
template <class Sum, int results>
struct PairedSums {
  Sum own[results] = {};
  Sum shared[results / 2] = {};

  // tap(i): the tap of the row's pixel i, 0 outside the matrix.
  template <int reach_x, class Tap>
  CONV_DEVICE void add(const PairedRow<Sum, reach_x, results>& row, int radius_x, const Tap& tap) {
#pragma unroll
    for (int i = 0; i <= reach_x; ++i) {
      if (i > radius_x) break;
      const float before = tap(2 * i - 1), here = tap(2 * i), after = tap(2 * i + 1);
#pragma unroll
      for (int p = 0; p < results / 2; ++p) {
        multiply_add(own[2 * p], here - before, row.pixels[2 * (p + i)]);
        multiply_add(own[2 * p + 1], here - after, row.pixels[2 * (p + i) + 1]);
        if (i < radius_x) multiply_add(shared[p], after, row.pairs[p + i]);
      }
    }
  }
  CONV_DEVICE Sum whole(int p) const {
    Sum sum = own[p];
    sum += shared[p / 2];
    return sum;
  }
};

// Two adjacent rows of results: what each has alone, and what they share.
template <class Sum, int results>
struct PairedRowsOfSums {
  PairedSums<Sum, results> even, odd, shared;
};

template <int fixed_x, int fixed_y, int results, int step_rows>
struct PairedStrip {
  static_assert(step_rows % 2 == 0 && results % 2 == 0);
  template <class Source, class Target>
  static CONV_DEVICE void walk(const ConvArgs& args, int plane, int planes) {
    using Walk = RegisterWalk<Source, Target, fixed_x, fixed_y, paired_reach, results, step_rows>;
    using Sum = typename Walk::Sum;
    using Row = PairedRow<Sum, Walk::reach_x, results>;
    constexpr int reach_y = Walk::reach_y;
    Walk strip(args, plane, planes);
    const int rows = 2 * strip.radius_y() + 1, columns = 2 * strip.radius_x() + 1;
    const auto tap = [&](int row, int column) {
      return 0 <= row && row < rows && 0 <= column && column < columns ? strip.taps[row * columns + column] : 0.0f;
    };
    // Adds the difference of two rows of the matrix times a row of pixels.
    const auto add = [&](PairedSums<Sum, results>& sums, int row, int less, const Row& pixels) {
      sums.add(pixels, strip.radius_x(), [&](int column) { return tap(row, column) - tap(less, column); });
    };

    PairedRowsOfSums<Sum, results> waiting[reach_y + 1];
    Row both;  // the odd row of the step before, then that row plus the even row of this step
#pragma unroll 1
    for (int step = 0; strip.begin(step); ++step) {
#pragma unroll 1
      for (int v = 0; v < step_rows; v += 2) {
        Row even, odd;
        typename Walk::Run run;
        even.load(strip.load(v, run), strip.radius_x());
        both.add(even, strip.radius_x());
        odd.load(strip.load(v + 1, run), strip.radius_x());
        // Two rows of results get their last rows of pixels, the others move up, and two new ones begin.
        PairedRowsOfSums<Sum, results> last;
#pragma unroll
        for (int k = reach_y; k >= 0; --k) {
          if (k > strip.radius_y()) continue;
          PairedRowsOfSums<Sum, results> sums;
          if (k > 0) {
            sums = waiting[k - 1];
            add(sums.shared, 2 * k - 1, -1, both);
          }
          add(sums.even, 2 * k, 2 * k - 1, even);
          add(sums.odd, 2 * k, 2 * k + 1, odd);
          (k == strip.radius_y() ? last : waiting[k]) = sums;
        }
        both = odd;
        finish(strip, v, last.even, last.shared);
        finish(strip, v + 1, last.odd, last.shared);
      }
    }
    strip.end();
  }

 private:
  template <class Walk, class Sums>
  static CONV_DEVICE void finish(Walk& strip, int row, const Sums& own, const Sums& shared) {
    typename Walk::Sum whole[results];
#pragma unroll
    for (int p = 0; p < results; ++p) {
      whole[p] = own.whole(p);
      whole[p] += shared.whole(p);
    }
    strip.store(row, whole);
  }
};

// Blocks per multiprocessor. More of them would leave too few registers for the unfinished sums.
template <class Pixel>
CONV_ANY_PROCESSOR constexpr int paired_blocks(int radius_x, int radius_y) {
  const bool one_channel = channels_summed<typename PixelTraits<Pixel>::Sum> == 1;
  const int radius = radius_x > radius_y ? radius_x : radius_y;
  if (radius_x == from_args) return 2;
  if (radius <= 5) return one_channel ? 4 : 3;
  return one_channel && 8 < radius && radius <= 12 ? 3 : 2;
}

template <class Source, class Target, int fixed_x, int fixed_y, int results, int step_rows>
__global__ void __launch_bounds__(128, paired_blocks<typename PlaneOf<Source>::Source::Pixel>(fixed_x, fixed_y))
    direct_paired(ConvArgs args) {
  for_planes<Source, Target, PairedStrip<fixed_x, fixed_y, results, step_rows>>(args, blockDim.x * results);
}

}  // namespace CONV_TARGET
