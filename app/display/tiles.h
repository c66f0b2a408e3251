// How a picture lies in an array texture. OpenGL limits the sides of a texture, so a larger picture is divided into
// tiles of equal size: one per layer, row by row. The last ones of a row or column may be partly unused.
#pragma once
#include <glad/gl.h>

#include <vector>

#include "kernels/core/image.h"

namespace conv {

struct Tiling {
  Size2 size{1, 1}, tile{1, 1};  // of the picture, and of a tile
  int columns() const { return ceil_div(size.width, tile.width); }
  int count() const { return columns() * ceil_div(size.height, tile.height); }
  friend bool operator==(const Tiling&, const Tiling&) = default;
};
// most: the longest side of a texture. Pictures within it are one tile.
Tiling tiling_of(Size2 size, int most);

// A part of a region that lies in one tile. It is at most 256 MB large: OpenGL counts bytes in 32 bits.
struct TilePart {
  int layer = 0;
  Point2 at;    // in the tile
  Point2 from;  // in the region
  Size2 size;
};
std::vector<TilePart> parts_of(const Tiling& tiling, PixelType type, Point2 at, Size2 region);

// What a shader needs to read a picture: tiles.glsl.
struct TiledTexture {
  GLuint name = 0;
  Tiling tiling;
  void bind(GLuint unit) const { glBindTextureUnit(unit, name); }
  // For the program in use.
  void set_tiles() const { glUniform3i(10, tiling.tile.width, tiling.tile.height, tiling.columns()); }
  friend bool operator==(const TiledTexture&, const TiledTexture&) = default;
};

// Writes a whole picture.
void write_texels(const TiledTexture& texture, const HostImage& image);
// Reads a region, its rows one after the other, into `to`: an address, or the offset 0 in the buffer that is bound to
// GL_PIXEL_PACK_BUFFER.
void read_texels(const TiledTexture& texture, PixelType type, Point2 at, Size2 region, std::byte* to);

}  // namespace conv
