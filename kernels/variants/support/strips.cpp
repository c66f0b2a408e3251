#include "kernels/variants/support/strips.h"

#include <algorithm>

namespace conv {

std::vector<RowRange> split_rows(int rows, int parts) {
  parts = std::clamp(parts, 1, std::max(rows, 1));
  std::vector<RowRange> ranges;
  for (int i = 0; i < parts; ++i) {
    const auto edge = [&](int part) { return static_cast<int>(static_cast<long long>(rows) * part / parts); };
    ranges.push_back({edge(i), edge(i + 1) - edge(i)});
  }
  return ranges;
}

std::vector<Strip> strips_of(const LaunchPlan& whole, int parts) {
  const auto& kernel = std::get<KernelStep>(whole.steps.front());
  std::vector<Strip> strips;
  for (const RowRange target : split_rows(whole.image.height, parts)) {
    int first = kernel.origin.y + target.first - kernel.apron.height;
    int end = kernel.origin.y + target.end() + kernel.apron.height;
    if (kernel.border != Border::wrap) {
      first = std::max(first, 0);
      end = std::min(end, whole.source.height);
    }
    strips.push_back({target, {first, end - first}});
  }
  return strips;
}

KernelStep launch_of(const LaunchPlan& whole, const Strip& strip) {
  KernelStep step = std::get<KernelStep>(whole.steps.front());
  step.origin.y += strip.target.first - strip.held.first;
  const Size2 apron = step.apron;
  return tiled(std::move(step), {whole.image.width, strip.target.count}, apron, whole.format);
}

std::vector<Run> runs_of(RowRange held, int image_height) {
  std::vector<Run> runs;
  for (int y = held.first; y < held.end();) {
    const int from = ((y % image_height) + image_height) % image_height;
    const int count = std::min(held.end() - y, image_height - from);
    runs.push_back({y - held.first, from, count});
    y += count;
  }
  return runs;
}

CopyStep copy_step(std::string title, ImageRef from, int from_row, ImageRef to, RowRange rows) {
  CopyStep copy;
  copy.title = std::move(title);
  copy.reads = from;
  copy.from_row = from_row;
  copy.writes = to;
  copy.rows = rows;
  return copy;
}

}  // namespace conv
