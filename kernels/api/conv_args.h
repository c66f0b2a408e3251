// The data every kernel receives. No standard header: NVRTC and the host compiler both read this file.
#pragma once

#if defined(__CUDACC__)
#define CONV_ANY_PROCESSOR __host__ __device__ __forceinline__
#else
#define CONV_ANY_PROCESSOR inline
extern "C" float sqrtf(float) noexcept;
#endif

// What stands outside the image. Two are no rules of their own: `any` makes a view read the rule from the arguments,
// `inside` says that no read ever leaves the image. `valid` keeps the window inside by making the result smaller; what
// the last blocks load beyond that is zero.
enum class Border : int { any, zero, constant, replicate, mirror, symmetric, wrap, valid, blog_mirror, inside };

// Alpha of both colour types is carried from the source to the target and never filtered.
struct alignas(4) Rgba8 {
  unsigned char r, g, b, a;
};
struct alignas(16) Rgba32f {
  float r, g, b, a;
};

// One image in the memory of the processor that runs the kernel. Rows are stride_px pixels apart.
struct PixelBuffer {
  void* data;
  int width, height, stride_px;
};

// Arguments of every kernel. The source pixel under target pixel (0, 0) is (origin_x, origin_y). Taps are row-major,
// (2*radius_x+1) x (2*radius_y+1), in the order of correlation: tap (0, 0) meets the source pixel (x - radius_x, y -
// radius_y). Values are in the unit of the pixels: 0..255 for Rgba8, else 0..1.
struct ConvArgs {
  PixelBuffer source, target;
  PixelBuffer second;  // of kernels that combine two images
  int origin_x, origin_y;
  const float* taps;
  int radius_x, radius_y;
  Border border;
  float outside;  // value of every channel outside the image, for Border::constant
  float offset;   // added to every filtered channel
  // Of kernels that have the choice: pixels a thread writes; pixels that the first address of a block is a multiple of.
  int results, alignment_px;
};

// A radius template argument of this value means: take it from the arguments.
constexpr int from_args = -1;

// What a pixel is summed in: colour only, alpha has no part in it.
struct Rgb {
  float r, g, b;
};
CONV_ANY_PROCESSOR float weighted(float tap, float p) {
  return tap * p;
}
CONV_ANY_PROCESSOR Rgb weighted(float tap, Rgb p) {
  return {tap * p.r, tap * p.g, tap * p.b};
}
CONV_ANY_PROCESSOR Rgb weighted(float tap, Rgba8 p) {
  return {tap * p.r, tap * p.g, tap * p.b};
}
CONV_ANY_PROCESSOR Rgb weighted(float tap, Rgba32f p) {
  return {tap * p.r, tap * p.g, tap * p.b};
}
CONV_ANY_PROCESSOR void operator+=(Rgb& sum, Rgb p) {
  sum.r += p.r;
  sum.g += p.g;
  sum.b += p.b;
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
CONV_ANY_PROCESSOR float channel_of(float pixel, int) {
  return pixel;
}
template <class Pixel>
CONV_ANY_PROCESSOR float channel_of(Pixel pixel, int channel) {
  return channel == 0 ? pixel.r : channel == 1 ? pixel.g : pixel.b;
}

CONV_ANY_PROCESSOR float length(float x, float y) {
  return sqrtf(x * x + y * y);
}
CONV_ANY_PROCESSOR Rgb length(Rgb x, Rgb y) {
  return {length(x.r, y.r), length(x.g, y.g), length(x.b, y.b)};
}

CONV_ANY_PROCESSOR unsigned char to_level(float v) {
  return static_cast<unsigned char>(v <= 0.0f ? 0.0f : v >= 255.0f ? 255.0f : v + 0.5f);
}

template <class Pixel>
struct PixelTraits;

template <>
struct PixelTraits<float> {
  using Sum = float;
  static CONV_ANY_PROCESSOR float uniform(float value) { return value; }
  static CONV_ANY_PROCESSOR float sum_of(float value) { return value; }
  static CONV_ANY_PROCESSOR float finished(float sum, float offset, float) { return sum + offset; }
};
template <>
struct PixelTraits<Rgba8> {
  using Sum = Rgb;
  static CONV_ANY_PROCESSOR Rgb sum_of(float value) { return {value, value, value}; }
  static CONV_ANY_PROCESSOR Rgba8 uniform(float value) {
    const unsigned char level = to_level(value);
    return {level, level, level, 255};
  }
  template <class Centre>
  static CONV_ANY_PROCESSOR Rgba8 finished(Rgb sum, float offset, Centre centre) {
    return {to_level(sum.r + offset), to_level(sum.g + offset), to_level(sum.b + offset), to_level(centre.a)};
  }
};
template <>
struct PixelTraits<Rgba32f> {
  using Sum = Rgb;
  static CONV_ANY_PROCESSOR Rgb sum_of(float value) { return {value, value, value}; }
  static CONV_ANY_PROCESSOR Rgba32f uniform(float value) { return {value, value, value, 1.0f}; }
  template <class Centre>
  static CONV_ANY_PROCESSOR Rgba32f finished(Rgb sum, float offset, Centre centre) {
    return {sum.r + offset, sum.g + offset, sum.b + offset, static_cast<float>(centre.a)};
  }
};
