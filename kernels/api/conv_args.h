// The data every kernel receives. No standard header: NVRTC and the host compiler both read this file.
#pragma once

#if defined(__CUDACC__)
#define CONV_ANY_PROCESSOR __host__ __device__ __forceinline__
#else
#define CONV_ANY_PROCESSOR inline
extern "C" float sqrtf(float) noexcept;
extern "C" float expf(float) noexcept;
#endif

// How pixels outside the image are replaced. Two values are not rules: with `any` a view reads the rule from the
// arguments; `inside` promises that no read leaves the image. `valid` makes the result smaller, so that the window
// stays inside. What the last blocks load beyond the image is zero.
enum class Border : int { any, zero, constant, replicate, mirror, symmetric, wrap, valid, blog_mirror, inside };

// A 16-bit float (FP16). Arithmetic is in float, except for pixels read as HalfSums.
struct Half {
  unsigned short bits;
};

// One-channel pixels are float, Half and unsigned char. Alpha is copied from the source to the target and never
// filtered. Rgb is also the type of a colour pixel's sum.
struct Rgb8 {
  unsigned char r, g, b;
};
struct alignas(4) Rgba8 {
  unsigned char r, g, b, a;
};
struct alignas(8) Rgba16f {
  Half r, g, b, a;
};
struct Rgb {
  float r, g, b;
};
struct alignas(16) Rgba32f {
  float r, g, b, a;
};
// A pixel of 16-bit floats whose sums are 16-bit floats too (half accumulator).
template <class Type>
struct HalfSums : Type {};
// The same pixel with each channel in its own plane: a structure of arrays.
template <class Pixel>
struct Planar {};

// One image in the memory of the processor that runs the kernel. Rows are stride_px pixels apart. Planes are plane_rows
// rows apart; plane_rows is larger than the height if this is a strip of an image.
struct PixelBuffer {
  void* data;
  int width, height, stride_px, plane_rows;
};

// The arguments of every kernel. The source pixel for target pixel (0, 0) is (origin_x, origin_y). Taps are row-major,
// (2*radius_x+1) x (2*radius_y+1), in correlation order: tap (0, 0) belongs to the source pixel (x - radius_x, y -
// radius_y). Values are in the pixel type's unit: 0 to 255 for Rgba8, otherwise 0 to 1.
struct ConvArgs {
  PixelBuffer source, target;
  PixelBuffer second;  // for kernels that combine two images
  int origin_x, origin_y;
  const float* taps;
  int radius_x, radius_y;
  Border border;
  float outside;               // value of every channel outside the image, for Border::constant
  float offset;                // added to every filtered channel
  unsigned long long texture;  // the source, for kernels that read a texture
  int first_constant;          // index of the step's first tap in constant memory, which holds the taps of all steps
  // For kernels that offer the choice: pixels written per thread; the alignment of a block's first address, in pixels.
  int results, alignment_px;
  float range;  // bilateral filter: standard deviation of the value difference, in the pixel type's unit
};

// As a template argument for a radius: read the radius from the arguments.
inline constexpr int from_args = -1;

CONV_ANY_PROCESSOR float to_float(float v) {
  return v;
}
CONV_ANY_PROCESSOR float to_float(unsigned char v) {
  return v;
}
CONV_ANY_PROCESSOR float to_float(Half v) {
#if defined(__CUDA_ARCH__)
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(v.bits));
  return wide;
#elif defined(__CUDACC__)
  return 0;  // nvcc's host pass: never called
#else
  return static_cast<float>(__builtin_bit_cast(_Float16, v.bits));
#endif
}

#if defined(__CUDA_ARCH__)
// The level in the lowest byte of the result. It equals to_level() to the last bit but needs no conversion instruction,
// which takes four times as long as an addition: adding 2^23 leaves the integer in the lowest bits.
CONV_ANY_PROCESSOR unsigned level_in_word(float v) {
  const float share = fminf(__saturatef(__fmaf_rn(v, 1 / 256.0f, 0.5f / 256)), 255 / 256.0f);
  return __float_as_uint(__fmaf_rz(share, 256, 8388608.0f));
}
#endif
CONV_ANY_PROCESSOR unsigned char to_level(float v) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned char>(level_in_word(v));
#else
  return static_cast<unsigned char>(v >= 255.0f ? 255.0f : v > 0.0f ? v + 0.5f : 0.0f);  // NaN: 0
#endif
}
// A channel in its storage type, rounded once.
template <class Channel>
CONV_ANY_PROCESSOR Channel narrowed(float v);
template <>
CONV_ANY_PROCESSOR float narrowed<float>(float v) {
  return v;
}
template <>
CONV_ANY_PROCESSOR unsigned char narrowed<unsigned char>(float v) {
  return to_level(v);
}
template <>
CONV_ANY_PROCESSOR Half narrowed<Half>(float v) {
#if defined(__CUDA_ARCH__)
  Half half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half.bits) : "f"(v));
  return half;
#elif defined(__CUDACC__)
  return {};
#else
  return {__builtin_bit_cast(unsigned short, static_cast<_Float16>(v))};
#endif
}

// A channel converted to another type; the same type is unchanged.
template <class Channel>
struct InType {
  static CONV_ANY_PROCESSOR Channel of(Channel v) { return v; }
  template <class Other>
  static CONV_ANY_PROCESSOR Channel of(Other v) {
    return narrowed<Channel>(to_float(v));
  }
};

// sum + a * b with each product in its own multiply-add. Without this, compilers share the products of equal taps and
// then add separately. The switch "FMA" applies.
CONV_ANY_PROCESSOR void multiply_add(float& sum, float a, float b) {
#if defined(__CUDA_ARCH__) && !defined(CONV_NO_FMA)
  sum = __fmaf_rn(a, b, sum);
#else
  sum = a * b + sum;
#endif
}

CONV_ANY_PROCESSOR float weighted(float tap, float p) {
  return tap * p;
}
CONV_ANY_PROCESSOR float weighted(float tap, unsigned char p) {
  return tap * p;
}
CONV_ANY_PROCESSOR float weighted(float tap, Half p) {
  return tap * to_float(p);
}
template <class Pixel>
CONV_ANY_PROCESSOR Rgb weighted(float tap, Pixel p) {
  return {tap * to_float(p.r), tap * to_float(p.g), tap * to_float(p.b)};
}
CONV_ANY_PROCESSOR void operator+=(Rgb& sum, Rgb p) {
  sum.r += p.r;
  sum.g += p.g;
  sum.b += p.b;
}

template <class Channel>
CONV_ANY_PROCESSOR void multiply_add(float& sum, float tap, Channel p) {
  multiply_add(sum, tap, to_float(p));
}
template <class Pixel>
CONV_ANY_PROCESSOR void multiply_add(Rgb& sum, float tap, Pixel p) {
  multiply_add(sum.r, tap, to_float(p.r));
  multiply_add(sum.g, tap, to_float(p.g));
  multiply_add(sum.b, tap, to_float(p.b));
}

// Sums in 16 bits: every multiply-add rounds to 16 bits once. Two channels share a register and an instruction.
CONV_ANY_PROCESSOR Half fused_multiply_add(Half a, Half b, Half sum) {
#if defined(__CUDA_ARCH__)
  asm("fma.rn.f16 %0, %1, %2, %0;" : "+h"(sum.bits) : "h"(a.bits), "h"(b.bits));
  return sum;
#elif defined(__CUDACC__)
  return {};
#else
  const auto wide = [](Half v) { return static_cast<double>(__builtin_bit_cast(_Float16, v.bits)); };
  return {__builtin_bit_cast(unsigned short, static_cast<_Float16>(wide(a) * wide(b) + wide(sum)))};
#endif
}
struct alignas(4) HalfPair {
  Half low, high;
};
CONV_ANY_PROCESSOR HalfPair fused_multiply_add(Half tap, HalfPair p, HalfPair sum) {
#if defined(__CUDA_ARCH__)
  HalfPair taps{tap, tap}, result;
  asm("fma.rn.f16x2 %0, %1, %2, %3;"
      : "=r"(reinterpret_cast<unsigned&>(result))
      : "r"(reinterpret_cast<unsigned&>(taps)), "r"(reinterpret_cast<unsigned&>(p)),
        "r"(reinterpret_cast<unsigned&>(sum)));
  return result;
#else
  return {fused_multiply_add(tap, p.low, sum.low), fused_multiply_add(tap, p.high, sum.high)};
#endif
}
struct HalfSum {
  Half value;
  CONV_ANY_PROCESSOR operator float() const { return to_float(value); }
};
struct HalfRgbSum {
  HalfPair rg, ba;
  CONV_ANY_PROCESSOR operator Rgb() const { return {to_float(rg.low), to_float(rg.high), to_float(ba.low)}; }
};
template <class Type>
struct HalfProduct {
  float tap;
  HalfSums<Type> pixel;
};
CONV_ANY_PROCESSOR HalfProduct<Half> weighted(float tap, HalfSums<Half> p) {
  return {tap, p};
}
CONV_ANY_PROCESSOR HalfProduct<Rgba16f> weighted(float tap, HalfSums<Rgba16f> p) {
  return {tap, p};
}
CONV_ANY_PROCESSOR void operator+=(HalfSum& sum, HalfProduct<Half> p) {
  sum.value = fused_multiply_add(narrowed<Half>(p.tap), p.pixel, sum.value);
}
CONV_ANY_PROCESSOR void operator+=(HalfRgbSum& sum, HalfProduct<Rgba16f> p) {
  const Half tap = narrowed<Half>(p.tap);
  sum.rg = fused_multiply_add(tap, HalfPair{p.pixel.r, p.pixel.g}, sum.rg);
  sum.ba = fused_multiply_add(tap, HalfPair{p.pixel.b, p.pixel.a}, sum.ba);
}

// One of the summed channels.
CONV_ANY_PROCESSOR float channel_of(float pixel, int) {
  return pixel;
}
CONV_ANY_PROCESSOR Half channel_of(Half pixel, int) {
  return pixel;
}
CONV_ANY_PROCESSOR unsigned char channel_of(unsigned char pixel, int) {
  return pixel;
}
template <class Pixel>
CONV_ANY_PROCESSOR auto channel_of(const Pixel& pixel, int channel) {
  return channel == 0 ? pixel.r : channel == 1 ? pixel.g : pixel.b;
}

// Sums have one channel or three.
template <class Sum>
constexpr int channels_summed = sizeof(Sum) / sizeof(float);
CONV_ANY_PROCESSOR void set_channel(float& sum, int, float value) {
  sum = value;
}
CONV_ANY_PROCESSOR void set_channel(Rgb& sum, int channel, float value) {
  (channel == 0 ? sum.r : channel == 1 ? sum.g : sum.b) = value;
}

CONV_ANY_PROCESSOR float length(float x, float y) {
  return sqrtf(x * x + y * y);
}
CONV_ANY_PROCESSOR Rgb length(Rgb x, Rgb y) {
  return {length(x.r, y.r), length(x.g, y.g), length(x.b, y.b)};
}

#if defined(__CUDA_ARCH__)
// Packs four words whose lowest bytes are levels. Compilers need twice the instructions for it.
CONV_ANY_PROCESSOR Rgba8 rgba_of_words(unsigned r, unsigned g, unsigned b, Rgba8 centre) {
  const unsigned rg = __byte_perm(r, g, 0x0040);
  const unsigned ba = __byte_perm(b, reinterpret_cast<const unsigned&>(centre), 0x0070);
  const unsigned rgba = __byte_perm(rg, ba, 0x5410);
  return reinterpret_cast<const Rgba8&>(rgba);
}
#endif
CONV_ANY_PROCESSOR Rgba8 with_alpha_of(Rgb c, Rgba8 centre) {
#if defined(__CUDA_ARCH__)
  return rgba_of_words(level_in_word(c.r), level_in_word(c.g), level_in_word(c.b), centre);
#else
  return {to_level(c.r), to_level(c.g), to_level(c.b), centre.a};
#endif
}

// What kernels need to know about a pixel type. `uniform`: an opaque pixel with this value in all channels. `finished`:
// the pixel of a sum, with the alpha of the source pixel at its centre.
template <class Type>
struct GreyTraits {
  using Pixel = Type;
  using Channel = Type;
  using Sum = float;
  static constexpr int channels = 1;
  static CONV_ANY_PROCESSOR float sum_of(float value) { return value; }
  static CONV_ANY_PROCESSOR Pixel uniform(float value) { return narrowed<Type>(value); }
  template <class Centre>
  static CONV_ANY_PROCESSOR Pixel finished(float sum, float offset, Centre) {
    return narrowed<Type>(sum + offset);
  }
};
template <class Type, class ChannelType>
struct ColourTraits {
  using Pixel = Type;
  using Channel = ChannelType;
  using Sum = Rgb;
  static constexpr int channels = sizeof(Type) / sizeof(Channel);
  static constexpr float opaque = sizeof(Channel) == 1 ? 255.0f : 1.0f;
  static CONV_ANY_PROCESSOR Rgb sum_of(float value) { return {value, value, value}; }
  static CONV_ANY_PROCESSOR Pixel with_alpha(Rgb c, [[maybe_unused]] Channel alpha) {
    if constexpr (channels == 4)
      return {narrowed<Channel>(c.r), narrowed<Channel>(c.g), narrowed<Channel>(c.b), alpha};
    else
      return {narrowed<Channel>(c.r), narrowed<Channel>(c.g), narrowed<Channel>(c.b)};
  }
  static CONV_ANY_PROCESSOR Pixel uniform(float value) {
    return with_alpha({value, value, value}, narrowed<Channel>(opaque));
  }
  template <class Centre>
  static CONV_ANY_PROCESSOR Pixel finished(Rgb sum, float offset, Centre centre) {
    const Rgb c{sum.r + offset, sum.g + offset, sum.b + offset};
    if constexpr (requires { with_alpha_of(c, centre); } && sizeof(Type) == 4)
      return with_alpha_of(c, centre);
    else if constexpr (requires { centre.a; })
      return with_alpha(c, InType<Channel>::of(centre.a));
    else
      return with_alpha(c, narrowed<Channel>(opaque));
  }
};
template <class Storage>
struct PixelTraits;

// The pixel of a scaled sum. Unlike `finished`, it does not guarantee that a value halfway between two levels is
// rounded up; it takes two instructions per channel instead of four.
#if defined(__CUDA_ARCH__)
CONV_ANY_PROCESSOR unsigned near_level(float v, float scale, float offset) {
  constexpr float per_level = 1 / 255.0f;  // a division takes a dozen instructions
  const float share = __saturatef(__fmaf_rn(v, scale * per_level, offset * per_level));
  return __float_as_uint(__fmaf_rn(share, 255, 8388608.0f));
}
CONV_ANY_PROCESSOR Rgba8 finished_near(Rgb sum, float scale, float offset, Rgba8 centre) {
  return rgba_of_words(near_level(sum.r, scale, offset), near_level(sum.g, scale, offset),
                       near_level(sum.b, scale, offset), centre);
}
#endif
template <class Pixel>
CONV_ANY_PROCESSOR Pixel finished_near(float sum, float scale, float offset, Pixel centre) {
  return PixelTraits<Pixel>::finished(sum * scale, offset, centre);
}
template <class Pixel>
CONV_ANY_PROCESSOR Pixel finished_near(Rgb sum, float scale, float offset, Pixel centre) {
  return PixelTraits<Pixel>::finished(Rgb{sum.r * scale, sum.g * scale, sum.b * scale}, offset, centre);
}

template <>
struct PixelTraits<float> : GreyTraits<float> {};
template <>
struct PixelTraits<Half> : GreyTraits<Half> {};
template <>
struct PixelTraits<unsigned char> : GreyTraits<unsigned char> {};
template <>
struct PixelTraits<Rgb8> : ColourTraits<Rgb8, unsigned char> {};
template <>
struct PixelTraits<Rgba8> : ColourTraits<Rgba8, unsigned char> {};
template <>
struct PixelTraits<Rgba16f> : ColourTraits<Rgba16f, Half> {};
template <>
struct PixelTraits<Rgb> : ColourTraits<Rgb, float> {};
template <>
struct PixelTraits<Rgba32f> : ColourTraits<Rgba32f, float> {};
template <class Type>
struct PixelTraits<Planar<Type>> : PixelTraits<Type> {};
template <>
struct PixelTraits<HalfSums<Half>> : PixelTraits<Half> {
  using Pixel = HalfSums<Half>;
  using Sum = HalfSum;
  static CONV_ANY_PROCESSOR Pixel uniform(float value) { return {PixelTraits<Half>::uniform(value)}; }
};
template <>
struct PixelTraits<HalfSums<Rgba16f>> : PixelTraits<Rgba16f> {
  using Pixel = HalfSums<Rgba16f>;
  using Sum = HalfRgbSum;
  static CONV_ANY_PROCESSOR Pixel uniform(float value) { return {PixelTraits<Rgba16f>::uniform(value)}; }
};

// Luma (Rec. 709) of the values as they are, without gamma. Rounded in this order on every processor.
CONV_ANY_PROCESSOR float luma(float r, float g, float b) {
#if defined(__CUDA_ARCH__)
  return __fadd_rn(__fadd_rn(__fmul_rn(0.2126f, r), __fmul_rn(0.7152f, g)), __fmul_rn(0.0722f, b));
#else
  return 0.2126f * r + 0.7152f * g + 0.0722f * b;
#endif
}
// An 8-bit pixel in another type: 255 becomes 1 in floats; one-channel types get the luma.
template <class Storage>
CONV_ANY_PROCESSOR typename PixelTraits<Storage>::Pixel of_levels(Rgba8 p) {
  using Channel = typename PixelTraits<Storage>::Channel;
  const auto value = [](unsigned char level) { return sizeof(Channel) == 1 ? level : level / 255.0f; };
  if constexpr (PixelTraits<Storage>::channels == 1)
    return narrowed<Channel>(luma(value(p.r), value(p.g), value(p.b)));
  else
    return PixelTraits<Storage>::with_alpha({value(p.r), value(p.g), value(p.b)}, narrowed<Channel>(value(p.a)));
}

// The pixels of an image, interleaved or plane by plane. Indices count pixels from `first`. Images have fewer than 2^31
// pixels, so 32-bit indices suffice and save instructions.
template <class Storage>
struct Pixels {
  using Pixel = Storage;
  Pixel* first;
  CONV_ANY_PROCESSOR Pixels(const PixelBuffer& image, int offset) : first(static_cast<Pixel*>(image.data) + offset) {}
  CONV_ANY_PROCESSOR Pixel read(int i) const { return first[i]; }
  CONV_ANY_PROCESSOR float read_channel(int i, int channel) const {
    return to_float(reinterpret_cast<const typename PixelTraits<Pixel>::Channel*>(first + i)[channel]);
  }
  CONV_ANY_PROCESSOR void write(int i, Pixel pixel) const { first[i] = pixel; }
};
template <class Type>
struct Pixels<Planar<Type>> {
  using Pixel = Type;
  using Channel = typename PixelTraits<Type>::Channel;
  static constexpr int channels = PixelTraits<Type>::channels;
  Channel* first;
  long long plane;  // distance between the planes, in channels
  CONV_ANY_PROCESSOR Pixels(const PixelBuffer& image, int offset)
      : first(static_cast<Channel*>(image.data) + offset),
        plane(static_cast<long long>(image.stride_px) * image.plane_rows) {}
  CONV_ANY_PROCESSOR Pixel read(int i) const {
    if constexpr (channels == 4)
      return {first[i], first[i + plane], first[i + 2 * plane], first[i + 3 * plane]};
    else
      return {first[i], first[i + plane], first[i + 2 * plane]};
  }
  CONV_ANY_PROCESSOR float read_channel(int i, int channel) const { return to_float(first[i + channel * plane]); }
  CONV_ANY_PROCESSOR void write(int i, Pixel pixel) const {
    first[i] = pixel.r;
    first[i + plane] = pixel.g;
    first[i + 2 * plane] = pixel.b;
    if constexpr (channels == 4) first[i + 3 * plane] = pixel.a;
  }
};
