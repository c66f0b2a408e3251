#include "app/check/followed_thread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/core/blocks.h"
#include "kernels/cpu/cpu_executor.h"

namespace conv {

using conv_cpu::Access;
using conv_cpu::Space;
using conv_cpu::Way;

namespace {

std::string to_text(Point2 p) {
  return fmt::format("({}, {})", p.x, p.y);
}

// "3 − 2", "3 + 2" for 3 − (−2).
std::string difference(int a, int b) {
  return fmt::format("{} {} {}", a, b < 0 ? "+" : "−", std::abs(b));
}

// Why the pixel that is asked for is not the one that is read.
std::string border_text(const FollowedThread& thread, const ThreadStep& step) {
  const std::string_view rule = info(thread.step().border).title;
  if (!step.pixel) return fmt::format("outside the image: the value of the padding, {}", rule);
  return fmt::format("outside the image: {} padding takes {}", rule, to_text(*step.pixel));
}

// Where a pixel is in its image's memory. Rows begin at multiples of 32 pixels.
void add_memory(std::vector<std::string>& lines, const ThreadStep& step) {
  const int stride = ceil_div(step.image.width, 32) * 32, planes = step.part.planes;
  const int bytes = step.part.pixel_bytes / planes;
  const Point2 at = *step.pixel;
  const long long index = static_cast<long long>(at.y) * stride + at.x;
  lines.push_back(fmt::format("memory index {}·{} + {} = {}", at.y, stride, at.x, index));
  if (planes > 1) {
    const int plane = step.part.first / bytes;
    const long long size = static_cast<long long>(step.image.height) * stride;
    const int count = std::max(1, step.part.bytes / bytes);
    lines.push_back(count > 1 ? fmt::format("SoA: in each of {} planes, plane c begins {}·c pixels later", count, size)
                              : fmt::format("SoA: in plane {}, which begins {} pixels later", plane, plane * size));
    lines.push_back(fmt::format("byte {}·{} = {} of a plane", bytes, index, bytes * index));
  } else {
    lines.push_back(fmt::format("byte {}·{} = {}{}", bytes, index, bytes * index,
                                step.part.first > 0 ? fmt::format(" + {} for the channel", step.part.first) : ""));
  }
}

// The tap as row and column of the filter, with its value.
std::string tap_text(const FollowedThread& thread, int tap) {
  const TapsTable& table = thread.plan().tables[static_cast<std::size_t>(thread.step().taps)];
  const int columns = 2 * table.radius.width + 1;
  const auto index = static_cast<std::size_t>(tap);
  const std::string value = index < table.values.size() ? fmt::format(" = {:.4g}", table.values[index]) : "";
  // Some variants keep a row and a column instead of the matrix.
  const bool is_matrix = table.values.size() == static_cast<std::size_t>(columns) * (2 * table.radius.height + 1);
  if (columns == 1 || table.radius.height == 0 || !is_matrix) return fmt::format("tap {}{}", tap, value);
  return fmt::format("tap {}{} (row {}, column {})", tap, value, tap / columns, tap % columns);
}

}  // namespace

FollowedThread followed_thread(const ThreadQuestion& question) {
  const BlockQuestion& at = question.block;
  const BlockRecording block = CpuExecutor::record(*at.plan, *at.step, at.block);
  const PixelRect first = tile_of(*at.plan, *at.step, {0, 0});
  const auto writer = std::ranges::find_if(block.written, [&](const std::vector<Point2>& pixels) {
    return question.pixel && std::ranges::find(pixels, Point2{question.pixel->x - first.left,
                                                              question.pixel->y - first.top}) != pixels.end();
  });
  const auto thread = static_cast<int>(writer == block.written.end() ? 0 : writer - block.written.begin());
  const Point2 place{thread % at.step->block.width, thread / at.step->block.width};
  return {question, CpuExecutor::record_thread(*at.plan, *at.step, at.block, place),
          block.written[static_cast<std::size_t>(thread)]};
}

std::vector<std::string> origin_of(const FollowedThread& thread) {
  const KernelStep& step = thread.step();
  const Point2 block = thread.recording.block, at = thread.recording.thread;
  const Size2 image = thread.plan().written_by(step);
  std::vector<std::string> lines{fmt::format("thread {} of block {}", to_text(at), to_text(block))};
  const Size2 tile = step.tile;
  if (ceil_div(image.width, tile.width) == step.grid.width && ceil_div(image.height, tile.height) == step.grid.height)
    lines.push_back(fmt::format("grid: ceil({} / {}) = {} by ceil({} / {}) = {} blocks", image.width, tile.width,
                                step.grid.width, image.height, tile.height, step.grid.height));
  const Point2 own{block.x * step.block.width + at.x, block.y * step.block.height + at.y};
  const bool one_to_one = step.tile == step.block;
  if (one_to_one && (thread.written.empty() || thread.written == std::vector{own}))
    lines.push_back(fmt::format("x = {}·{} + {} = {}, y = {}·{} + {} = {}", block.x, step.block.width, at.x, own.x,
                                block.y, step.block.height, at.y, own.y));
  if (thread.written.empty())
    lines.emplace_back(one_to_one && (own.x >= image.width || own.y >= image.height)
                           ? "switched off: this position is outside the image"
                           : "writes no pixel");
  else if (thread.written.size() > 1)
    lines.push_back(fmt::format("writes {} pixels, from {} to {}", thread.written.size(),
                                to_text(thread.written.front()), to_text(thread.written.back())));
  if (const long long others = step.threads.total() - step.threads.writing; others > 0)
    lines.push_back(fmt::format("{} of {} threads write no pixel", others, step.threads.total()));
  return lines;
}

std::vector<std::string> text_of(const FollowedThread& thread, const ThreadStep& step) {
  std::vector<std::string> lines;
  const std::string times = step.tap && step.space != Space::taps ? ", times " + tap_text(thread, *step.tap) : "";
  const KernelStep& kernel = thread.step();
  // The tile's first pixel, where each block stages its pixels once.
  const auto add_place = [&](Point2 asked) {
    if (!kernel.staged() || kernel.ring || kernel.in_registers) return;
    const Point2 first{thread.recording.block.x * kernel.tile.width - kernel.apron.width + kernel.origin.x,
                       thread.recording.block.y * kernel.tile.height - kernel.apron.height + kernel.origin.y};
    lines.push_back(fmt::format("column {} = {}, row {} = {} of the tile with its apron", difference(asked.x, first.x),
                                asked.x - first.x, difference(asked.y, first.y), asked.y - first.y));
  };
  switch (step.space) {
    case Space::taps: lines.push_back("reads " + tap_text(thread, *step.tap)); break;
    case Space::global:
      lines.push_back((step.access == Access::read ? "reads pixel " : "writes pixel ") + to_text(step.asked) + times);
      if (step.access == Access::read && (!step.pixel || *step.pixel != step.asked))
        lines.push_back(border_text(thread, step));
      if (step.access == Access::read) add_place(step.asked);
      if (step.pixel) add_memory(lines, step);
      break;
    case Space::shared:
      lines.push_back((step.access == Access::read ? "reads shared memory" : "writes to shared memory") + times);
      if (step.holds) {
        lines.push_back("source pixel " + to_text(*step.holds));
        add_place(*step.holds);
      }
      lines.push_back(fmt::format("byte {}, word {}, bank {}", step.first_byte, step.first_byte / 4,
                                  step.first_byte / 4 % rules_of(Generation::today).banks));
      break;
  }
  if (step.way == Way::async_copy) lines.emplace_back("copied while the thread continues");
  if (step.way == Way::bulk_copy) lines.emplace_back("part of a row that the copy engine moves");
  return lines;
}

}  // namespace conv
