// Tiles of an image in the registers of a warp; a block is one warp. Kernel files include this after kernel_api.h,
// row_stream.h and warp_sums.h, once per target namespace: no include guard.
namespace CONV_TARGET {

// The most rows per warp if their number comes from the arguments.
inline constexpr int warp_rows = 16;

// Pixels per lane and row (channels, for planar images): up to 16 bytes, or two of larger types.
CONV_ANY_PROCESSOR constexpr int lane_columns(int bytes) {
  return bytes > 4 ? 2 : 4;
}

// Lanes on each side of a warp that only supply their columns to the others.
CONV_ANY_PROCESSOR constexpr int lending_lanes(int radius, int columns) {
  return (radius + columns - 1) / columns;
}
// The columns that a warp reads and also writes.
CONV_ANY_PROCESSOR constexpr int tile_columns(int radius, int columns) {
  return (32 - 2 * lending_lanes(radius, columns)) * columns;
}

// `count` adjacent pixels in registers, in the words that memory holds them in: four levels take one register, not
// four.
#if defined(CONV_ON_CPU)
template <class Pixel, int count>
class PixelRun {
 public:
  PixelRun() = default;
  explicit PixelRun(const Pixel (&pixels)[count]) { load(pixels); }
  void load(const Pixel* from) {
    for (int i = 0; i < count; ++i) pixels_[i] = from[i];
  }
  Pixel operator[](int i) const { return pixels_[i]; }
  PixelRun from_lane(int lanes_away, int first, int end) const {
    const int size = static_cast<int>(sizeof(Pixel)), words = (end * size + 3) / 4 - first * size / 4;
    const auto* all =
        static_cast<const PixelRun*>(conv_cpu::exchange(pixels_, sizeof(pixels_), conv_cpu::Exchange::shuffle, words));
    return all[(threadIdx.x % 32 + lanes_away + 32) % 32];
  }

 private:
  Pixel pixels_[count];
};
#else
template <class Pixel, int count>
class PixelRun {
 public:
  CONV_DEVICE explicit PixelRun(const Pixel (&pixels)[count]) {
    Bits bits;
#pragma unroll
    for (int i = 0; i < count; ++i) bits.pixels[i] = pixels[i];
#pragma unroll
    for (int i = 0; i < size; ++i) words_[i] = bits.words[i];
  }
  PixelRun() = default;

  // Loads from memory. The address is a multiple of the widest word that divides the size.
  CONV_DEVICE void load(const Pixel* from) {
    constexpr int wide = WideWord<4 * size>::size;
    struct alignas(wide) Word {
      unsigned part[wide / 4];
    };
#pragma unroll
    for (int i = 0; i < 4 * size / wide; ++i) {
      const Word word = reinterpret_cast<const Word*>(from)[i];
#pragma unroll
      for (int k = 0; k < wide / 4; ++k) words_[i * (wide / 4) + k] = word.part[k];
    }
  }

  // Pixels first to end - 1 of the lane that is lanes_away further; undefined if there is none. All lanes call it
  // together.
  CONV_DEVICE PixelRun from_lane(int lanes_away, int first, int end) const {
    PixelRun run;
#pragma unroll
    for (int i = 0; i < size; ++i)
      if (4 * i < end * static_cast<int>(sizeof(Pixel)) && 4 * i + 4 > first * static_cast<int>(sizeof(Pixel)))
        run.words_[i] = from_neighbour(words_[i], lanes_away);
    return run;
  }

  CONV_DEVICE Pixel operator[](int i) const {
    if constexpr (channels == 1)
      return channel(i);
    else if constexpr (channels == 3)
      return {channel(3 * i), channel(3 * i + 1), channel(3 * i + 2)};
    else
      return {channel(4 * i), channel(4 * i + 1), channel(4 * i + 2), channel(4 * i + 3)};
  }

 private:
  using Channel = typename PixelTraits<Pixel>::Channel;
  static constexpr int channels = sizeof(Pixel) / sizeof(Channel), in_word = 4 / sizeof(Channel);
  static constexpr int size = count * sizeof(Pixel) / 4;
  static_assert(count * sizeof(Pixel) % 4 == 0);
  union Bits {
    CONV_DEVICE Bits() {}
    Pixel pixels[count];
    unsigned words[size];
  };

  CONV_DEVICE Channel channel(int i) const {
    const unsigned bits = words_[i / in_word] >> 8 * sizeof(Channel) * (i % in_word);
    if constexpr (in_word == 4)
      return static_cast<unsigned char>(bits);
    else if constexpr (in_word == 2)
      return {static_cast<unsigned short>(bits)};
    else
      return reinterpret_cast<const float&>(bits);
  }

  unsigned words_[size];
};
#endif

// The radii of the window. In an instance for one radius, x() and y() are constants that the compiler can unroll loops
// with. reach: the largest radius that the instance supports.
template <int fixed_x, int fixed_y, int reach>
struct WindowRadii {
  static constexpr int reach_x = fixed_x == from_args ? reach : fixed_x;
  static constexpr int reach_y = fixed_y == from_args ? reach : fixed_y;
  int given_x, given_y;
  CONV_DEVICE int x() const { return fixed_x == from_args ? given_x : fixed_x; }
  CONV_DEVICE int y() const { return fixed_y == from_args ? given_y : fixed_y; }
};

// A warp writes `rows` rows of the columns that its lanes read, except those of the outer lanes. All rows are loaded
// before the first is used. What happens with them:
//   Filter{taps, radii}.
//   take(row): this lane's columns of the next row.
//   finish(sums): sums of the windows that end with the last row taken.
template <template <class, class, int> class FilterOf, class Radii, int fixed_rows>
struct WarpTile {
  static constexpr int most_rows = fixed_rows == from_args ? warp_rows : fixed_rows;

  template <class Source, class Target>
  static CONV_DEVICE void walk(const ConvArgs& args, int plane, int) {
    using Pixel = typename Source::Pixel;
    using Traits = PixelTraits<Pixel>;
    constexpr int columns = lane_columns(sizeof(Pixel));
    const Radii radii{args.radius_x, args.radius_y};
    const int rows = fixed_rows == from_args ? args.results : fixed_rows;
    const Source source(args);
    const Target target(args);
    const StreamTaps taps{{args.taps}};
    const int lane = threadIdx.x, lending = lending_lanes(radii.x(), columns);
    const int first = blockIdx.x * tile_columns(radii.x(), columns) - lending * columns;
    const int x = first + lane * columns, top = blockIdx.y * rows;

    // Loading inside a branch prevents the compiler from moving some loads down to their use.
    PixelRun<Pixel, columns> read[most_rows + 2 * Radii::reach_y];
    const int place = first + source.origin_x;
    if (place % columns == 0 && place >= 0 && place + 32 * columns <= source.width) {
#pragma unroll
      for (int row = 0; row < rows + 2 * radii.y(); ++row) read[row] = whole_run(source, x, top + row - radii.y());
    } else {
#pragma unroll
      for (int row = 0; row < rows + 2 * radii.y(); ++row) {
        Pixel pixels[columns];
#pragma unroll
        for (int p = 0; p < columns; ++p) pixels[p] = source.load(x + p, top + row - radii.y());
        read[row] = PixelRun(pixels);
      }
    }

    const bool writes = lane >= lending && lane < 32 - lending && x < target.image.width;
    const int below = target.image.height - top;
    auto* out = pixel_of<Pixel>(target.image, x, top);
    FilterOf<Pixel, Radii, columns> filter{taps, radii};
#pragma unroll
    for (int row = 0; row < rows + 2 * radii.y(); ++row) {
      filter.take(read[row]);
      if (row < 2 * radii.y()) continue;
      typename Traits::Sum sums[columns] = {};
      filter.finish(sums);
      alignas(16) Pixel finished[columns];
#pragma unroll
      for (int p = 0; p < columns; ++p) finished[p] = Traits::finished(sums[p], args.offset, read[row - radii.y()][p]);
      const int made = row - 2 * radii.y();
      if (writes && made < below) store_finished(target.image, out, x, top + made, plane, finished);
      out += target.image.stride_px;
    }
  }

  // Adjacent pixels that are inside the image and begin at a word.
  template <class Source>
  static CONV_DEVICE auto whole_run(const Source& source, int x, int y) {
    using Pixel = typename Source::Pixel;
    constexpr int columns = lane_columns(sizeof(Pixel));
    const auto at = source.inside(0, y);
    bool allowed = at.exists;
    Pixel outside[columns];
    CONV_TRANSFER(thread, WideWord<columns* static_cast<int>(sizeof(Pixel))>::size);
#pragma unroll
    for (int p = 0; p < columns; ++p) {
      outside[p] = PixelTraits<Pixel>::uniform(source.outside);
      if (at.exists && !CONV_PIXEL_ALLOWED(read, conv_cpu::whole_pixel<Pixel>, x + p + source.origin_x,
                                           at.y + source.origin_y, source.width, source.height))
        allowed = false;
    }
    PixelRun<Pixel, columns> run(outside);
    if (allowed) run.load(source.at(0, 0) + (at.y * source.stride_px + x));
    return run;
  }
};

// Calls Tile::walk for the tile of this block.
template <class Source, class Target, class Tile>
CONV_DEVICE void for_warp_planes(const ConvArgs& args) {
  constexpr int columns = lane_columns(sizeof(typename PlaneOf<Source>::Source::Pixel));
  for_planes<Source, Target, Tile>(args, tile_columns(args.radius_x, columns));
}

}  // namespace CONV_TARGET
