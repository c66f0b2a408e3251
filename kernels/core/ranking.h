// Which variants were the fastest for one job, as it was measured on the processor at hand.
#pragma once
#include <string>
#include <vector>

#include "kernels/core/filter.h"
#include "kernels/core/geometry.h"
#include "kernels/core/image.h"

namespace conv {

// What is known of a matrix decides who can take it: all taps equal, a row times a column, or neither.
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
