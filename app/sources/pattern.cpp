#include "app/sources/pattern.h"

#include <cmath>
#include <numbers>
#include <random>
#include <string_view>

#include "app/sources/frames.h"
#include "app/sources/raster_font.h"

namespace conv {

namespace {

constexpr int square_px = 64;  // of the checkerboard
constexpr unsigned char slide_levels[3][3] = {{165, 95, 215}, {222, 144, 199}, {255, 172, 83}};

constexpr Rgb8 grey(unsigned char v) {
  return {v, v, v};
}

// cos of a phase that grows with the square of the distance: the frequency reaches Nyquist at the nearer edge.
Rgb8 zone_plate(int x, int y, Size2 size) {
  const double dx = x - size.width / 2, dy = y - size.height / 2;
  const double reach = std::min(size.width, size.height);
  return grey(to_level(static_cast<float>(127.5 + 127.5 * std::cos(std::numbers::pi * (dx * dx + dy * dy) / reach))));
}

Rgb8 gradient(int x, int y, Size2 size) {
  const auto ramp = [](int i, int n) { return static_cast<unsigned char>(n > 1 ? 255ll * i / (n - 1) : 0); };
  return {ramp(x, size.width), ramp(y, size.height), static_cast<unsigned char>(255 - ramp(x, size.width))};
}

// Lines of letters with strokes from 12 px to 1 px, repeated.
Rgb8 text(int x, int y) {
  struct Line {
    int stroke;  // px
    std::string_view words;
  };
  static constexpr Line lines[] = {{12, "CONVOSCOPE "},
                                   {8, "EVERY PIXEL IS A SUM "},
                                   {6, "OF ITS NEIGHBOURS AND OF ITSELF "},
                                   {4, "TAPS WEIGH WHAT THE WINDOW MEETS "},
                                   {3, "HOW SMALL CAN YOU STILL READ A LINE "},
                                   {2, "AFTER THE FILTER HAS GONE OVER IT "},
                                   {1, "AND WHAT COMES BACK WHEN IT IS SHARPENED "}};
  constexpr int letter_columns = 6, line_rows = 10;
  constexpr int period = [] {
    int rows = 0;
    for (const Line& one : lines) rows += one.stroke * line_rows;
    return rows;
  }();
  int below = y % period;
  const Line* line = lines;
  for (; below >= line->stroke * line_rows; ++line) below -= line->stroke * line_rows;
  const int column = x / line->stroke, row = below / line->stroke - 2;
  const char letter = line->words[static_cast<std::size_t>(column / letter_columns) % line->words.size()];
  const bool dark = row >= 0 && row < 7 && column % letter_columns < 5 && ink(letter, column % letter_columns, row);
  return grey(dark ? 24 : 250);
}

}  // namespace

Picture make_pattern(PatternKind kind, Size2 size, std::uint32_t seed) {
  if (kind == PatternKind::moving_scene) {
    Frame frame;
    static_cast<void>((*moving_scene(size)({}))->next(frame, {}));  // neither can fail
    frame.picture.name = info(kind).title;
    return std::move(frame.picture);
  }
  if (info(kind).only.area() > 0) size = info(kind).only;
  Picture picture{.size = size, .channels = 3};
  picture.levels.reserve(picture.samples());
  std::mt19937 random(seed);
  const auto random_pixel = [&]() -> Rgb8 {
    const std::uint32_t bits = random();
    return {static_cast<unsigned char>(bits), static_cast<unsigned char>(bits >> 8),
            static_cast<unsigned char>(bits >> 16)};
  };
  const auto pixel = [&](int x, int y) -> Rgb8 {
    switch (kind) {
      case PatternKind::checkerboard: return grey((x / square_px + y / square_px) % 2 ? 255 : 0);
      case PatternKind::noise: return random_pixel();
      case PatternKind::gradient: return gradient(x, y, size);
      case PatternKind::impulse: return grey(x == size.width / 2 && y == size.height / 2 ? 255 : 0);
      case PatternKind::zone_plate: return zone_plate(x, y, size);
      case PatternKind::text: return text(x, y);
      case PatternKind::slide: return grey(slide_levels[y][x]);
      case PatternKind::moving_scene: break;
    }
    return {};
  };
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const Rgb8 p = pixel(x, y);
      picture.levels.insert(picture.levels.end(), {p.r, p.g, p.b});
    }
  picture.name = info(kind).title;
  return picture;
}

}  // namespace conv
