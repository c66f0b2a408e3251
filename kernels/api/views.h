// How kernels reach memory. Included by kernel_api.h alone, once per target namespace.
namespace CONV_TARGET {

// Mirror without repeating the edge pixel (2 1 | 0 1 2), reflected as often as it takes.
CONV_DEVICE int mirrored(int i, int n) {
  if (n == 1) return 0;
  const int period = 2 * (n - 1);
  i = (i < 0 ? -i : i) % period;
  return i < n ? i : period - i;
}

CONV_DEVICE int wrapped(int i, int n) {
  i %= n;
  return i < 0 ? i + n : i;
}

// Mirror that repeats the edge pixel (1 0 | 0 1).
CONV_DEVICE int symmetric(int i, int n) {
  i = wrapped(i, 2 * n);
  return i < n ? i : 2 * n - 1 - i;
}

// As a blog published it: without the edge pixel on the left and top, with it on the right and bottom.
CONV_DEVICE int blog_mirrored(int i, int n) {
  while (i < 0 || i >= n) i = i < 0 ? -i : 2 * n - 1 - i;
  return i;
}

CONV_DEVICE int clamped(int i, int n) {
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

// Which of n pixels in a line stands for place i, by the rules that repeat the image.
CONV_DEVICE int stand_in(Border rule, int i, int n) {
  switch (rule) {
    case Border::mirror: return mirrored(i, n);
    case Border::symmetric: return symmetric(i, n);
    case Border::wrap: return wrapped(i, n);
    case Border::blog_mirror: return blog_mirrored(i, n);
    default: return clamped(i, n);
  }
}

// Reads pixels at any coordinate, counted from the source pixel under target pixel (0, 0); `border` says what stands
// outside the image, Border::any leaves that to the arguments.
template <class PixelType, Border border>
struct SourceView {
  using Pixel = PixelType;
  const Pixel* pixels;           // at coordinate (0, 0)
  int left, top, right, bottom;  // of the image
  int stride_px;
  Border chosen;
  float outside;

  CONV_DEVICE explicit SourceView(const ConvArgs& args) : SourceView(args, args.source) {}
  CONV_DEVICE SourceView(const ConvArgs& args, const PixelBuffer& image)
      : pixels(static_cast<const Pixel*>(image.data) + static_cast<long long>(args.origin_y) * image.stride_px +
               args.origin_x),
        left(-args.origin_x),
        top(-args.origin_y),
        right(image.width - args.origin_x),
        bottom(image.height - args.origin_y),
        stride_px(image.stride_px),
        chosen(args.border),
        outside(args.outside) {}

  CONV_DEVICE Pixel load(int x, int y) const {
    const Border rule = border == Border::any ? chosen : border;
    if (rule != Border::inside && (x < left || x >= right || y < top || y >= bottom)) {
      if (rule == Border::zero || rule == Border::valid) return PixelTraits<Pixel>::uniform(0.0f);
      if (rule == Border::constant) return PixelTraits<Pixel>::uniform(outside);
      x = left + stand_in(rule, x - left, right - left);
      y = top + stand_in(rule, y - top, bottom - top);
    }
    CONV_TRACE(global, read, x, y);
    return pixels[static_cast<long long>(y) * stride_px + x];
  }
};

template <class PixelType>
struct TargetView {
  using Pixel = PixelType;
  PixelBuffer image;

  CONV_DEVICE explicit TargetView(const ConvArgs& args) : image(args.target) {}

  CONV_DEVICE bool contains(int x, int y) const { return x < image.width && y < image.height; }

  CONV_DEVICE void copy(int x, int y, Pixel pixel) const {
    CONV_TRACE(global, write, x, y);
    static_cast<Pixel*>(image.data)[static_cast<long long>(y) * image.stride_px + x] = pixel;
  }

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
