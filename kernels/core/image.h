// Pixel types and images in host memory.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/api/conv_args.h"
#include "kernels/core/geometry.h"

enum class PixelType { f32, rgba8, rgba32f };

struct PixelTypeInfo {
  PixelType type;
  std::string_view id, title, cpp_name;  // cpp_name: as kernels spell it
  int bytes, channels;
  float one;  // what 1.0 of a control or an option means in this type's own unit
};

inline constexpr std::array pixel_types{
    PixelTypeInfo{PixelType::f32, "f32", "F32 luma", "float", 4, 1, 1.0f},
    PixelTypeInfo{PixelType::rgba8, "rgba8", "RGBA8", "Rgba8", 4, 4, 255.0f},
    PixelTypeInfo{PixelType::rgba32f, "rgba32f", "RGBA32F", "Rgba32f", 16, 4, 1.0f},
};
constexpr const PixelTypeInfo& info(PixelType type) {
  return pixel_types[static_cast<std::size_t>(type)];
}

constexpr bool is_8_bit(PixelType type) {
  return info(type).one == 255.0f;
}

// Calls make.operator()<Pixel>() with the C++ type of the pixel type.
template <class Make>
auto for_pixel(PixelType type, Make make) {
  switch (type) {
    case PixelType::f32: return make.template operator()<float>();
    case PixelType::rgba8: return make.template operator()<Rgba8>();
    case PixelType::rgba32f: return make.template operator()<Rgba32f>();
  }
  return make.template operator()<float>();
}

// The float type that holds sums of a pixel type between two passes.
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
  // Kernels take one buffer type for source and target; they never write through a source view.
  PixelBuffer buffer() const { return {const_cast<std::byte*>(bytes.data()), size.width, size.height, size.width}; }
};
