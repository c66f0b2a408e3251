// Kernels that stream an image through registers row by row. Kernel files include this after kernel_api.h, once per
// target namespace: no include guard.
namespace CONV_TARGET {

// Prefetch depth of the ring, in steps.
CONV_ANY_PROCESSOR constexpr int stream_ahead(int step_rows) {
  return step_rows < 16 ? 3 : 2;
}

// The apron of a ring's rows, in pixels per side. Where one 16-byte chunk would be enough, two are used so that rows
// begin at a sector of memory: saves 2.5 us of 78 on an H200. Larger aprons gain nothing from this.
CONV_ANY_PROCESSOR constexpr int stream_apron(int reach, int chunk) {
  const int needed = (reach + chunk - 1) / chunk * chunk;
  return needed == chunk ? 2 * chunk : needed;
}
// The distance between the ring's rows, in pixels.
CONV_ANY_PROCESSOR constexpr int stream_pitch(int staged, int) {
  return staged;
}

// Bytes of shared memory before the ring's pixels.
CONV_ANY_PROCESSOR constexpr int stream_head(int slots, int planes, int staged) {
  return (8 * slots * planes + 15) / 16 * 16 + (4 * staged + 15) / 16 * 16;
}

// If the taps are known at compile time, they are immediate operands of the multiply-adds.
#if defined(CONV_TAPS)
__device__ constexpr float known_taps[] = {CONV_TAPS};
#endif
struct StreamTaps {
  TapsView taps;
  CONV_DEVICE float operator[](CONV_TAP_INDEX i) const {
#if defined(CONV_TAPS)
    return known_taps[i];
#else
    return taps[i];
#endif
  }
};

// One plane, seen as an image of one channel.
template <class View>
struct PlaneOf;
template <class Type, Border border>
struct PlaneOf<SourceView<Type, border>> {
  using Source = SourceView<Type, border>;
  static constexpr int planes = 1;
};
template <class Type, Border border>
struct PlaneOf<SourceView<Planar<Type>, border>> {
  using Source = SourceView<typename PixelTraits<Type>::Channel, border>;
  static constexpr int planes = PixelTraits<Type>::channels;
};

// A ring of rows of a strip in shared memory, `step_rows` rows per step, each with its padding. From sm_90 on, the copy
// engine copies the part of a row that is inside the image as one piece. Copies by the threads bring the rest, and
// everything on older GPUs.
template <class Source, int step_rows, int ahead_ = stream_ahead(step_rows), Reuse reuse = Reuse::unknown>
struct RowRing {
  using Pixel = typename Source::Pixel;
  static constexpr int pixel_bytes = sizeof(Pixel), chunk = 16 % pixel_bytes == 0 ? 16 / pixel_bytes : 1;
  static constexpr int none = -0x7fffffff;
  static constexpr int ahead = ahead_;
  Source source;
  int thread, left, top;  // left, top: image coordinates of the first row's first pixel
  int chunks, slots;
  // Range of the chunks that are whole words of the image's rows. The last chunk may contain pixels after the end of a
  // row; image pixels end at `end_x`.
  int first_whole = 0, end_whole = 0, end_x = 0;
  bool patches = false;  // all padding pixels can be copied from pixels that are in the ring
  BulkCopies<Pixel, reuse> bulk;
  AsyncCopies<Pixel> copies;
  SharedTile<int> columns;  // the image column of each staged column
  SharedTile<Pixel> pixels;

  // plane, planes: the index and number of planes processed one after the other; each has its own barriers.
  // pitch: distance between rows. before: bytes of shared memory used by something else.
  CONV_DEVICE RowRing(const ConvArgs& args, int left_, int top_, int staged, int slots_, int plane, int planes,
                      int pitch, int before)
      : source(args),
        thread(threadIdx.x),
        left(left_),
        top(top_),
        chunks(staged / chunk),
        slots(slots_),
        bulk{shared_tile<unsigned long long>(0, before + 8 * slots * plane)},
        columns(shared_tile<int>(0, before + (8 * slots * planes + 15) / 16 * 16)),
        pixels(shared_tile<Pixel>(pitch, before + stream_head(slots, planes, staged))) {
    for (int x = thread; x < staged; x += blockDim.x) {
      const auto at = source.inside(left + x, 0);
      columns.store(x, 0, at.exists ? at.x : none);
    }
    const int place = left + source.origin_x;
    if (16 % pixel_bytes == 0 && place % chunk == 0) {
      first_whole = place < 0 ? -place / chunk : 0;
      const bool padded = place + (source.width - place + chunk - 1) / chunk * chunk <= source.stride_px;
      end_whole = (source.width - place + (padded ? chunk - 1 : 0)) / chunk;
      end_whole = end_whole < chunks ? end_whole : chunks;
      end_x = end_whole * chunk < source.width - place ? end_whole * chunk : source.width - place;
    }
    if (thread == 0 && by_bulk()) bulk.begin(slots);
    __syncthreads();
    patches = by_bulk();
    for (int i = 0; patches && i < beyond(); ++i) {
      const int column = columns.load(beyond_at(i), 0);
      patches = column == none || (column - left >= first_whole * chunk && column - left < end_x);
    }
  }

  // The number of staged pixels per row that are padding, and the position of the i-th.
  CONV_DEVICE int beyond() const { return chunks * chunk - end_x + first_whole * chunk; }
  CONV_DEVICE int beyond_at(int i) const { return i < first_whole * chunk ? i : i - first_whole * chunk + end_x; }

  CONV_DEVICE bool by_bulk() const { return has_bulk_copies && first_whole * chunk < end_x / chunk * chunk; }
  CONV_DEVICE bool has_rest() const { return !by_bulk() || (!patches && beyond() > 0); }

  // Fills what the copy engine does not copy of a row; y: in the image.
  CONV_DEVICE void fill(int row, int y) {
    const auto at = source.inside(0, y);
#pragma unroll 1
    for (int c = thread; c < chunks; c += blockDim.x) {
      if (at.exists && c >= first_whole && (c + 1) * chunk <= end_x) {
        if constexpr (is_async_size<chunk * pixel_bytes>)
          if (!by_bulk()) copies.template copy<chunk>(pixels, c * chunk, row, source, left + c * chunk, at.y);
        continue;
      }
      int column[chunk];
      load_run<chunk>(columns, c * chunk, 0, chunk, column);
#pragma unroll
      for (int i = 0; i < chunk; ++i) {
        const int x = c * chunk + i;
        if (!at.exists || column[i] == none)
          pixels.store(x, row, PixelTraits<Pixel>::uniform(source.outside));
        else if constexpr (is_async_size<pixel_bytes>)
          copies.template copy<1>(pixels, x, row, source, column[i], at.y);
        else
          pixels.store(x, row, source.load(column[i], at.y));
      }
    }
  }

  CONV_DEVICE void fetch(int step) {
    const int slot = step % slots, first = slot * step_rows, y = top + step * step_rows;
    int existing = step_rows;
    if (Source::may_be_uniform || has_rest()) {
#pragma unroll 1
      for (int row = 0; row < step_rows; ++row) {
        const bool exists = source.inside(0, y + row).exists;
        existing -= !exists;
        if (has_rest() || !exists) fill(first + row, y + row);
      }
      if (by_bulk()) bulk.after_stores();  // before the barrier; after it the copy engine writes this slot again
    }
    if (by_bulk()) {
      if (thread < step_rows) {
        const int whole = ((patches ? end_whole : end_x / chunk) - first_whole) * chunk;
        if (thread == 0) bulk.expect(slot, existing * whole * pixel_bytes);
        const auto at = source.inside(0, y + thread);
        if (at.exists)
          bulk.copy(slot, pixels, first_whole * chunk, first + thread, source, left + first_whole * chunk, at.y, whole);
      }
    }
    copies.commit();
  }
  CONV_DEVICE void fetch_first() {
#pragma unroll 1
    for (int step = 0; step < ahead; ++step) fetch(step);
  }
  // Every step commits a group, so that arrive() can count groups.
  CONV_DEVICE void fetch_if(bool wanted, int step) {
    if (wanted)
      fetch(step);
    else
      copies.commit();
  }

  // Waits for this thread's copies and the copy engine's copies of a step. Other threads' copies need a barrier as
  // well.
  CONV_DEVICE void arrive(int step) {
    if (by_bulk()) bulk.wait(step % slots, step / slots);
    copies.template wait<ahead - 1>();
  }
  // Fills in the padding, after that barrier. Returns whether it stored anything; if so, another barrier is needed.
  CONV_DEVICE bool patch(int step) {
    if (!patches || beyond() == 0) return false;
    for (int i = thread; i < step_rows * beyond(); i += blockDim.x) {
      const int row = step % slots * step_rows + i / beyond(), x = beyond_at(i % beyond());
      const int column = columns.load(x, 0);
      pixels.store(x, row,
                   column == none ? PixelTraits<Pixel>::uniform(source.outside) : pixels.load(column - left, row));
    }
    bulk.after_stores();
    return true;
  }
  // Waits until all threads can read the rows of this step and have finished the step before it.
  CONV_DEVICE void wait(int step) {
    arrive(step);
    __syncthreads();
    if (patch(step)) __syncthreads();
  }
};

// Stores adjacent results of one thread, from (x, y), to address `out`, up to the image's edge.
template <int count, class Pixel>
CONV_DEVICE void store_finished(const PixelBuffer& image, Pixel* out, int x, [[maybe_unused]] int y, int plane,
                                const Pixel (&finished)[count]) {
  if (plane == 0) {  // a pixel counts as written when its first plane is written
    [[maybe_unused]] constexpr int bytes = count * static_cast<int>(sizeof(Pixel));
    CONV_TRANSFER(thread, is_async_size<bytes> && x + count <= image.width ? bytes : 0);
    for (int p = 0; p < count && x + p < image.width; ++p)
      if (!CONV_PIXEL_ALLOWED(write, conv_cpu::whole_pixel<Pixel>, x + p, y, image.width, image.height)) return;
  }
  if (x + count <= image.width) {
    store_run(out, finished);
  } else {
#pragma unroll
    for (int p = 0; p < count; ++p)
      if (x + p < image.width) out[p] = finished[p];
  }
}

// How a block walks down a strip of the image with unfinished sums in registers: `results` adjacent pixels per thread,
// `step_rows` rows per step. The image is read once and written once, with no intermediate image.
// reach: the largest radius that the instance supports.
template <class Source, class Target, int fixed_x, int fixed_y, int reach, int results, int step_rows>
class RegisterWalk {
  using Ring = RowRing<Source, step_rows>;
  using Pixel = typename Source::Pixel;
  using Traits = PixelTraits<Pixel>;

 public:
  using Sum = typename Traits::Sum;
  static constexpr int reach_x = fixed_x == from_args ? reach : fixed_x;
  static constexpr int reach_y = fixed_y == from_args ? reach : fixed_y;

 private:
  static constexpr int chunk = Ring::chunk, widest = (reach_x + chunk - 1) / chunk * chunk;
  // If pixels are not whole words, the ring's rows may begin anywhere; the alignment is known only for a known radius.
  static constexpr int aligned = fixed_x == from_args && 16 % sizeof(Pixel) != 0 ? 1 : results;
  static constexpr bool has_alpha = Traits::channels == 4;

 public:
  using Run = Pixel[results + 2 * widest];
  const StreamTaps taps;

  CONV_DEVICE RegisterWalk(const ConvArgs& args, int plane_, int planes)
      : taps{{args.taps}},
        args_radius_x(args.radius_x),
        args_radius_y(args.radius_y),
        plane(plane_),
        offset(args.offset),
        target(args),
        top(blockIdx.y * args.results),
        rows_here(args.results < target.image.height - top ? args.results : target.image.height - top),
        steps((args.results + 2 * radius_y()) / step_rows),
        x(blockIdx.x * width() + threadIdx.x * results),
        out((top - 2 * radius_y()) * target.image.stride_px + x),
        ring(args, blockIdx.x * width() - apron(), top - radius_y(), width() + 2 * apron(), slots(), plane, planes,
             stream_pitch(width() + 2 * apron(), sizeof(Pixel)), 0) {
    ring.fetch_first();
  }

  // Constants, if the radius is known at compile time.
  CONV_DEVICE int radius_x() const { return fixed_x == from_args ? args_radius_x : fixed_x; }
  CONV_DEVICE int radius_y() const { return fixed_y == from_args ? args_radius_y : fixed_y; }

  // Waits for the rows of a step. Returns false after the last step.
  CONV_DEVICE bool begin(int step_) {
    step = step_;
    if (step >= steps) return false;
    first = step % slots() * step_rows;
    ring.wait(step);
    ring.fetch_if(step + Ring::ahead < steps, step + Ring::ahead);
    return true;
  }
  // Row v of this step: pixel [p + i] of the returned array is pixel i of the window of the thread's result p.
  CONV_DEVICE const Pixel* load(int v, Run& run) {
    load_run<aligned>(ring.pixels, threadIdx.x * results + apron() - needed(), first + v, results + 2 * needed(), run);
    return run + needed() - radius_x();
  }
  // Stores the results whose window ends with row v of this step. To be called for each row, in order.
  CONV_DEVICE void store(int v, const Sum (&whole)[results]) {
    const int y = step * step_rows + v - 2 * radius_y(), middle = first + v - radius_y();
    alignas(16) Pixel finished[results];
#pragma unroll
    for (int p = 0; p < results; ++p) {
      Pixel centre{};
      if constexpr (has_alpha)
        if (y >= 0)
          centre =
              ring.pixels.load(apron() + threadIdx.x * results + p, middle < 0 ? middle + slots() * step_rows : middle);
      finished[p] = Traits::finished(whole[p], offset, centre);
    }
    if (0 <= y && y < rows_here)
      store_finished(target.image, pixel_of<Pixel>(target.image, out, 0), x, top + y, plane, finished);
    out += target.image.stride_px;
  }
  // After the last step, before the next plane.
  CONV_DEVICE void end() {
    __syncthreads();
  }

 private:
  const int args_radius_x, args_radius_y;
  const int plane;
  const float offset;
  const Target target;
  const int top, rows_here, steps;  // the plan makes `steps` a whole number
  const int x;
  int out;  // an index, not a pointer: the first rows are before the image, where pointers are undefined
  int step = 0, first = 0;  // the first row of the step in the ring
  Ring ring;

  static CONV_DEVICE int width() {
    return blockDim.x * results;
  }
  // Columns that are loaded and staged beside the results, on each side.
  CONV_DEVICE int needed() const {
    return (radius_x() + chunk - 1) / chunk * chunk;
  }
  CONV_DEVICE int apron() const {
    return stream_apron(radius_x(), chunk);
  }
  // Rows stay in the ring until the results that they are the middle of are stored with their alpha.
  CONV_DEVICE int slots() const {
    return Ring::ahead + 1 + (has_alpha ? (radius_y() + step_rows - 1) / step_rows : 0);
  }
};

// Each row is added to all results whose window contains it. `Row` is what a row contributes:
//   Row(taps, radius_x, run): from pixels run[p .. p + 2 * radius_x] of the row, for the results p of this thread.
//   add(sums, k): adds it to the results for which it is row k of the window.
template <template <class, int, int> class RowOf, int fixed_x, int fixed_y, int reach, int results, int step_rows>
struct RegisterStrip {
  template <class Source, class Target>
  static CONV_DEVICE void walk(const ConvArgs& args, int plane, int planes) {
    using Walk = RegisterWalk<Source, Target, fixed_x, fixed_y, reach, results, step_rows>;
    using Sum = typename Walk::Sum;
    Walk strip(args, plane, planes);
    Sum waiting[2 * Walk::reach_y + 1][results] = {};  // the unfinished sums of the results below
#pragma unroll 1
    for (int step = 0; strip.begin(step); ++step) {
#pragma unroll
      for (int v = 0; v < step_rows; ++v) {
        typename Walk::Run run;
        const RowOf<typename Source::Pixel, Walk::reach_x, results> row(strip.taps, strip.radius_x(),
                                                                        strip.load(v, run));
        Sum whole[results] = {};
        add_row(row, strip.radius_y(), waiting, whole);
        strip.store(v, whole);
      }
    }
    strip.end();
  }

 private:
  // Adds a row to all results whose window contains it. The first of them is finished, the others move up, and a new
  // one begins.
  template <class Row, class Sum, int count>
  static CONV_DEVICE void add_row(const Row& row, int radius_y, Sum (&waiting)[count][results], Sum (&whole)[results]) {
#pragma unroll
    for (int i = 0; i <= 2 * radius_y; ++i) {
      Sum sums[results] = {};
#pragma unroll
      for (int p = 0; p < results && i < 2 * radius_y; ++p) sums[p] = waiting[i][p];
      row.add(sums, 2 * radius_y - i);
#pragma unroll
      for (int p = 0; p < results; ++p) (i == 0 ? whole[p] : waiting[i - 1][p]) = sums[p];
    }
  }
};

// Copies the alpha plane of this block's tile; alpha is not filtered.
template <class Source, class Target>
CONV_DEVICE void copy_alpha(const ConvArgs& args, int width) {
  const Source source(args);
  const Target target(args);
  const Pixels<typename Target::Type> pixels(target.image, 0);
  for (int row = 0; row < args.results; ++row)
    for (int column = threadIdx.x; column < width; column += blockDim.x) {
      const int x = blockIdx.x * width + column, y = blockIdx.y * args.results + row;
      if (!target.contains(x, y)) continue;
      using Channel = typename PlaneOf<Source>::Source::Pixel;
      pixels.first[y * target.image.stride_px + x + 3 * pixels.plane] = narrowed<Channel>(source.load_channel(x, y, 3));
    }
}

// Calls Strip::walk<Source, Target>(args, plane, planes) for the strip of this block, which is `width` pixels wide.
// Planar images are processed plane by plane; their alpha plane is copied.
template <class Source, class Target, class Strip>
CONV_DEVICE void for_planes(const ConvArgs& args, int width) {
  using Plane = PlaneOf<Source>;
  if constexpr (Plane::planes == 1) {
    Strip::template walk<Source, Target>(args, 0, 1);
  } else {
    using Channel = typename Plane::Source::Pixel;
    for (int plane = 0; plane < 3; ++plane) {
      ConvArgs of_plane = args;
      of_plane.source = plane_of<Channel>(args.source, plane);
      of_plane.target = plane_of<Channel>(args.target, plane);
      Strip::template walk<typename Plane::Source, TargetView<Channel>>(of_plane, plane, 3);
    }
    if constexpr (Plane::planes == 4) copy_alpha<Source, Target>(args, width);
  }
}

}  // namespace CONV_TARGET
