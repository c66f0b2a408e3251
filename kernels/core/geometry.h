// Sizes, points and rectangles in pixels, threads or blocks.
#pragma once
#include <string>

namespace conv {

struct Size2 {
  int width = 0, height = 0;
  friend constexpr bool operator==(Size2, Size2) = default;
  constexpr long long area() const { return static_cast<long long>(width) * height; }
};

struct Point2 {
  int x = 0, y = 0;
  friend constexpr bool operator==(Point2, Point2) = default;
};

constexpr int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

// "1920×1080".
std::string size_text(Size2 size);

// The smallest number of tiles that covers the image.
constexpr Size2 covering(Size2 image, Size2 tile) {
  return {ceil_div(image.width, tile.width), ceil_div(image.height, tile.height)};
}

}  // namespace conv
