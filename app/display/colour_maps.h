// False colours for differences: maps of evenly rising lightness, and a signed map. Shader, legend and tests use the
// same table.
#pragma once
#include <array>

#include "app/display/gl_object.h"
#include "app/model/settings.h"

namespace conv {

// The colour of a value from 0 to 1, as levels. Signed maps have their middle at 0.5.
std::array<unsigned char, 3> colour_of(ColourMap map, double value);
// All maps as a texture, one row each, in the order of the enumeration.
constexpr int colour_map_entries = 256;
GlTexture colour_map_texture();

}  // namespace conv
