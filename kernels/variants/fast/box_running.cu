#include "kernels/api/kernel_api.h"
#include "kernels/api/row_stream.h"
#include "kernels/api/warp_sums.h"

namespace CONV_TARGET {

// Columns of a thread, side by side.
constexpr int box_columns = 4;

// Steps that rows are on their way before they are needed.
constexpr int box_ahead = 1;

// Of a strip's staged columns, on each side: whole chunks, and whole sectors of memory.
CONV_ANY_PROCESSOR constexpr int apron_unit(int chunk) {
  return chunk > 8 ? chunk : 8;
}
CONV_ANY_PROCESSOR constexpr int box_apron(int radius, int chunk) {
  return (radius + apron_unit(chunk) - 1) / apron_unit(chunk) * apron_unit(chunk);
}

// Windows of this radius share with those of their neighbours 2q - 1 whole threads' columns.
CONV_ANY_PROCESSOR constexpr int threads_between(int radius) {
  return (radius + 1) / box_columns;
}
// The smallest power of two that is no smaller: a window is in two groups of so many threads, or in three.
CONV_ANY_PROCESSOR constexpr int group_of(int q) {
  return q <= 1 ? 1 : 2 * group_of((q + 1) / 2);
}

// Of sums that values enter and leave again. Levels are whole numbers: nothing is lost. Of floats every addition
// rounds, and what rounding took would stay for good: they are summed in twice the digits. That is enough below 2^20;
// when larger ones leave, infinity, or what is no number, the window is summed anew.
template <class Channel>
struct RunningSum {
  using Type = double;
};
template <>
struct RunningSum<unsigned char> {
  using Type = float;
};

struct alignas(16) ColumnSums {
  float of[box_columns];
  CONV_DEVICE float total() const { return (of[0] + of[1]) + (of[2] + of[3]); }
};

// Rows of sums of a block, for all its threads: of a column each, and of all columns of the threads of a group up to
// one and from one on.
struct BoxLines {
  SharedTile<ColumnSums> columns;  // of a thread each
  SharedTile<float> up_to, from;
  static CONV_ANY_PROCESSOR constexpr int bytes(int lines, int threads) {
    return lines * threads * (box_columns + 2) * 4;
  }
  CONV_DEVICE BoxLines(int lines, int threads, int first_byte)
      : columns(shared_tile<ColumnSums>(threads, first_byte)),
        up_to(shared_tile<float>(threads, first_byte + lines * threads * box_columns * 4)),
        from(shared_tile<float>(threads, up_to.first_byte + lines * threads * 4)) {}

  CONV_DEVICE void store(int line, const ColumnSums& sums, int group) const {
    const int thread = threadIdx.x;
    columns.store(thread, line, sums);
    const GroupSums in_group = sums_in_group(sums.total(), group);
    up_to.store(thread, line, in_group.up_to);
    from.store(thread, line, in_group.from);
  }

  // Of 2q - 1 threads, this one in the middle.
  CONV_DEVICE float around(int line, int q, int group) const {
    const int first = static_cast<int>(threadIdx.x) - q + 1, last = threadIdx.x + q - 1;
    if (q == 1) return up_to.load(last, line);
    float sum = from.load(first, line) + up_to.load(last, line);
    const int next = first / group + 1;
    if (last / group > next) sum += up_to.load(next * group + group - 1, line);
    return sum;
  }

  // Of the 2 * radius + 1 columns around each of this thread's.
  CONV_DEVICE ColumnSums windows(int line, int radius, int group) const {
    const int q = threads_between(radius), thread = threadIdx.x;
    ColumnSums sums = columns.load(thread, line);
    if (radius == 0) return sums;
    if (q == 0) {
      const ColumnSums left = columns.load(thread - 1, line), right = columns.load(thread + 1, line);
      const float run[] = {left.of[2], left.of[3], sums.of[0],  sums.of[1],
                           sums.of[2], sums.of[3], right.of[0], right.of[1]};
#pragma unroll
      for (int p = 0; p < box_columns; ++p) {
        sums.of[p] = run[p + 1] + run[p + 2] + run[p + 3];
        if (radius == 2) sums.of[p] += run[p] + run[p + 4];
      }
      return sums;
    }
    // All four windows have those of whole threads, and 0 to 3 columns more towards each end; there stand three that
    // not all of them have.
    const int more = radius + 1 - box_columns * q;
    ColumnSums left[2] = {}, right[2] = {};  // outwards
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (i * box_columns >= more + 3) continue;
      left[i] = columns.load(thread - q - i, line);
      right[i] = columns.load(thread + q + i, line);
    }
    float shared = around(line, q, group), l[3] = {}, r[3] = {};
#pragma unroll
    for (int i = 0; i < 2 * box_columns; ++i) {
      const float to_left = left[i / box_columns].of[box_columns - 1 - i % box_columns];
      const float to_right = right[i / box_columns].of[i % box_columns];
      if (i < more) shared += to_left + to_right;
#pragma unroll
      for (int k = 0; k < 3; ++k)
        if (i == more + k) {
          l[k] = to_left;
          r[k] = to_right;
        }
    }
    return {{shared + (l[0] + l[1] + l[2]), shared + (l[0] + l[1]) + r[0], shared + l[0] + (r[0] + r[1]),
             shared + (r[0] + r[1] + r[2])}};
  }
};

// A block walks down a strip of the image, four columns to a thread, `step_rows` rows a step. To the sum of a column
// comes the row that enters the window, from it goes the row that leaves it, which is loaded once more, out of the
// cache. Windows along x are put together from few sums of neighbouring columns, none of them by a difference.
template <int fixed_x, int step_rows>
struct BoxStrip {
  template <class Source, class Target>
  static CONV_DEVICE void walk(const ConvArgs& args, int plane, int planes) {
    // What enters a window will be read once more, when it leaves.
    using Ring = RowRing<Source, step_rows, box_ahead, Reuse::soon>;
    using Leaving = RowRing<Source, step_rows, box_ahead, Reuse::over>;
    using Pixel = typename Source::Pixel;
    using Traits = PixelTraits<Pixel>;
    using Sum = typename Traits::Sum;
    using Running = typename RunningSum<typename Traits::Channel>::Type;
    constexpr int channels = channels_summed<Sum>;
    constexpr bool has_alpha = Traits::channels == 4;
    const int radius_x = fixed_x == from_args ? args.radius_x : fixed_x, window = 2 * args.radius_y + 1;
    const int apron = box_apron(radius_x, Ring::chunk), group = group_of(threads_between(radius_x));

    const Target target(args);
    const Source source(args);
    const float tap = TapsView{args.taps}[0];
    const int thread = threadIdx.x, threads = blockDim.x, height = args.results;
    const int all = threads * box_columns, width = all - 2 * apron;
    const int left = blockIdx.x * width - apron, top = blockIdx.y * height;
    // In the last strip, no more than is needed.
    const int needed = box_apron(target.image.width + radius_x - left, Ring::chunk);
    const int staged = needed < all ? needed : all;
    const int below = target.image.height - top, rows_here = height < below ? height : below;
    constexpr int slots = Ring::ahead + 1;
    const int steps = (height + window - 1) / step_rows;  // the plan makes it whole
    // Rows leave from this step on, the first one in its row window % step_rows.
    const int leaving_from = window / step_rows;
    const int ring_bytes = stream_head(slots, planes, all) + slots * step_rows * all * static_cast<int>(sizeof(Pixel));
    Ring enters(args, left, top - args.radius_y, staged, slots, plane, planes, all, 0);
    Leaving leaves(args, left, top - args.radius_y + leaving_from * step_rows - window, staged, slots, plane, planes,
                   all, ring_bytes);
    const BoxLines lines(step_rows * channels, threads, 2 * ring_bytes);
    const auto fetch = [&](int step) {
      if (step < steps) enters.fetch(step);
      if (leaving_from <= step && step < steps)
        leaves.fetch(step - leaving_from);
      else
        leaves.copies.commit();
      if (step >= steps) enters.copies.commit();
    };
#pragma unroll 1
    for (int step = 0; step < Ring::ahead; ++step) fetch(step);

    const int x = left + thread * box_columns;
    const bool has_columns = thread * box_columns < staged;
    const bool writes = thread * box_columns >= apron && thread * box_columns < all - apron && x < target.image.width;
    Running running[channels][box_columns] = {};
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      enters.arrive(step);
      if (step >= leaving_from) leaves.arrive(step - leaving_from);
      __syncthreads();
      const bool patched = enters.patch(step), also = step >= leaving_from && leaves.patch(step - leaving_from);
      if (patched || also) __syncthreads();
      fetch(step + Ring::ahead);
#pragma unroll
      for (int v = 0; v < step_rows; ++v) {
        const int row = step * step_rows + v;
        Pixel pixels[box_columns] = {};
        if (has_columns)
          load_run<box_columns>(enters.pixels, thread * box_columns, step % slots * step_rows + v, box_columns, pixels);
#pragma unroll
        for (int c = 0; c < channels; ++c)
#pragma unroll
          for (int p = 0; p < box_columns; ++p) running[c][p] += to_float(channel_of(pixels[p], c));
        if (row >= window) {
          if (has_columns)
            load_run<box_columns>(leaves.pixels, thread * box_columns, (step - leaving_from) % slots * step_rows + v,
                                  box_columns, pixels);
#pragma unroll
          for (int c = 0; c < channels; ++c) {
            [[maybe_unused]] bool large = false;
#pragma unroll
            for (int p = 0; p < box_columns; ++p) {
              const float value = to_float(channel_of(pixels[p], c));
              running[c][p] -= value;
              large |= !(value * value < 0x1p40f);
            }
            if constexpr (sizeof(typename Traits::Channel) > 1) {
              if (!large) continue;
              const int first = top + row - (window - 1) - args.radius_y;
#pragma unroll 1
              for (int p = 0; p < box_columns; ++p) {
                Running anew = 0;
#pragma unroll 1
                for (int y = first; y < first + window; ++y) anew += to_float(channel_of(source.load(x + p, y), c));
#pragma unroll
                for (int i = 0; i < box_columns; ++i)
                  if (i == p) running[c][i] = anew;
              }
            }
          }
        }
#pragma unroll
        for (int c = 0; c < channels; ++c) {
          ColumnSums sums;
#pragma unroll
          for (int p = 0; p < box_columns; ++p) sums.of[p] = static_cast<float>(running[c][p]);
          lines.store(c * step_rows + v, sums, group);
        }
      }
      __syncthreads();
#pragma unroll
      for (int v = 0; v < step_rows; ++v) {
        const int y = step * step_rows + v - (window - 1);
        if (y < 0 || y >= rows_here || !writes) continue;
        Sum whole[box_columns];
#pragma unroll
        for (int c = 0; c < channels; ++c) {
          const ColumnSums sums = lines.windows(c * step_rows + v, radius_x, group);
#pragma unroll
          for (int p = 0; p < box_columns; ++p) set_channel(whole[p], c, sums.of[p] * tap);
        }
        alignas(16) Pixel finished[box_columns];
#pragma unroll
        for (int p = 0; p < box_columns; ++p) {
          Pixel centre{};
          if constexpr (has_alpha)
            if (x + p < target.image.width) centre = source.load(x + p, top + y);
          finished[p] = Traits::finished(whole[p], args.offset, centre);
        }
        store_finished(target.image, pixel_of<Pixel>(target.image, x, top + y), x, top + y, plane, finished);
      }
    }
    __syncthreads();  // before the next plane
  }
};

template <class Source, class Target, int radius_x, int step_rows>
__global__ void __launch_bounds__(128, 4) box_running(ConvArgs args) {
  const int chunk = RowRing<typename PlaneOf<Source>::Source, step_rows>::chunk;
  const int radius = radius_x == from_args ? args.radius_x : radius_x;
  for_planes<Source, Target, BoxStrip<radius_x, step_rows>>(args,
                                                            blockDim.x * box_columns - 2 * box_apron(radius, chunk));
}

}  // namespace CONV_TARGET
