// Which variants were fastest for one job, as measured on this processor.
#pragma once
#include <string>
#include <vector>

#include "kernels/core/filter.h"
#include "kernels/core/geometry.h"
#include "kernels/core/image.h"

namespace conv {

// The shape of a matrix decides which variants can use it: all taps equal, a column times a row, or neither.
enum class FilterShape { box, separable, full };
inline FilterShape shape_of(const Taps& taps) {
  return taps.equal() ? FilterShape::box : taps.separable() ? FilterShape::separable : FilterShape::full;
}

struct Ranking {
  PixelType format;
  Size2 image, window;
  FilterShape shape;
  struct Lane {
    std::string variant;
    float ms;
  };
  std::vector<Lane> lanes;  // the fastest first
};

}  // namespace conv
