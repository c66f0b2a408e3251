// Where a wrong result is wrong: it says more about the mistake than how wrong it is.
#pragma once
#include <optional>

#include "kernels/core/plan.h"
#include "kernels/cpu/reference.h"

namespace conv {

// From the most to the least special.
enum class WrongPixels {
  picture_edge,  // all are within the filter's radius of the edge of the picture
  block_edges,   // all are within the radius of the edge of a block
  moved,         // away from the edge, the result is the right one, moved by one pixel
  anywhere,
};

// result: wrong, of the format f32 and of the reference's size. block: the pixels that one block writes. None if the
// picture is too small to tell: if every pixel is that close to an edge.
std::optional<WrongPixels> wrong_pixels(const HostImage& result, const Reference& reference, Size2 block, Size2 radius);

}  // namespace conv
