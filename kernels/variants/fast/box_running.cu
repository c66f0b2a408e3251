#include "kernels/api/kernel_api.h"
#include "kernels/api/row_stream.h"
#include "kernels/api/warp_sums.h"

namespace CONV_TARGET {

// Adjacent columns per thread.
inline constexpr int box_columns = 4;

// Prefetch depth in steps.
inline constexpr int box_ahead = 1;

// The apron of a strip consists of whole chunks and whole sectors of memory.
CONV_ANY_PROCESSOR constexpr int apron_unit(int chunk) {
  return chunk > 8 ? chunk : 8;
}
CONV_ANY_PROCESSOR constexpr int box_apron(int radius, int chunk) {
  return (radius + apron_unit(chunk) - 1) / apron_unit(chunk) * apron_unit(chunk);
}

// The four windows of a thread share the columns of 2q - 1 whole threads.
CONV_ANY_PROCESSOR constexpr int threads_between(int radius) {
  return (radius + 1) / box_columns;
}
// The smallest power of two that is at least q. A window lies in two or three groups of this many threads.
CONV_ANY_PROCESSOR constexpr int group_of(int q) {
  return q <= 1 ? 1 : 2 * group_of((q + 1) / 2);
}

// The type of a running sum. Levels are whole numbers, so float loses nothing. Float values are summed in double: each
// addition in float would round, and these errors would never leave the sum. Double is enough for values below 2^20.
// When a larger value, infinity or NaN leaves, the window is summed again.
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

// The sums of a block in shared memory, one line per row and channel: of each column, and of the columns of each group
// of threads, from the group's first thread to this one and from this one to the last.
struct BoxLines {
  SharedTile<ColumnSums> columns;  // one element per thread
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

  // The sum over 2q - 1 threads, this one in the middle.
  CONV_DEVICE float around(int line, int q, int group) const {
    const int first = static_cast<int>(threadIdx.x) - q + 1, last = threadIdx.x + q - 1;
    if (q == 1) return up_to.load(last, line);
    float sum = from.load(first, line) + up_to.load(last, line);
    const int next = first / group + 1;
    if (last / group > next) sum += up_to.load(next * group + group - 1, line);
    return sum;
  }

  // The sums over the 2 * radius + 1 columns around each of this thread's columns.
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
    // All four windows contain the columns of whole threads and `more` columns (0 to 3) beyond them on each side. The
    // next three columns on each side are in some of the windows only.
    const int more = radius + 1 - box_columns * q;
    ColumnSums left[2] = {}, right[2] = {};  // from the inside outwards
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

// The running sums of a thread's columns, channel by channel.
template <class Pixel>
struct RunningColumns {
  using Traits = PixelTraits<Pixel>;
  using Running = typename RunningSum<typename Traits::Channel>::Type;
  static constexpr int channels = channels_summed<typename Traits::Sum>;
  Running of[channels][box_columns] = {};

  CONV_DEVICE void enter(const Pixel (&pixels)[box_columns]) {
#pragma unroll
    for (int c = 0; c < channels; ++c)
#pragma unroll
      for (int p = 0; p < box_columns; ++p) of[c][p] += to_float(channel_of(pixels[p], c));
  }

  // The windows begin at (x, y) of the source once these pixels have left them.
  template <class Source>
  CONV_DEVICE void leave(const Pixel (&pixels)[box_columns], const Source& source, int x, int y, int window) {
#pragma unroll
    for (int c = 0; c < channels; ++c) {
      [[maybe_unused]] bool large = false;
#pragma unroll
      for (int p = 0; p < box_columns; ++p) {
        const float value = to_float(channel_of(pixels[p], c));
        of[c][p] -= value;
        large |= !(value * value < 0x1p40f);
      }
      if constexpr (sizeof(typename Traits::Channel) > 1)
        if (large) sum_again(source, c, x, y, window);
    }
  }

  CONV_DEVICE ColumnSums rounded(int c) const {
    ColumnSums sums;
#pragma unroll
    for (int p = 0; p < box_columns; ++p) sums.of[p] = static_cast<float>(of[c][p]);
    return sums;
  }

 private:
  template <class Source>
  CONV_DEVICE void sum_again(const Source& source, int c, int x, int y, int window) {
#pragma unroll 1
    for (int p = 0; p < box_columns; ++p) {
      Running again = 0;
#pragma unroll 1
      for (int row = y; row < y + window; ++row) again += to_float(channel_of(source.load(x + p, row), c));
#pragma unroll
      for (int i = 0; i < box_columns; ++i)
        if (i == p) of[c][i] = again;
    }
  }
};

// A block walks down a strip of the image, four columns per thread, `step_rows` rows per step. The row that enters the
// window is added to the sum of each column, and the row that leaves it is subtracted. That row is loaded a second
// time, from the cache. Windows along x are added from few sums of neighbouring columns; nothing is subtracted there.
template <int fixed_x, int step_rows>
struct BoxStrip {
  template <class Source, class Target>
  static CONV_DEVICE void walk(const ConvArgs& args, int plane, int planes) {
    // A row that enters a window is read again when it leaves.
    using Ring = RowRing<Source, step_rows, box_ahead, Reuse::soon>;
    using Leaving = RowRing<Source, step_rows, box_ahead, Reuse::over>;
    using Pixel = typename Source::Pixel;
    constexpr int channels = RunningColumns<Pixel>::channels;
    const int radius_x = fixed_x == from_args ? args.radius_x : fixed_x, window = 2 * args.radius_y + 1;
    const int apron = box_apron(radius_x, Ring::chunk), group = group_of(threads_between(radius_x));

    const Target target(args);
    const Source source(args);
    const int thread = threadIdx.x, threads = blockDim.x, height = args.results;
    const int all = threads * box_columns, width = all - 2 * apron;
    const int left = blockIdx.x * width - apron, top = blockIdx.y * height;
    // The last strip stages no more than it needs.
    const int needed = box_apron(target.image.width + radius_x - left, Ring::chunk);
    const int staged = needed < all ? needed : all;
    const int below = target.image.height - top, rows_here = height < below ? height : below;
    constexpr int slots = Ring::ahead + 1;
    const int steps = (height + window - 1) / step_rows;  // the plan makes it a whole number
    // The step from which rows leave the window; the first of them is row window % step_rows of that step.
    const int leaving_from = window / step_rows;
    const int ring_bytes = stream_head(slots, planes, all) + slots * step_rows * all * static_cast<int>(sizeof(Pixel));
    Ring enters(args, left, top - args.radius_y, staged, slots, plane, planes, all, 0);
    Leaving leaves(args, left, top - args.radius_y + leaving_from * step_rows - window, staged, slots, plane, planes,
                   all, ring_bytes);
    const BoxLines lines(step_rows * channels, threads, 2 * ring_bytes);
#pragma unroll 1
    for (int step = 0; step < Ring::ahead; ++step) fetch(enters, leaves, step, steps, leaving_from);

    const int x = left + thread * box_columns;
    const bool has_columns = thread * box_columns < staged;
    const bool writes = thread * box_columns >= apron && thread * box_columns < all - apron && x < target.image.width;
    RunningColumns<Pixel> running;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      wait(enters, leaves, step, leaving_from);
      fetch(enters, leaves, step + Ring::ahead, steps, leaving_from);
#pragma unroll
      for (int v = 0; v < step_rows; ++v) {
        const int row = step * step_rows + v;
        Pixel pixels[box_columns] = {};
        if (has_columns) load_columns(enters, step, v, pixels);
        running.enter(pixels);
        if (row >= window && has_columns) load_columns(leaves, step - leaving_from, v, pixels);
        if (row >= window) running.leave(pixels, source, x, top + row - (window - 1) - args.radius_y, window);
#pragma unroll
        for (int c = 0; c < channels; ++c) lines.store(c * step_rows + v, running.rounded(c), group);
      }
      __syncthreads();
#pragma unroll
      for (int v = 0; v < step_rows; ++v) {
        const int y = step * step_rows + v - (window - 1);
        if (0 <= y && y < rows_here && writes)
          store(lines, v, radius_x, group, source, target, args, x, top + y, plane);
      }
    }
    __syncthreads();  // before the next plane
  }

 private:
  template <class Ring, class Leaving>
  static CONV_DEVICE void fetch(Ring& enters, Leaving& leaves, int step, int steps, int leaving_from) {
    enters.fetch_if(step < steps, step);
    leaves.fetch_if(leaving_from <= step && step < steps, step - leaving_from);
  }

  template <class Ring, class Leaving>
  static CONV_DEVICE void wait(Ring& enters, Leaving& leaves, int step, int leaving_from) {
    enters.arrive(step);
    if (step >= leaving_from) leaves.arrive(step - leaving_from);
    __syncthreads();
    const bool patched = enters.patch(step), also = step >= leaving_from && leaves.patch(step - leaving_from);
    if (patched || also) __syncthreads();
  }

  // This thread's pixels in row v of a step.
  template <class Ring, class Pixel>
  static CONV_DEVICE void load_columns(const Ring& ring, int step, int v, Pixel (&pixels)[box_columns]) {
    const int slots = Ring::ahead + 1;
    load_run<box_columns>(ring.pixels, threadIdx.x * box_columns, step % slots * step_rows + v, box_columns, pixels);
  }

  // The results at (x, y), whose sums are in line v of each channel.
  template <class Source, class Target>
  static CONV_DEVICE void store(const BoxLines& lines, int v, int radius_x, int group, const Source& source,
                                const Target& target, const ConvArgs& args, int x, int y, int plane) {
    using Pixel = typename Source::Pixel;
    using Traits = PixelTraits<Pixel>;
    const float tap = TapsView{args.taps}[0];
    typename Traits::Sum whole[box_columns];
#pragma unroll
    for (int c = 0; c < RunningColumns<Pixel>::channels; ++c) {
      const ColumnSums sums = lines.windows(c * step_rows + v, radius_x, group);
#pragma unroll
      for (int p = 0; p < box_columns; ++p) set_channel(whole[p], c, sums.of[p] * tap);
    }
    alignas(16) Pixel finished[box_columns];
#pragma unroll
    for (int p = 0; p < box_columns; ++p) {
      Pixel centre{};
      if constexpr (Traits::channels == 4)
        if (x + p < target.image.width) centre = source.load(x + p, y);
      finished[p] = Traits::finished(whole[p], args.offset, centre);
    }
    store_finished(target.image, pixel_of<Pixel>(target.image, x, y), x, y, plane, finished);
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
