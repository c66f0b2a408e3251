#include "app/check/wrong_pixels.h"

#include <cmath>

namespace conv {

namespace {

// Whether i is among the first or the last `radius` of n.
bool is_close(int i, int n, int radius) {
  return i < radius || i >= n - radius;
}

class Comparison {
 public:
  Comparison(const HostImage& result, const Reference& reference)
      : result_(result.pixels<float>()), reference_(reference) {}
  bool same(Point2 at, Point2 in_reference) const {
    const double exact = reference_.values[index(in_reference)];
    return std::fabs(result_[index(at)] - exact) <= 1e-5 * std::max(1.0, reference_.tap_magnitude);
  }

 private:
  std::size_t index(Point2 at) const { return static_cast<std::size_t>(at.y) * reference_.size.width + at.x; }
  const float* result_;
  const Reference& reference_;
};

}  // namespace

std::optional<WrongPixels> wrong_pixels(const HostImage& result, const Reference& reference, Size2 block,
                                        Size2 radius) {
  const Size2 size = reference.size;
  const Comparison comparison(result, reference);
  // Of the pixels away from the edges of the picture, and from those of a block.
  int inner = 0, inner_wrong = 0, inside_blocks = 0, inside_blocks_wrong = 0;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      if (is_close(x, size.width, radius.width) || is_close(y, size.height, radius.height)) continue;
      const bool wrong = !comparison.same({x, y}, {x, y});
      ++inner, inner_wrong += wrong;
      if (is_close(x % block.width, block.width, radius.width) ||
          is_close(y % block.height, block.height, radius.height))
        continue;
      ++inside_blocks, inside_blocks_wrong += wrong;
    }
  if (inner == 0) return std::nullopt;
  if (inner_wrong == 0) return WrongPixels::picture_edge;
  if (inside_blocks == 0) return std::nullopt;
  if (inside_blocks_wrong == 0) return WrongPixels::block_edges;
  for (const Point2 by : {Point2{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}}) {
    bool is_moved = true;
    for (int y = radius.height + 1; is_moved && y < size.height - radius.height - 1; ++y)
      for (int x = radius.width + 1; is_moved && x < size.width - radius.width - 1; ++x)
        is_moved = comparison.same({x, y}, {x + by.x, y + by.y});
    if (is_moved) return WrongPixels::moved;
  }
  return WrongPixels::anywhere;
}

}  // namespace conv
