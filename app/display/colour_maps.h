// False colour for differences: maps whose lightness grows evenly, and a signed one. One table for shader, legend,
// tests.
#pragma once
#include <array>

#include "app/display/gl_object.h"
#include "app/model/settings.h"

namespace conv {

// The colour of a value from 0 to 1, as levels. Signed maps have their middle at 0.5.
std::array<unsigned char, 3> colour_of(ColourMap map, double value);
// All maps as a texture: a row each, in the order of the enumeration.
constexpr int colour_map_entries = 256;
GlTexture colour_map_texture();

}  // namespace conv
