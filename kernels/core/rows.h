// Where the rows of an image are in its memory, for code that copies them.
#pragma once
#include <cstddef>

#include "kernels/core/image.h"

namespace conv {

// The number of separate pieces of memory of an image: one, or one per channel for planar types.
constexpr int planes_of(PixelType type) {
  return is_planar(type) ? info(type).channels : 1;
}
// Bytes of a pixel within one plane.
constexpr std::size_t plane_pixel_bytes(PixelType type) {
  return static_cast<std::size_t>(info(type).bytes / planes_of(type));
}
// The distance between rows of a plane, in bytes.
inline std::size_t pitch_of(const PixelBuffer& image, PixelType type) {
  return static_cast<std::size_t>(image.stride_px) * plane_pixel_bytes(type);
}
inline std::byte* row_of(const PixelBuffer& image, PixelType type, int plane, int y) {
  return static_cast<std::byte*>(image.data) +
         (static_cast<std::size_t>(plane) * image.plane_rows + y) * pitch_of(image, type);
}

}  // namespace conv
