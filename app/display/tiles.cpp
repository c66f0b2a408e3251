#include "app/display/tiles.h"

#include <algorithm>

#include "app/display/gl_format.h"

namespace conv {

Tiling tiling_of(Size2 size, int most) {
  const auto side = [most](int length) { return ceil_div(length, ceil_div(length, most)); };
  return {size, {side(size.width), side(size.height)}};
}

std::vector<TilePart> parts_of(const Tiling& tiling, PixelType type, Point2 at, Size2 region) {
  constexpr long long most_bytes = 256 << 20;
  const Size2 tile = tiling.tile;
  const long long row_bytes = static_cast<long long>(region.width) * info(type).bytes;
  const int most_rows = static_cast<int>(std::clamp<long long>(most_bytes / row_bytes, 1, region.height));
  std::vector<TilePart> parts;
  for (int y = at.y; y < at.y + region.height;) {
    const int rows = std::min({tile.height - y % tile.height, at.y + region.height - y, most_rows});
    for (int x = at.x; x < at.x + region.width;) {
      const int columns = std::min(tile.width - x % tile.width, at.x + region.width - x);
      parts.push_back({.layer = y / tile.height * tiling.columns() + x / tile.width,
                       .at = {x % tile.width, y % tile.height},
                       .from = {x - at.x, y - at.y},
                       .size = {columns, rows}});
      x += columns;
    }
    y += rows;
  }
  return parts;
}

// Where a part begins in the memory of its region.
static std::ptrdiff_t offset_of(const TilePart& part, int region_width, PixelType type) {
  return (static_cast<std::ptrdiff_t>(part.from.y) * region_width + part.from.x) * info(type).bytes;
}

void write_texels(const TiledTexture& texture, const HostImage& image) {
  const GlFormat format = gl_format(image.type);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, image.size.width);
  for (const TilePart& part : parts_of(texture.tiling, image.type, {}, image.size))
    glTextureSubImage3D(texture.name, 0, part.at.x, part.at.y, part.layer, part.size.width, part.size.height, 1,
                        format.format, format.type, image.bytes.data() + offset_of(part, image.size.width, image.type));
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
}

// In the texture's own type: a driver converts on the CPU, which takes more than a millisecond.
void read_texels(const TiledTexture& texture, PixelType type, Point2 at, Size2 region, std::byte* to) {
  const GlFormat format = gl_format(type);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glPixelStorei(GL_PACK_ROW_LENGTH, region.width);
  for (const TilePart& part : parts_of(texture.tiling, type, at, region)) {
    const int bytes = ((part.size.height - 1) * region.width + part.size.width) * info(type).bytes;
    glGetTextureSubImage(texture.name, 0, part.at.x, part.at.y, part.layer, part.size.width, part.size.height, 1,
                         format.format, format.type, bytes, to + offset_of(part, region.width, type));
  }
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
}

}  // namespace conv
