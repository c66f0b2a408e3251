#include "app/display/colour_maps.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace conv {

namespace {

struct Level {
  int r, g, b;
};
// Eleven points at equal distances; colours between them are interpolated. Cividis: Nuñez, Anderton and Renslow 2018.
// Viridis and magma: van der Walt and Smith 2015. The last one goes from lane B's colour through nearly black to lane
// A's.
constexpr std::array<std::array<Level, 11>, colour_maps.size()> points{{
    {{{0, 32, 81},
      {10, 50, 106},
      {43, 68, 110},
      {77, 86, 109},
      {105, 105, 112},
      {127, 124, 117},
      {148, 143, 120},
      {173, 164, 118},
      {202, 186, 106},
      {234, 209, 86},
      {253, 234, 69}}},
    {{{68, 1, 84},
      {72, 36, 117},
      {65, 68, 135},
      {53, 95, 141},
      {42, 120, 142},
      {33, 145, 140},
      {34, 168, 132},
      {68, 191, 112},
      {122, 209, 81},
      {189, 223, 38},
      {253, 231, 37}}},
    {{{0, 0, 4},
      {20, 14, 54},
      {59, 15, 112},
      {100, 26, 128},
      {140, 41, 129},
      {183, 55, 121},
      {222, 73, 104},
      {247, 112, 92},
      {254, 159, 109},
      {254, 207, 146},
      {252, 253, 191}}},
    {{{86, 180, 233},
      {72, 147, 190},
      {58, 115, 147},
      {44, 83, 105},
      {32, 51, 62},
      {19, 21, 24},
      {62, 47, 19},
      {104, 75, 14},
      {146, 102, 9},
      {188, 131, 5},
      {230, 159, 0}}},
}};

}  // namespace

std::array<unsigned char, 3> colour_of(ColourMap map, double value) {
  const auto& list = points[static_cast<std::size_t>(map)];
  const double at = std::clamp(value, 0.0, 1.0) * (list.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), list.size() - 2);
  const double part = at - static_cast<double>(below);
  const auto mixed = [&](int Level::*c) {
    return static_cast<unsigned char>(std::lround((1 - part) * (list[below].*c) + part * (list[below + 1].*c)));
  };
  return {mixed(&Level::r), mixed(&Level::g), mixed(&Level::b)};
}

GlTexture colour_map_texture() {
  std::vector<unsigned char> levels;
  for (const ColourMapInfo& map : colour_maps)
    for (int i = 0; i < colour_map_entries; ++i) {
      const auto colour = colour_of(map.map, static_cast<double>(i) / (colour_map_entries - 1));
      levels.insert(levels.end(), {colour[0], colour[1], colour[2], 255});
    }
  GLuint name = 0;
  glCreateTextures(GL_TEXTURE_2D, 1, &name);
  glTextureStorage2D(name, 1, GL_RGBA8, colour_map_entries, static_cast<GLsizei>(colour_maps.size()));
  glTextureSubImage2D(name, 0, 0, 0, colour_map_entries, static_cast<GLsizei>(colour_maps.size()), GL_RGBA,
                      GL_UNSIGNED_BYTE, levels.data());
  return GlTexture(name);
}

}  // namespace conv
