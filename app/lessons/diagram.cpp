#include "app/lessons/diagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "kernels/core/geometry.h"
#include "kernels/core/number_text.h"
#include "kernels/core/units.h"

namespace conv {

namespace {

using Kind = DiagramShape::Kind;
using Labels = std::span<const std::string>;

constexpr float width = 30;  // of every picture
constexpr int lanes = 32;    // threads of a warp, and banks
constexpr std::array colours{Tone::first, Tone::quiet, Tone::second};

class Canvas {
 public:
  explicit Canvas(float height) { diagram_ = {.width = width, .height = height}; }

  void box(float x, float y, float w, float h, Tone tone) { add({Kind::box, x, y, w, h, tone}); }
  void frame(float x, float y, float w, float h, Tone tone) { add({Kind::frame, x, y, w, h, tone}); }
  void line(float x, float y, float to_x, float to_y, Tone tone) { add({Kind::line, x, y, to_x - x, to_y - y, tone}); }
  void words(float x, float y, std::string text, Tone tone = Tone::text, float align = 0) {
    add({Kind::words, x, y, 0, 0, tone, std::move(text), align});
  }
  // Cells with a gap between them; tone: of the cell at a column and a row.
  template <class ToneOf>
  void cells(float x, float y, float side, Size2 count, ToneOf tone) {
    for (int row = 0; row < count.height; ++row)
      for (int column = 0; column < count.width; ++column)
        box(x + side * static_cast<float>(column), y + side * static_cast<float>(row), 0.86f * side, 0.86f * side,
            tone(column, row));
  }
  // What the colours mean, below the picture.
  void legend(Labels labels) {
    const float y = diagram_.height - 0.5f, step = width / static_cast<float>(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const float x = step * static_cast<float>(i);
      box(x, y - 0.35f, 0.7f, 0.7f, colours[i]);
      words(x + 1.1f, y, labels[i]);
    }
  }
  Diagram done() { return std::move(diagram_); }

 private:
  void add(DiagramShape shape) { diagram_.shapes.push_back(std::move(shape)); }
  Diagram diagram_;
};

float side_of(Size2 count, float most_width, float most_height) {
  return std::min(most_width / static_cast<float>(count.width), most_height / static_cast<float>(count.height));
}
int radius_of(const LessonFacts& facts) {
  return facts.settings.filter.radius;
}
const KernelStep* kernel_of(const LessonFacts& facts) {
  return facts.plans[0] ? first_kernel(*facts.plans[0]) : nullptr;
}
int side_of_window(int radius) {
  return 2 * radius + 1;
}
int area_of_window(int radius) {
  return side_of_window(radius) * side_of_window(radius);
}
std::string times(int a, int b) {
  return fmt::format("{}×{}", a, b);
}

// The window as a whole, and as a row and a column.
std::optional<Diagram> passes(const LessonFacts& facts, Labels) {
  const int side = side_of_window(radius_of(facts));
  Canvas c(9);
  const float cell = 7 / static_cast<float>(side);
  const auto all = [](Tone tone) { return [tone](int, int) { return tone; }; };
  c.cells(2, 0.5f, cell, {side, side}, all(Tone::first));
  c.words(5.5f, 8.3f, fmt::format("{} = {}", times(side, side), side * side), Tone::text, 0.5f);
  c.cells(14, 4 - cell / 2, cell, {side, 1}, all(Tone::second));
  c.words(22, 4, "+", Tone::text, 0.5f);
  c.cells(23.5f, 0.5f, cell, {1, side}, all(Tone::second));
  c.words(19, 8.3f, fmt::format("{} + {} = {}", side, side, 2 * side), Tone::text, 0.5f);
  return c.done();
}

// A pixel of the result with its window, and the numbers of the taps.
std::optional<Diagram> window(const LessonFacts& facts, Labels labels) {
  const int radius = std::min(radius_of(facts), 2), side = side_of_window(radius);
  constexpr Size2 picture{11, 7};
  constexpr Point2 pixel{4, 3};
  constexpr float cell = 1.25f;
  const float wide = 8.7f / static_cast<float>(side);
  const auto at = [](int place) { return 0.3f + cell * static_cast<float>(place); };
  Canvas c(10.6f);
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) {
      const int away = std::max(std::abs(x - pixel.x), std::abs(y - pixel.y));
      if (away > radius)
        c.frame(at(x), at(y), 0.86f * cell, 0.86f * cell, Tone::outline);
      else
        c.box(at(x), at(y), 0.86f * cell, 0.86f * cell, away == 0 ? Tone::quiet : Tone::first);
    }
  for (int i = 0; i < side * side; ++i) {
    const float x = 19 + wide * static_cast<float>(i % side), y = 0.3f + wide * static_cast<float>(i / side);
    c.frame(x, y, 0.9f * wide, 0.9f * wide, Tone::first);
    c.words(x + 0.45f * wide, y + 0.45f * wide, std::to_string(i), Tone::text, 0.5f);
  }
  c.legend(labels);
  return c.done();
}

// A row of pixels, and which pixel is taken for each that is read beyond its ends.
std::optional<Diagram> clamp(const LessonFacts&, Labels labels) {
  constexpr int pixels = 6, beyond = 2;
  constexpr float wide = width / (pixels + 2 * beyond);
  Canvas c(5.6f);
  for (int i = -beyond; i < pixels + beyond; ++i) {
    const float x = wide * static_cast<float>(i + beyond);
    c.words(x + 0.43f * wide, 0.6f, fmt::format("x {}", i), Tone::quiet, 0.5f);
    c.box(x, 1.3f, 0.86f * wide, 1, i >= 0 && i < pixels ? Tone::first : Tone::quiet);
    c.words(x + 0.43f * wide, 3.1f, std::to_string(std::clamp(i, 0, pixels - 1)), Tone::text, 0.5f);
  }
  c.legend(labels);
  return c.done();
}

// The pixels of a tile with its apron, by the load that brings them if the threads take them in one line.
std::optional<Diagram> loads(const LessonFacts& facts, Labels labels) {
  const KernelStep* step = kernel_of(facts);
  if (!step) return std::nullopt;
  const Size2 staged = staged_by(*step);
  Canvas c(10.2f);
  c.cells(0.3f, 0.3f, side_of(staged, 17, 8), staged, [&](int column, int row) {
    return row * staged.width + column < step->block.area() ? Tone::first : Tone::quiet;
  });
  c.words(18.5f, 1.5f, fmt::format("{} = {}", times(staged.width, staged.height), staged.area()));
  c.words(18.5f, 3.1f,
          fmt::format("{} = {} + {}", staged.area(), step->block.area(), staged.area() - step->block.area()));
  c.legend(labels);
  return c.done();
}

// The pixels that a warp reads at once, above the sectors of 32 bytes that they lie in.
std::optional<Diagram> sectors(const LessonFacts& facts, Labels) {
  const KernelStep* step = kernel_of(facts);
  if (!step) return std::nullopt;
  constexpr int sector = 32, most_rows = 4;
  const int bytes = info(facts.plans[0]->format).bytes, in_row = std::min(lanes, step->block.width);
  const int rows = ceil_div(lanes, in_row), shown = std::min(rows, most_rows);
  const int begin = in_row * bytes % sector, end = begin + in_row * bytes;  // of the second block in a row
  const int touched = ceil_div(end, sector);
  const float scale = (width - 5) / static_cast<float>(touched * sector);
  const float below = 0.3f + 2 * static_cast<float>(shown);
  Canvas c(below + 1);
  for (int row = 0; row < shown; ++row) {
    const float y = 0.3f + 2 * static_cast<float>(row);
    for (int i = 0; i < in_row; ++i)
      c.box(scale * static_cast<float>(begin + i * bytes), y, 0.86f * scale * static_cast<float>(bytes), 0.7f,
            Tone::first);
    for (int i = 0; i < touched; ++i)
      c.frame(scale * static_cast<float>(i * sector), y + 0.8f, 0.96f * scale * sector, 0.7f, Tone::outline);
    c.words(width, y + 0.8f, fmt::format("{} × 32 B", touched), Tone::text, 1);
  }
  c.words(width, below + 0.4f, fmt::format("{} × {} = {}", rows, touched, rows * touched), Tone::text, 1);
  return c.done();
}

std::optional<Diagram> apron(const LessonFacts& facts, Labels) {
  const KernelStep* step = kernel_of(facts);
  if (!step) return std::nullopt;
  const Size2 staged = staged_by(*step);
  const float cell = side_of(staged, 17, 8);
  const auto w = [cell](int pixels) { return cell * static_cast<float>(pixels); };
  Canvas c(8.6f);
  c.box(0.3f, 0.3f, w(staged.width), w(staged.height), Tone::second);
  c.box(0.3f + w(step->apron.width), 0.3f + w(step->apron.height), w(step->tile.width), w(step->tile.height),
        Tone::first);
  c.box(18.5f, 1.1f, 0.7f, 0.7f, Tone::first);
  c.words(19.6f, 1.5f, fmt::format("{} = {}", times(step->tile.width, step->tile.height), step->tile.area()));
  c.box(18.5f, 2.7f, 0.7f, 0.7f, Tone::second);
  c.words(19.6f, 3.1f, fmt::format("{} = {}", times(staged.width, staged.height), staged.area()));
  c.words(19.6f, 5.1f,
          fmt::format("{} / {} = {}", staged.area(), step->tile.area(),
                      three_digits(static_cast<double>(staged.area()) / static_cast<double>(step->tile.area()))));
  return c.done();
}

// The threads of a block inside the picture, and of the last one, whose tile may reach beyond the picture.
std::optional<Diagram> idle(const LessonFacts& facts, Labels labels) {
  const KernelStep* step = kernel_of(facts);
  if (!step) return std::nullopt;
  const Size2 block = step->block, tile = step->tile, image = facts.plans[0]->written_by(*step);
  const Size2 writing{std::min(block.width, tile.width), std::min(block.height, tile.height)};
  const Point2 margin{(block.width - writing.width) / 2, (block.height - writing.height) / 2};
  const Size2 last{image.width - (step->grid.width - 1) * tile.width,
                   image.height - (step->grid.height - 1) * tile.height};
  Canvas c(9.5f);
  const float cell = side_of(block, 13, 7);
  for (int part = 0; part < 2; ++part) {
    int count = 0;
    c.cells(part == 0 ? 0.3f : 16.0f, 0.3f, cell, block, [&](int column, int row) {
      const Point2 at{column - margin.x, row - margin.y};
      const bool in_tile = at.x >= 0 && at.y >= 0 && at.x < writing.width && at.y < writing.height;
      const bool writes = in_tile && (part == 0 || (at.x < last.width && at.y < last.height));
      count += writes;
      return writes ? Tone::first : Tone::quiet;
    });
    c.words(part == 0 ? 0.3f : 16.0f, 7.9f, fmt::format("{} / {}", count, block.area()));
  }
  c.legend(labels);
  return c.done();
}

// A warp, and one weight that all its threads read.
std::optional<Diagram> broadcast(const LessonFacts&, Labels labels) {
  Canvas c(7);
  const float step = width / lanes, middle = width / 2;
  for (int i = 0; i < lanes; ++i) {
    const float x = step * static_cast<float>(i);
    c.box(x, 0.3f, 0.86f * step, 0.8f, Tone::first);
    c.line(x + 0.43f * step, 1.2f, middle, 3.9f, Tone::outline);
  }
  c.box(middle - 0.6f, 4, 1.2f, 1, Tone::quiet);
  c.legend(labels);
  return c.done();
}

// The words of a tile that a warp reads at once, above their banks.
std::optional<Diagram> banks(const LessonFacts& facts, Labels) {
  const KernelStep* step = kernel_of(facts);
  if (!step || step->shared_bytes == 0 || info(facts.plans[0]->format).bytes != 4) return std::nullopt;
  const int in_row = std::min(lanes, step->block.width), pitch = staged_by(*step).width;
  const auto bank_of = [&](int thread) { return (thread / in_row * pitch + thread % in_row) % lanes; };
  std::array<int, lanes> used{};
  for (int i = 0; i < lanes; ++i) ++used[bank_of(i)];
  const int turns = *std::ranges::max_element(used);
  const float wide = width / lanes, top = 0.3f, word = std::min(1.0f, 6 / static_cast<float>(turns));
  Canvas c(word * static_cast<float>(turns) + 3.2f);
  const float floor = top + word * static_cast<float>(turns);
  std::array<int, lanes> filled{};
  for (int i = 0; i < lanes; ++i) {
    const int bank = bank_of(i), below = filled[bank]++;
    c.box(wide * static_cast<float>(bank), floor - word * static_cast<float>(below + 1), 0.86f * wide, 0.86f * word,
          below == 0 ? Tone::first : Tone::bad);
  }
  for (int i = 0; i < lanes; ++i)
    c.frame(wide * static_cast<float>(i), floor + 0.2f, 0.86f * wide, 0.7f, Tone::outline);
  for (const int bank : {0, 8, 16, 24, 31})
    c.words(wide * (static_cast<float>(bank) + 0.43f), floor + 1.6f, std::to_string(bank), Tone::quiet, 0.5f);
  c.words(width, floor + 2.5f, fmt::format("{} ×", turns), turns == 1 ? Tone::first : Tone::bad, 1);
  return c.done();
}

// The warps of a block arrive at a barrier one after the other.
std::optional<Diagram> barrier(const LessonFacts&, Labels labels) {
  constexpr float arrivals[] = {9, 13, 10.5f, 16};
  constexpr float last = 16;
  Canvas c(7.4f);
  float y = 0.4f;
  for (const float arrives : arrivals) {
    c.box(0, y, arrives, 1, Tone::first);
    if (arrives < last) c.box(arrives + 0.1f, y + 0.3f, last - arrives - 0.2f, 0.4f, Tone::quiet);
    c.box(last + 0.3f, y, 12, 1, Tone::second);
    y += 1.3f;
  }
  c.line(last + 0.1f, 0, last + 0.1f, y, Tone::text);
  c.legend(labels);
  return c.done();
}

// The warps that a multiprocessor holds at once, with whole blocks in a row. Neighbouring blocks have two colours.
std::optional<Diagram> residency(const LessonFacts& facts, Labels) {
  const KernelStep* step = kernel_of(facts);
  const auto blocks = resident_blocks(facts, 0);
  if (!step || !blocks) return std::nullopt;
  const int warps = ceil_div(static_cast<int>(step->block.area()), lanes);
  const int most = facts.multiprocessor->threads / lanes, held = *blocks * warps;
  const int blocks_in_row = std::max(1, 16 / warps), columns = blocks_in_row * warps;
  const float wide = 29 / static_cast<float>(columns), high = 6.4f / std::ceil(static_cast<float>(most) / columns);
  Canvas c(8.4f);
  for (int i = 0; i < most; ++i) {
    const int row = i / columns, block = i / warps;
    const float x = wide * static_cast<float>(i % columns), y = 0.3f + high * static_cast<float>(row);
    const bool second = (block + (blocks_in_row % 2 == 0 ? row : 0)) % 2 == 1;
    if (i < held)
      c.box(x, y, 0.88f * wide, 0.88f * high, second ? Tone::second : Tone::first);
    else
      c.frame(x, y, 0.88f * wide, 0.88f * high, Tone::outline);
  }
  c.words(0, 7.7f, fmt::format("{} × {} = {} / {}", *blocks, warps, held, most));
  return c.done();
}

// Multiplications for a pixel, by radius.
std::optional<Diagram> intensity(const LessonFacts& facts, Labels) {
  const int radius = radius_of(facts), most = std::max(8, radius);
  const float step = width / static_cast<float>(most);
  Canvas c(9);
  for (int r = 1; r <= most; ++r) {
    const float height = 6.5f * static_cast<float>(area_of_window(r)) / static_cast<float>(area_of_window(most));
    const float x = step * static_cast<float>(r - 1);
    c.box(x, 7.7f - height, 0.8f * step, height, r == radius ? Tone::first : Tone::quiet);
    if (r == radius || most <= 12)
      c.words(x + 0.4f * step, 8.4f, std::to_string(r), r == radius ? Tone::text : Tone::quiet, 0.5f);
    if (r == radius) c.words(x + 0.4f * step, 7.0f - height, std::to_string(area_of_window(r)), Tone::text, 0.5f);
  }
  return c.done();
}

// The parts of a program before and after one of them becomes faster.
std::optional<Diagram> amdahl(const LessonFacts& facts, Labels labels) {
  const auto ratio = lesson_value("ratio", facts), whole = lesson_value("whole", facts);
  if (!ratio || !whole) return std::nullopt;
  constexpr float all = 24;
  const float part = all * static_cast<float>(amdahl_share);
  Canvas c(6);
  float y = 0.4f;
  for (const double faster : {1.0, ratio->number}) {
    const float filter = part / static_cast<float>(faster);
    c.box(0, y, filter, 1.4f, Tone::first);
    c.box(filter + 0.1f, y, all - part, 1.4f, Tone::quiet);
    c.words(filter + 0.6f + all - part, y + 0.7f, faster == 1.0 ? "1 ×" : whole->text + " ×");
    y += 2;
  }
  c.legend(labels);
  return c.done();
}

// A start that takes as long as the work for 256x256 pixels.
std::optional<Diagram> launch(const LessonFacts&, Labels labels) {
  constexpr int sides[] = {256, 512, 1024};
  constexpr float unit = 1.3f;
  Canvas c(7);
  float y = 0.4f;
  for (const int side : sides) {
    const auto parts = static_cast<float>(side / 256 * (side / 256));
    c.words(4.4f, y + 0.6f, times(side, side), Tone::text, 1);
    c.box(5, y, unit, 1.2f, Tone::first);
    c.box(5.1f + unit, y, unit * parts, 1.2f, Tone::quiet);
    y += 1.7f;
  }
  c.legend(labels);
  return c.done();
}

std::optional<Diagram> first_launch(const LessonFacts& facts, Labels labels) {
  if (!facts.first_ms[0] || !facts.ms[0]) return std::nullopt;
  const std::array ms{*facts.first_ms[0], *facts.ms[0]};
  Canvas c(6);
  for (std::size_t i = 0; i < 2; ++i) {
    const float length = 22 * static_cast<float>(ms[i] / std::max(ms[0], ms[1])), y = 0.4f + 2 * static_cast<float>(i);
    c.box(0, y, length, 1.4f, colours[i]);
    c.words(length + 0.5f, y + 0.7f, three_digits(ms[i]) + " ms");
  }
  c.legend(labels);
  return c.done();
}

// Multiplications for a pixel as a whole window and in two passes, by radius.
std::optional<Diagram> crossover(const LessonFacts& facts, Labels labels) {
  const int radius = radius_of(facts), most = std::max(8, radius);
  const float step = 26 / static_cast<float>(most), floor = 7;
  const auto x = [&](int r) { return step * static_cast<float>(r); };
  const auto y = [&](int count) {
    return floor - 6.5f * static_cast<float>(count) / static_cast<float>(area_of_window(most));
  };
  const auto in_two_passes = [](int r) { return 2 * side_of_window(r); };
  Canvas c(9);
  c.line(0, floor, 26, floor, Tone::outline);
  for (int r = 0; r < most; ++r) {
    c.line(x(r), y(area_of_window(r)), x(r + 1), y(area_of_window(r + 1)), Tone::first);
    c.line(x(r), y(in_two_passes(r)), x(r + 1), y(in_two_passes(r + 1)), Tone::second);
  }
  c.line(x(radius), 0.2f, x(radius), floor, Tone::quiet);
  const int at_once = area_of_window(radius), in_two = in_two_passes(radius);
  c.words(x(radius) + 0.4f, std::max(0.5f, y(at_once) - 0.6f), std::to_string(at_once), Tone::first);
  c.words(x(radius) + 0.4f, y(in_two) + 0.7f, std::to_string(in_two), Tone::second);
  const std::array<std::string, 3> shown{labels[0], fmt::format("R = {}", radius), labels[1]};
  c.legend(shown);
  return c.done();
}

// Tiles of as many pixels as the block has threads, each with its apron.
std::optional<Diagram> shapes(const LessonFacts& facts, Labels) {
  const KernelStep* step = kernel_of(facts);
  if (!step || step->block.area() % lanes != 0) return std::nullopt;
  const auto threads = static_cast<int>(step->block.area());
  const int radius = radius_of(facts);
  Canvas c(10.4f);
  const auto with_apron = [radius](Size2 tile) { return Size2{tile.width + 2 * radius, tile.height + 2 * radius}; };
  const std::array<Size2, 3> list{Size2{32, threads / 32}, {16, threads / 16}, {8, threads / 8}};
  float scale = 1;
  for (const Size2 tile : list) scale = std::min(scale, side_of(with_apron(tile), 9, 7.6f));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Size2 tile = list[i], whole = with_apron(tile);
    const float x = 10.3f * static_cast<float>(i), rim = scale * static_cast<float>(radius);
    const float w = scale * static_cast<float>(tile.width), h = scale * static_cast<float>(tile.height);
    c.box(x, 0.3f, w + 2 * rim, h + 2 * rim, Tone::second);
    c.box(x + rim, 0.3f + rim, w, h, Tone::first);
    c.words(x, 8.7f, times(tile.width, tile.height));
    c.words(x, 9.8f, fmt::format("{} ×", three_digits(static_cast<double>(whole.area()) / tile.area())), Tone::quiet);
  }
  return c.done();
}

// Copy, kernel, copy: one after the other, and in four pieces that overlap.
std::optional<Diagram> transfers(const LessonFacts&, Labels labels) {
  constexpr float copy = 10, kernel = 5, line = 1;
  constexpr int pieces = 4;
  Canvas c(7.6f);
  c.box(0, 0.3f, copy, line, colours[0]);
  c.box(copy + 0.1f, 0.3f, kernel, line, colours[1]);
  c.box(copy + kernel + 0.2f, 0.3f, copy, line, colours[2]);
  for (int i = 0; i < pieces; ++i) {
    const float begin = copy / pieces * static_cast<float>(i);
    const float ends[] = {begin, begin + copy / pieces, begin + (copy + kernel) / pieces};
    c.box(ends[0], 2.3f, copy / pieces - 0.1f, line, colours[0]);
    c.box(ends[1], 3.6f, kernel / pieces - 0.1f, line, colours[1]);
    c.box(ends[2], 4.9f, copy / pieces - 0.1f, line, colours[2]);
  }
  c.legend(labels);
  return c.done();
}

// Operations for a pixel: the whole window, two passes, running sums in two passes.
std::optional<Diagram> algorithms(const LessonFacts& facts, Labels labels) {
  const int radius = radius_of(facts);
  const std::array counts{area_of_window(radius), 2 * side_of_window(radius), 4};
  Canvas c(6.4f);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const float y = 0.3f + 1.7f * static_cast<float>(i);
    const float length = 26 * static_cast<float>(counts[i]) / static_cast<float>(std::max(counts[0], 4));
    c.box(0, y, length, 1.2f, colours[i]);
    c.words(length + 0.4f, y + 0.6f, std::to_string(counts[i]));
  }
  c.legend(labels);
  return c.done();
}

// A warp runs both branches, one after the other.
std::optional<Diagram> divergence(const LessonFacts&, Labels labels) {
  constexpr int taken = 20;
  const float step = width / lanes;
  Canvas c(5.2f);
  for (int i = 0; i < lanes; ++i)
    for (int branch = 0; branch < 2; ++branch) {
      const float x = step * static_cast<float>(i), y = 0.3f + 1.5f * static_cast<float>(branch);
      if ((i < taken) == (branch == 0))
        c.box(x, y, 0.86f * step, 1.2f, branch == 0 ? Tone::first : Tone::quiet);
      else
        c.frame(x, y, 0.86f * step, 1.2f, Tone::outline);
    }
  c.legend(labels);
  return c.done();
}

// Four warps that wait for memory in turns. The row below them is the multiprocessor, which always has work.
std::optional<Diagram> latency(const LessonFacts&, Labels labels) {
  constexpr int warps = 4;
  constexpr float work = 1.875f, wait = 3 * work;
  Canvas c(8.6f);
  for (int warp = 0; warp < warps; ++warp) {
    const float y = 0.3f + 1.3f * static_cast<float>(warp);
    for (int turn = 0; turn < 4; ++turn) {
      const float x = work * static_cast<float>(warp + turn * warps);
      if (x + work > width + 0.01f) continue;
      c.box(x, y, work - 0.1f, 1, Tone::first);
      const float until = std::min(x + work + wait, width);
      if (until > x + work) c.box(x + work, y + 0.35f, until - x - work - 0.1f, 0.3f, Tone::quiet);
    }
  }
  c.box(0, 5.8f, width, 1, Tone::second);
  c.legend(labels);
  return c.done();
}

// The blocks of a grid run in waves. The last one may be nearly empty.
std::optional<Diagram> waves(const LessonFacts& facts, Labels) {
  const KernelStep* step = kernel_of(facts);
  const auto blocks = resident_blocks(facts, 0);
  const auto exact = lesson_value("a.waves", facts);
  if (!step || !blocks || !exact) return std::nullopt;
  constexpr int most = 12;
  const int at_once = *blocks * facts.multiprocessor->count, count = static_cast<int>(std::ceil(exact->number));
  const int shown = std::min(count, most);
  const float wide = width / static_cast<float>(most);
  Canvas c(7.6f);
  for (int i = 0; i < shown; ++i) {
    const bool is_last = i + 1 == shown;
    const float full = is_last ? static_cast<float>(exact->number - (count - 1)) : 1, x = wide * static_cast<float>(i);
    c.frame(x, 0.3f, 0.84f * wide, 5.4f, Tone::outline);
    c.box(x, 0.3f + 5.4f * (1 - full), 0.84f * wide, 5.4f * full, is_last && full < 0.5f ? Tone::bad : Tone::first);
    if (count > most && i == shown - 2) c.words(x + 0.42f * wide, 3, "…", Tone::text, 0.5f);
  }
  c.words(0, 6.8f, fmt::format("{} / {} = {}", step->grid.area(), at_once, exact->text));
  return c.done();
}

// Groups of threads, and the memory that each shares. labels: thread, warp, block, grid; the memories in this order.
std::optional<Diagram> hierarchy(const LessonFacts& facts, Labels labels) {
  const KernelStep* step = kernel_of(facts);
  if (!step || !facts.multiprocessor) return std::nullopt;
  const auto threads = static_cast<int>(step->block.area()), warps = ceil_div(threads, lanes);
  const std::string counts[] = {"1", fmt::format("{}", lanes), times(step->block.width, step->block.height),
                                times(step->grid.width, step->grid.height)};
  const int drawn[] = {1, std::min(threads, lanes), warps, static_cast<int>(std::min(step->grid.area(), 64ll))};
  const auto megabytes = lesson_value("a.megabytes", facts);
  const std::string sizes[] = {
      bytes_text(4.0 * facts.multiprocessor->registers), bytes_text(DeviceLimits{}.max_constant_bytes),
      fmt::format("{} / {}", bytes_text(step->shared_bytes), bytes_text(facts.multiprocessor->shared_bytes)),
      fmt::format("2 × {} MB", megabytes ? megabytes->text : "")};
  constexpr float high = 2.4f, middle = 16;
  Canvas c(4 * high);
  for (int i = 0; i < 4; ++i) {
    const float y = 0.5f + high * static_cast<float>(i);
    c.words(0, y, labels[i]);
    c.words(middle - 2, y, counts[i], Tone::text, 1);
    const float cell = std::min(0.9f, (middle - 2) / static_cast<float>(drawn[i]));
    c.cells(0, y + 0.6f, cell, {drawn[i], 1}, [](int, int) { return Tone::first; });
    c.frame(middle, y - 0.5f, width - middle, high - 0.15f, Tone::outline);
    c.words(middle + 0.5f, y + 0.12f, labels[4 + i]);
    c.words(width - 0.5f, y + 1.1f, sizes[i], Tone::quiet, 1);
  }
  return c.done();
}

// Which buffer each step reads and writes, with its size and the time of the step. labels: picture, buffer between
// steps, result, a buffer in host memory.
std::optional<Diagram> buffers(const LessonFacts& facts, Labels labels) {
  if (!facts.plans[0] || facts.plans[0]->steps.empty()) return std::nullopt;
  const LaunchPlan& plan = *facts.plans[0];
  const auto name = [&](ImageRef image) -> std::string {
    switch (image.role) {
      case ImageRole::source: return labels[0];
      case ImageRole::target: return labels[2];
      case ImageRole::host_source: return fmt::format("{}, {}", labels[0], labels[3]);
      case ImageRole::host_target: return fmt::format("{}, {}", labels[2], labels[3]);
      case ImageRole::scratch: break;
    }
    return fmt::format("{} {}", labels[1], image.index + 1);
  };
  constexpr std::size_t most = 5;
  constexpr float high = 2.6f, box = 9;
  const std::size_t shown = std::min(plan.steps.size(), most);
  Canvas c(high * static_cast<float>(shown) + (plan.steps.size() > most ? 1 : 0));
  for (std::size_t i = 0; i < shown; ++i) {
    const StepBase& step = base_of(plan.steps[i]);
    const float y = high * static_cast<float>(i);
    const auto draw = [&](float x, ImageRef image, Tone tone) {
      const double bytes = static_cast<double>(plan.size_of(image).area()) * info(plan.type_of(image)).bytes;
      c.frame(x, y + 0.1f, box, high - 0.4f, tone);
      c.words(x + box / 2, y + 0.75f, name(image), Tone::text, 0.5f);
      c.words(x + box / 2, y + 1.65f, bytes_text(bytes), Tone::quiet, 0.5f);
    };
    draw(0, step.reads, Tone::first);
    draw(width - box, step.writes, Tone::second);
    const float from = box + 0.3f, to = width - box - 0.3f, line = y + high / 2 - 0.1f;
    c.line(from, line, to, line, Tone::text);
    c.line(to, line, to - 0.5f, line - 0.4f, Tone::text);
    c.line(to, line, to - 0.5f, line + 0.4f, Tone::text);
    c.words((from + to) / 2, line - 0.65f, step.title, Tone::text, 0.5f);
    const bool is_timed = facts.step_ms.size() == plan.steps.size() && facts.step_ms[i] > 0;
    if (is_timed)
      c.words((from + to) / 2, line + 0.7f, fmt::format("{} ms", three_digits(facts.step_ms[i])), Tone::quiet, 0.5f);
  }
  if (plan.steps.size() > most) c.words(width / 2, high * most + 0.3f, "…", Tone::quiet, 0.5f);
  return c.done();
}

struct PictureRow {
  std::string_view name;
  std::size_t labels;
  std::optional<Diagram> (*draw)(const LessonFacts& facts, Labels labels);
};
constexpr PictureRow rows[] = {
    {"passes", 0, passes},         {"sectors", 0, sectors},
    {"apron", 0, apron},           {"idle", 2, idle},
    {"broadcast", 2, broadcast},   {"banks", 0, banks},
    {"barrier", 3, barrier},       {"residency", 0, residency},
    {"intensity", 0, intensity},   {"amdahl", 2, amdahl},
    {"launch", 2, launch},         {"first_launch", 2, first_launch},
    {"crossover", 2, crossover},   {"shapes", 0, shapes},
    {"transfers", 3, transfers},   {"algorithms", 3, algorithms},
    {"divergence", 2, divergence}, {"latency", 3, latency},
    {"waves", 0, waves},           {"window", 2, window},
    {"hierarchy", 8, hierarchy},   {"buffers", 4, buffers},
    {"clamp", 2, clamp},           {"loads", 2, loads},
};

}  // namespace

std::optional<std::size_t> labels_of_picture(std::string_view name) {
  const auto row = std::ranges::find(rows, name, &PictureRow::name);
  return row == std::end(rows) ? std::nullopt : std::optional(row->labels);
}

std::vector<std::string_view> picture_names() {
  std::vector<std::string_view> names;
  for (const PictureRow& row : rows) names.push_back(row.name);
  return names;
}

std::optional<Diagram> diagram_of(const LessonPicture& picture, const LessonFacts& facts) {
  const auto row = std::ranges::find(rows, picture.name, &PictureRow::name);
  if (row == std::end(rows) || picture.labels.size() != row->labels) return std::nullopt;
  return row->draw(facts, picture.labels);
}

}  // namespace conv
