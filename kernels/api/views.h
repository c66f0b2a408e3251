// How kernels access memory. Included by kernel_api.h alone, once per target namespace.
namespace CONV_TARGET {

#if defined(CONV_READ_ONLY)
// The widest type that a pixel of this many bytes can be read as.
template <int bytes>
struct WordOf {
  using Type = unsigned char;
};
template <>
struct WordOf<2> {
  using Type = unsigned short;
};
template <>
struct WordOf<4> {
  using Type = unsigned int;
};
template <>
struct WordOf<8> {
  using Type = uint2;
};
template <>
struct WordOf<12> {
  using Type = unsigned int;
};
template <>
struct WordOf<16> {
  using Type = uint4;
};

template <class Channel>
CONV_DEVICE Channel read_word(const Channel* at) {
  using Word = typename WordOf<sizeof(Channel)>::Type;
  const Word word = __ldg(reinterpret_cast<const Word*>(at));
  return *reinterpret_cast<const Channel*>(&word);
}
template <class Storage>
CONV_DEVICE typename Pixels<Storage>::Pixel read_planes(const Pixels<Storage>& p, int i) {
  if constexpr (Pixels<Storage>::channels == 4)
    return {read_word(p.first + i), read_word(p.first + i + p.plane), read_word(p.first + i + 2 * p.plane),
            read_word(p.first + i + 3 * p.plane)};
  else
    return {read_word(p.first + i), read_word(p.first + i + p.plane), read_word(p.first + i + 2 * p.plane)};
}
#endif

#if defined(CONV_PACKED)
// Three adjacent channels in two loads instead of three. The extra byte is in the same row, because row strides are
// multiples of 32 pixels.
CONV_DEVICE Rgb8 read_packed(const Rgb8* at) {
  const auto address = reinterpret_cast<unsigned long long>(at);
  const auto* words = reinterpret_cast<const unsigned int*>(address & ~3ull);
  const unsigned int bits = 8 * (address & 3);
  const unsigned int levels = __funnelshift_r(words[0], bits > 8 ? words[1] : 0, bits);
  return {static_cast<unsigned char>(levels), static_cast<unsigned char>(levels >> 8),
          static_cast<unsigned char>(levels >> 16)};
}
CONV_DEVICE Rgb read_packed(const Rgb* at) {
  const auto address = reinterpret_cast<unsigned long long>(at);
  const auto* pairs = reinterpret_cast<const float2*>(address & ~7ull);
  const float2 first = pairs[0], second = pairs[1];
  const bool aligned = (address & 7) == 0;
  return {aligned ? first.x : first.y, aligned ? first.y : second.x, aligned ? second.x : second.y};
}
#endif

// Mirror without repeating the edge pixel (2 1 | 0 1 2), reflected as often as needed.
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

// As published in a blog: without the edge pixel on the left and top, with it on the right and bottom.
CONV_DEVICE int blog_mirrored(int i, int n) {
  while (i < 0 || i >= n) i = i < 0 ? -i : 2 * n - 1 - i;
  return i;
}

// Written so that the compiler recognises a maximum and a minimum.
CONV_DEVICE int clamped(int i, int n) {
  const int low = i > 0 ? i : 0, last = n - 1;
  return low < last ? low : last;
}

// Which of n pixels in a line replaces index i, for the rules that repeat the image.
CONV_DEVICE int stand_in(Border rule, int i, int n) {
  switch (rule) {
    case Border::mirror: return mirrored(i, n);
    case Border::symmetric: return symmetric(i, n);
    case Border::wrap: return wrapped(i, n);
    case Border::blog_mirror: return blog_mirrored(i, n);
    default: return clamped(i, n);
  }
}

// One pixel or channel from memory. With the switch "__restrict__" the read goes through the read-only path, as the
// compiler does for const __restrict__ pointers.
template <class Storage>
CONV_DEVICE typename Pixels<Storage>::Pixel read(const Pixels<Storage>& pixels, int i) {
#if defined(CONV_PACKED)
  if constexpr (requires { read_packed(pixels.first + i); }) return read_packed(pixels.first + i);
#endif
#if defined(CONV_READ_ONLY)
  if constexpr (requires { pixels.plane; }) {
    return read_planes(pixels, i);
  } else {
    using Pixel = typename Pixels<Storage>::Pixel;
    using Word = typename WordOf<sizeof(Pixel)>::Type;
    Pixel pixel;
    auto* words = reinterpret_cast<Word*>(&pixel);
    for (int w = 0; w < static_cast<int>(sizeof(Pixel) / sizeof(Word)); ++w)
      words[w] = __ldg(reinterpret_cast<const Word*>(pixels.first + i) + w);
    return pixel;
  }
#else
  return pixels.read(i);
#endif
}

// Reads pixels at any coordinate. (0, 0) is the source pixel for target pixel (0, 0). `border` is the rule for pixels
// outside the image; Border::any reads the rule from the arguments.
template <class Storage, Border border>
struct SourceView {
  using Pixel = typename Pixels<Storage>::Pixel;
  // Whether the rule may give a constant value instead of another pixel.
  static constexpr bool may_be_uniform =
      border == Border::any || border == Border::zero || border == Border::constant || border == Border::valid;
  Pixels<Storage> pixels;
  int width, height, stride_px;
  int origin_x, origin_y;
  Border chosen;
  float outside;

  CONV_DEVICE explicit SourceView(const ConvArgs& args) : SourceView(args, args.source) {}
  CONV_DEVICE SourceView(const ConvArgs& args, const PixelBuffer& image)
      : pixels(image, 0),
        width(image.width),
        height(image.height),
        stride_px(image.stride_px),
        origin_x(args.origin_x),
        origin_y(args.origin_y),
        chosen(args.border),
        outside(args.outside) {}

  CONV_DEVICE Pixel load(int x, int y CONV_CALLER) const {
    const Place at = place(x, y);
    CONV_QUESTION(x + origin_x, y + origin_y);
    if (!at.exists) {
      CONV_NO_PIXEL(conv_cpu::whole_pixel<Storage>, site);
      return PixelTraits<Storage>::uniform(outside);
    }
    if (!CONV_PIXEL_ALLOWED(read, conv_cpu::whole_pixel<Storage>, at.x, at.y, width, height, site)) return {};
    return read(pixels, at.y * stride_px + at.x);
  }

  // The address of a pixel inside the image, in the same coordinates; not for planar images.
  CONV_DEVICE const Pixel* at(int x, int y) const { return pixels.first + (y + origin_y) * stride_px + x + origin_x; }

  // One channel of that pixel; the others are not read.
  CONV_DEVICE float load_channel(int x, int y, int channel CONV_CALLER) const {
    const Place at = place(x, y);
    CONV_QUESTION(x + origin_x, y + origin_y);
    if (!at.exists) {
      CONV_NO_PIXEL(conv_cpu::channel_of_pixel<Storage>(channel), site);
      return to_float(narrowed<typename PixelTraits<Storage>::Channel>(outside));
    }
    if (!CONV_PIXEL_ALLOWED(read, conv_cpu::channel_of_pixel<Storage>(channel), at.x, at.y, width, height, site))
      return 0;
    return pixels.read_channel(at.y * stride_px + at.x, channel);
  }

  // The image pixel that (x, y) is or is replaced by, in the same coordinates; none if the rule gives the outside
  // value.
  struct Place {
    int x, y;
    bool exists;
  };
  CONV_DEVICE Place inside(int x, int y) const {
    const Place at = place(x, y);
    return {at.x - origin_x, at.y - origin_y, at.exists};
  }

 private:
  // The same in the image's own coordinates.
  CONV_DEVICE Place place(int x, int y) const {
    x += origin_x;
    y += origin_y;
    const Border rule = border == Border::any ? chosen : border;
    // A GPU clamps every index sooner than it tests whether that is needed; for the other rules the test is cheaper. A
    // CPU predicts the test.
    const bool ask = CONV_BOUNDARY == 0 ? CONV_CHEAP_BRANCHES || rule != Border::replicate : CONV_BOUNDARY == 1;
    if (rule != Border::inside && (!ask || x < 0 || x >= width || y < 0 || y >= height)) {
      if (rule == Border::zero || rule == Border::constant || rule == Border::valid) return {x, y, false};
      x = stand_in(rule, x, width);
      y = stand_in(rule, y, height);
    }
    return {x, y, true};
  }
};

#if defined(CONV_ON_CPU)
// The CPU has no texture unit. Point sampling with these address modes gives what SourceView gives.
template <class Storage, Border border>
using TextureView = SourceView<Storage, border>;
#else
// The name of a texture element for a pixel type.
template <class Pixel>
struct TexelOf;
template <>
struct TexelOf<float> {
  using Type = float;
};
template <>
struct TexelOf<Half> {
  using Type = unsigned short;
};
template <>
struct TexelOf<unsigned char> {
  using Type = unsigned char;
};
template <>
struct TexelOf<Rgba8> {
  using Type = uchar4;
};
template <>
struct TexelOf<Rgba16f> {
  using Type = ushort4;
};
template <>
struct TexelOf<Rgba32f> {
  using Type = float4;
};

// As SourceView, through the texture unit: point sampling, coordinates in pixels. The hardware's address modes do clamp
// and zero, and also wrap and symmetric, which need coordinates from 0 to 1. The other rules compute the index first.
template <class Pixel_, Border border>
struct TextureView {
  using Pixel = Pixel_;
  using Texel = typename TexelOf<Pixel>::Type;
  unsigned long long texture;
  int width, height, origin_x, origin_y;
  Border chosen;
  float outside;

  CONV_DEVICE explicit TextureView(const ConvArgs& args)
      : texture(args.texture),
        width(args.source.width),
        height(args.source.height),
        origin_x(args.origin_x),
        origin_y(args.origin_y),
        chosen(args.border),
        outside(args.outside) {}

  CONV_DEVICE Pixel load(int x, int y) const {
    x += origin_x;
    y += origin_y;
    const Border rule = border == Border::any ? chosen : border;
    const bool normalised = rule == Border::wrap || rule == Border::symmetric;
    const bool is_outside = x < 0 || x >= width || y < 0 || y >= height;
    if (rule == Border::constant && is_outside) return PixelTraits<Pixel>::uniform(outside);
    if (rule == Border::zero && is_outside)
      return PixelTraits<Pixel>::uniform(0.0f);  // opaque; the address mode's alpha is 0
    if ((rule == Border::mirror || rule == Border::blog_mirror) && is_outside) {
      x = stand_in(rule, x, width);
      y = stand_in(rule, y, height);
    }
    const Texel texel = normalised ? tex2D<Texel>(texture, (x + 0.5f) / width, (y + 0.5f) / height)
                                   : tex2D<Texel>(texture, x + 0.5f, y + 0.5f);
    return *reinterpret_cast<const Pixel*>(&texel);
  }
};
#endif

template <class Storage>
struct TargetView {
  using Type = Storage;
  using Pixel = typename Pixels<Storage>::Pixel;
  PixelBuffer image;

  CONV_DEVICE explicit TargetView(const ConvArgs& args) : image(args.target) {}

  CONV_DEVICE bool contains(int x, int y) const { return x < image.width && y < image.height; }

  CONV_DEVICE void copy(int x, int y, Pixel pixel CONV_CALLER) const {
    if (!CONV_PIXEL_ALLOWED(write, conv_cpu::whole_pixel<Storage>, x, y, image.width, image.height, site)) return;
    Pixels<Storage>(image, 0).write(y * image.stride_px + x, pixel);
  }

  // `centre` is the source pixel at the target pixel: its alpha is copied.
  template <class Sum, class Centre>
  CONV_DEVICE void store(int x, int y, Sum sum, float offset, Centre centre CONV_CALLER) const {
    copy(x, y, PixelTraits<Storage>::finished(sum, offset, centre) CONV_PASS_CALLER);
  }
};

struct TapsView {
  const float* taps;
  CONV_DEVICE float operator[](CONV_TAP_INDEX i) const { return CONV_TAP_ALLOWED(i, taps) ? taps[i] : 0; }
};

// A two-dimensional part of the block's shared memory. pitch counts pixels.
template <class Pixel>
struct SharedTile {
  Pixel* data;
  int pitch, first_byte;
  CONV_DEVICE Pixel load(int x, int y CONV_CALLER) const {
    if (!CONV_SHARED_ALLOWED(read, byte_of(x, y), static_cast<int>(sizeof(Pixel)), site)) return {};
    return data[y * pitch + x];
  }
  CONV_DEVICE void store(int x, int y, Pixel value CONV_CALLER) const {
    if (!CONV_SHARED_ALLOWED(write, byte_of(x, y), static_cast<int>(sizeof(Pixel)), site)) return;
    data[y * pitch + x] = value;
  }
  CONV_DEVICE int byte_of(int x, int y) const { return first_byte + (y * pitch + x) * static_cast<int>(sizeof(Pixel)); }
};

// first_byte: its start in the block's shared memory, a multiple of 4.
template <class Pixel>
CONV_DEVICE SharedTile<Pixel> shared_tile(int pitch, int first_byte = 0) {
#if defined(CONV_ON_CPU)
  auto* memory = static_cast<unsigned char*>(conv_cpu::shared_memory());
#else
  extern __shared__ __align__(128) unsigned char shared_memory[];
  unsigned char* memory = shared_memory;
#endif
  return {reinterpret_cast<Pixel*>(memory + first_byte), pitch, first_byte};
}

// The sum of the window whose first pixel is (x, y) of the tile, in the order of the taps.
template <class Pixel>
CONV_DEVICE typename PixelTraits<Pixel>::Sum window_sum(const SharedTile<Pixel>& tile, const TapsView& taps,
                                                        const ConvArgs& args, int x, int y CONV_CALLER) {
  typename PixelTraits<Pixel>::Sum sum{};
  int tap = 0;
  for (int ky = 0; ky <= 2 * args.radius_y; ++ky)
    for (int kx = 0; kx <= 2 * args.radius_x; ++kx)
      sum += weighted(taps[{tap++ CONV_PASS_CALLER}], tile.load(x + kx, y + ky CONV_PASS_CALLER));
  return sum;
}

}  // namespace CONV_TARGET
