// Pixel types and images in host memory.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/api/conv_args.h"
#include "kernels/api/yuv.h"
#include "kernels/core/geometry.h"

// A global name, as its type is, so that it is found from every namespace.
inline bool operator==(const YuvFormat& a, const YuvFormat& b) {
  const auto parts = [](const YuvFormat& f) {
    const YuvMatrix& m = f.matrix;
    return std::tuple(f.order, f.mirrored, m.luma_zero, m.luma, m.red_v, m.green_u, m.green_v, m.blue_u);
  };
  return parts(a) == parts(b);
}

namespace conv {

// Colour types also exist as planes: a structure of arrays (SoA) instead of an array of structures (AoS).
enum class PixelType {
  f32,
  f16,
  gray8,
  rgb8,
  rgba8,
  rgba16f,
  rgb32f,
  rgba32f,
  rgb8_soa,
  rgba8_soa,
  rgba16f_soa,
  rgb32f_soa,
  rgba32f_soa
};

struct PixelTypeInfo {
  PixelType type;
  std::string_view id, title, cpp_name;  // cpp_name: as kernels spell it
  int bytes, channels;
  float one;          // the value of full scale in this type's unit
  PixelType aos;      // the same pixels, interleaved
  PixelType display;  // the type of a texture that shows it
};

inline constexpr std::array pixel_types{
    PixelTypeInfo{PixelType::f32, "f32", "F32 luma", "float", 4, 1, 1.0f, PixelType::f32, PixelType::f32},
    PixelTypeInfo{PixelType::f16, "f16", "F16 luma", "Half", 2, 1, 1.0f, PixelType::f16, PixelType::f16},
    PixelTypeInfo{PixelType::gray8, "gray8", "U8 luma", "unsigned char", 1, 1, 255.0f, PixelType::gray8,
                  PixelType::gray8},
    PixelTypeInfo{PixelType::rgb8, "rgb8", "RGB8", "Rgb8", 3, 3, 255.0f, PixelType::rgb8, PixelType::rgba8},
    PixelTypeInfo{PixelType::rgba8, "rgba8", "RGBA8", "Rgba8", 4, 4, 255.0f, PixelType::rgba8, PixelType::rgba8},
    PixelTypeInfo{PixelType::rgba16f, "rgba16f", "RGBA16F", "Rgba16f", 8, 4, 1.0f, PixelType::rgba16f,
                  PixelType::rgba16f},
    PixelTypeInfo{PixelType::rgb32f, "rgb32f", "RGB32F", "Rgb", 12, 3, 1.0f, PixelType::rgb32f, PixelType::rgba32f},
    PixelTypeInfo{PixelType::rgba32f, "rgba32f", "RGBA32F", "Rgba32f", 16, 4, 1.0f, PixelType::rgba32f,
                  PixelType::rgba32f},
    PixelTypeInfo{PixelType::rgb8_soa, "rgb8_soa", "RGB8 planes", "Planar<Rgb8>", 3, 3, 255.0f, PixelType::rgb8,
                  PixelType::rgba8},
    PixelTypeInfo{PixelType::rgba8_soa, "rgba8_soa", "RGBA8 planes", "Planar<Rgba8>", 4, 4, 255.0f, PixelType::rgba8,
                  PixelType::rgba8},
    PixelTypeInfo{PixelType::rgba16f_soa, "rgba16f_soa", "RGBA16F planes", "Planar<Rgba16f>", 8, 4, 1.0f,
                  PixelType::rgba16f, PixelType::rgba16f},
    PixelTypeInfo{PixelType::rgb32f_soa, "rgb32f_soa", "RGB32F planes", "Planar<Rgb>", 12, 3, 1.0f, PixelType::rgb32f,
                  PixelType::rgba32f},
    PixelTypeInfo{PixelType::rgba32f_soa, "rgba32f_soa", "RGBA32F planes", "Planar<Rgba32f>", 16, 4, 1.0f,
                  PixelType::rgba32f, PixelType::rgba32f},
};
constexpr const PixelTypeInfo& info(PixelType type) {
  return pixel_types[static_cast<std::size_t>(type)];
}

constexpr bool is_8_bit(PixelType type) {
  return info(type).one == 255.0f;
}

constexpr bool is_planar(PixelType type) {
  return info(type).aos != type;
}
constexpr bool is_half(PixelType type) {
  return info(type).bytes == 2 * info(type).channels;
}
// The same pixel type in the other layout; one-channel types have only one.
constexpr PixelType in_layout(PixelType type, bool planar) {
  for (const PixelTypeInfo& row : pixel_types)
    if (row.aos == info(type).aos && is_planar(row.type) == planar) return row.type;
  return type;
}

// The colour type of a one-channel type, or the one-channel type of a colour type; others are unchanged.
constexpr PixelType with_channels(PixelType type, bool luma) {
  if (luma == (info(type).channels == 1)) return type;
  if (!luma)
    return type == PixelType::f16 ? PixelType::rgba16f : is_8_bit(type) ? PixelType::rgba8 : PixelType::rgba32f;
  return is_half(type) ? PixelType::f16 : is_8_bit(type) ? PixelType::gray8 : PixelType::f32;
}

// Calls make.operator()<Storage>() with the C++ type of the pixel type, which PixelTraits and Pixels know.
template <class Make>
auto for_pixel(PixelType type, Make make) {
  switch (type) {
    case PixelType::f32: return make.template operator()<float>();
    case PixelType::f16: return make.template operator()<Half>();
    case PixelType::gray8: return make.template operator()<unsigned char>();
    case PixelType::rgb8: return make.template operator()<Rgb8>();
    case PixelType::rgba8: return make.template operator()<Rgba8>();
    case PixelType::rgba16f: return make.template operator()<Rgba16f>();
    case PixelType::rgb32f: return make.template operator()<Rgb>();
    case PixelType::rgba32f: return make.template operator()<Rgba32f>();
    case PixelType::rgb8_soa: return make.template operator()<Planar<Rgb8>>();
    case PixelType::rgba8_soa: return make.template operator()<Planar<Rgba8>>();
    case PixelType::rgba16f_soa: return make.template operator()<Planar<Rgba16f>>();
    case PixelType::rgb32f_soa: return make.template operator()<Planar<Rgb>>();
    case PixelType::rgba32f_soa: return make.template operator()<Planar<Rgba32f>>();
  }
  std::unreachable();
}

// The float type of the intermediate image between two passes.
template <class Pixel>
using ScratchOf = std::conditional_t<std::is_same_v<typename PixelTraits<Pixel>::Sum, float>, float, Rgba32f>;

// Densely packed rows, top row first.
struct HostImage {
  PixelType type = PixelType::f32;
  Size2 size;
  std::vector<std::byte> bytes;

  HostImage() = default;
  HostImage(PixelType t, Size2 s) : type(t), size(s), bytes(static_cast<std::size_t>(s.area()) * info(t).bytes) {}

  template <class Pixel>
  Pixel* pixels() {
    return reinterpret_cast<Pixel*>(bytes.data());
  }
  template <class Pixel>
  const Pixel* pixels() const {
    return reinterpret_cast<const Pixel*>(bytes.data());
  }
  // Channel c of pixel i, in the type's unit.
  float channel(std::size_t i, int c) const {
    return for_pixel(type,
                     [&]<class Storage> { return Pixels<Storage>(buffer(), 0).read_channel(static_cast<int>(i), c); });
  }
  // Kernels use one buffer type for source and target; they never write through a source view.
  PixelBuffer buffer() const {
    return {const_cast<std::byte*>(bytes.data()), size.width, size.height, size.width, size.height};
  }
};

// The size of a YUV image's bytes, seen as a gray8 image.
constexpr Size2 yuv_rows(YuvOrder order, Size2 size) {
  const int even = size.width + size.width % 2;
  switch (order) {
    case YuvOrder::planes_420:
    case YuvOrder::pairs_420: return {even, size.height + (size.height + 1) / 2};
    case YuvOrder::planes_422: return {even, 2 * size.height};
    default: return {2 * even, size.height};
  }
}

// A part of an image.
struct ImagePart {
  Point2 at;  // position of its first pixel in the whole image
  HostImage image;
};

}  // namespace conv
