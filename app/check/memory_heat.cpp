#include "app/check/memory_heat.h"

#include <algorithm>
#include <climits>
#include <set>
#include <unordered_map>

#include "kernels/cpu/cpu_executor.h"

namespace conv {

namespace {

constexpr int sector_bytes = 32;

// Where the first plane of the image that a step reads lies in memory. Rows begin at multiples of 32 pixels.
struct Layout {
  long long stride, pixel_bytes, plane_bytes;
  Layout(const LaunchPlan& plan, const KernelStep& step) {
    const PixelTypeInfo& type = info(plan.type_of(step.reads));
    const Size2 size = plan.size_of(step.reads);
    stride = ceil_div(size.width, 32) * 32;
    pixel_bytes = is_planar(type.type) ? type.bytes / type.channels : type.bytes;
    plane_bytes = stride * size.height * pixel_bytes;
  }
  // The first pixel that begins at this byte or behind it.
  long long pixel_from(long long byte) const { return (byte + pixel_bytes - 1) / pixel_bytes; }
  Point2 place(long long pixel) const { return {static_cast<int>(pixel % stride), static_cast<int>(pixel / stride)}; }
};

struct Counts {
  std::unordered_map<long long, int> loads;    // by the number of the pixel
  std::unordered_map<long long, int> sectors;  // by the number of the sector

  void add(const WarpRecording& recording, const Layout& layout) {
    for (const WarpRequest& request : recording.requests) {
      const AccessSite& site = recording.sites[static_cast<std::size_t>(request.site)];
      if (site.space != conv_cpu::Space::global || site.access != conv_cpu::Access::read) continue;
      std::set<long long> moved;
      for (const LaneAccess& a : request.accesses()) {
        const long long end = std::min(a.address + a.bytes, layout.plane_bytes);
        for (long long pixel = layout.pixel_from(a.address); pixel * layout.pixel_bytes < end; ++pixel) ++loads[pixel];
        for (long long sector = a.address / sector_bytes; sector * sector_bytes < end; ++sector) moved.insert(sector);
      }
      for (const long long sector : moved) ++sectors[sector];
    }
  }
};

}  // namespace

Result<MemoryHeat> memory_heat(const BlockQuestion& question, const std::stop_token& stop) {
  const LaunchPlan& plan = *question.plan;
  const KernelStep& step = *question.step;
  const Layout layout(plan, step);
  MemoryHeat heat{.question = question};
  Counts counts;
  for (int y = std::max(0, question.block.y - 1); y <= std::min(step.grid.height - 1, question.block.y + 1); ++y)
    for (int x = std::max(0, question.block.x - 1); x <= std::min(step.grid.width - 1, question.block.x + 1); ++x) {
      if (stop.stop_requested()) return failure("cancelled");
      const WarpRecording recording = CpuExecutor::record_warps(plan, step, {x, y});
      heat.complete = heat.complete && recording.complete;
      counts.add(recording, layout);
      ++heat.blocks;
    }
  if (counts.sectors.empty()) return heat;

  const auto for_pixels = [&](long long sector, auto call) {
    for (long long pixel = layout.pixel_from(sector * sector_bytes);
         pixel * layout.pixel_bytes < (sector + 1) * sector_bytes; ++pixel)
      call(layout.place(pixel), pixel);
  };
  Point2 first{INT_MAX, INT_MAX}, last{0, 0};
  for (const auto& [sector, count] : counts.sectors)
    for_pixels(sector, [&](Point2 at, long long) {
      first = {std::min(first.x, at.x), std::min(first.y, at.y)};
      last = {std::max(last.x, at.x), std::max(last.y, at.y)};
    });
  const Point2 in_source = source_pixel_of(plan, step, first);
  heat.area = {in_source.x, in_source.y, last.x - first.x + 1, last.y - first.y + 1};
  heat.loads.resize(static_cast<std::size_t>(heat.area.width) * static_cast<std::size_t>(heat.area.height));
  heat.sectors.resize(heat.loads.size());
  for (const auto& [sector, count] : counts.sectors)
    for_pixels(sector, [&, times = count](Point2 at, long long pixel) {
      const auto i = static_cast<std::size_t>(at.y - first.y) * static_cast<std::size_t>(heat.area.width) +
                     static_cast<std::size_t>(at.x - first.x);
      heat.sectors[i] = times;
      if (const auto found = counts.loads.find(pixel); found != counts.loads.end()) heat.loads[i] = found->second;
    });
  return heat;
}

Result<HeatAnswer> memory_heat(const HeatQuestion& question, const std::stop_token& stop) {
  HeatAnswer answer;
  for (std::size_t lane = 0; lane < question.size(); ++lane) {
    if (!question[lane]) continue;
    MemoryHeat heat = CONV_TRY(memory_heat(*question[lane], stop));
    answer[lane] = std::make_shared<const MemoryHeat>(std::move(heat));
  }
  return answer;
}

}  // namespace conv
