// How kernels reach memory. Included by kernel_api.h alone, once per target namespace.
namespace CONV_TARGET {

// Mirror without repeating the edge pixel (2 1 | 0 1 2), reflected as often as it takes.
CONV_DEVICE int mirrored(int i, int n) {
  if (n == 1) return 0;
  const int period = 2 * (n - 1);
  i = (i < 0 ? -i : i) % period;
  return i < n ? i : period - i;
}

CONV_DEVICE int clamped(int i, int n) {
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

// Reads pixels at any coordinate; `border` says what stands outside, Border::any leaves that to the arguments.
template <class PixelType, Border border>
struct SourceView {
  using Pixel = PixelType;
  PixelBuffer image;
  Border chosen;
  float outside;

  CONV_DEVICE explicit SourceView(const ConvArgs& args)
      : image(args.source), chosen(args.border), outside(args.outside) {}

  CONV_DEVICE Pixel load(int x, int y) const {
    const Border rule = border == Border::any ? chosen : border;
    if (x < 0 || x >= image.width || y < 0 || y >= image.height) {
      if (rule == Border::zero) return PixelTraits<Pixel>::uniform(0.0f);
      if (rule == Border::constant) return PixelTraits<Pixel>::uniform(outside);
      x = rule == Border::mirror ? mirrored(x, image.width) : clamped(x, image.width);
      y = rule == Border::mirror ? mirrored(y, image.height) : clamped(y, image.height);
    }
    CONV_TRACE(global, read, x, y);
    return static_cast<const Pixel*>(image.data)[static_cast<long long>(y) * image.stride_px + x];
  }
};

template <class PixelType>
struct TargetView {
  using Pixel = PixelType;
  PixelBuffer image;

  CONV_DEVICE explicit TargetView(const ConvArgs& args) : image(args.target) {}

  CONV_DEVICE bool contains(int x, int y) const { return x < image.width && y < image.height; }

  // `centre` is the source pixel under the target pixel: its alpha is carried over.
  template <class Sum, class Centre>
  CONV_DEVICE void store(int x, int y, Sum sum, float offset, Centre centre) const {
    CONV_TRACE(global, write, x, y);
    static_cast<Pixel*>(image.data)[static_cast<long long>(y) * image.stride_px + x] =
        PixelTraits<Pixel>::finished(sum, offset, centre);
  }
};

struct TapsView {
  const float* taps;
  CONV_DEVICE float operator[](int i) const {
    CONV_TRACE(taps, read, i, 0);
    return taps[i];
  }
};

// A two-dimensional piece of the block's shared memory; pitch counts pixels.
template <class Pixel>
struct SharedTile {
  Pixel* data;
  int pitch;
  CONV_DEVICE Pixel load(int x, int y) const {
    CONV_TRACE(shared, read, (y * pitch + x) * static_cast<int>(sizeof(Pixel)), static_cast<int>(sizeof(Pixel)));
    return data[y * pitch + x];
  }
  CONV_DEVICE void store(int x, int y, Pixel value) const {
    CONV_TRACE(shared, write, (y * pitch + x) * static_cast<int>(sizeof(Pixel)), static_cast<int>(sizeof(Pixel)));
    data[y * pitch + x] = value;
  }
};

template <class Pixel>
CONV_DEVICE SharedTile<Pixel> shared_tile(int pitch) {
#if defined(CONV_ON_CPU)
  return {static_cast<Pixel*>(conv_cpu::shared_memory()), pitch};
#else
  extern __shared__ __align__(16) unsigned char shared_memory[];
  return {reinterpret_cast<Pixel*>(shared_memory), pitch};
#endif
}

}  // namespace CONV_TARGET
