#include "app/measure/crossover.h"

#include <algorithm>
#include <map>
#include <set>

namespace conv {

namespace {

constexpr int radii[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32};
constexpr Size2 gpu_images[] = {{256, 256}, {512, 512}, {1024, 1024}, {1920, 1080}, {2048, 2048}, {4096, 4096}};
constexpr Size2 host_images[] = {{32, 32}, {64, 64}, {128, 128}, {256, 256}};

// The coarsest grid that contains this place: 0 is every fourth, 1 every second, 2 all.
int level_of(std::size_t at) {
  return at % 4 == 0 ? 0 : at % 2 == 0 ? 1 : 2;
}

}  // namespace

BenchJob crossover_job(const CrossoverKind& kind, const BenchPoint& base, const std::vector<std::string>& variants,
                       bool on_gpu) {
  BenchJob job{std::string(kind.id), {}};
  if (info(base.filter.kind).size == FilterSize::fixed) return job;
  const bool of_blocks = kind.id == "map-block";
  std::vector<BenchPoint> lines;
  if (of_blocks)
    for (const Size2 block : block_presets) lines.emplace_back(base).lane.block = block;
  else
    for (const Size2 image : on_gpu ? std::span<const Size2>(gpu_images) : std::span<const Size2>(host_images))
      lines.emplace_back(base).image = image;
  std::vector<std::pair<int, BenchGroup>> groups;
  for (std::size_t y = 0; y < lines.size(); ++y)
    for (std::size_t x = 0; x < std::size(radii); ++x) {
      if (radii[x] > radius_range(base.filter.kind).most) continue;
      BenchGroup group;
      for (const std::string& variant : variants) {
        BenchPoint& point = group.emplace_back(lines[y]);
        point.lane.variant = variant;
        point.lane.switches = {};
        point.filter.radius = radii[x];
        point.filter.sigma = sigma_for(radii[x]);
      }
      groups.emplace_back(std::max(level_of(x), level_of(y)), std::move(group));
    }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [level, group] : groups) job.groups.push_back(std::move(group));
  return job;
}

std::string CrossoverMap::letter(const std::string& variant) const {
  const auto at = std::find(variants.begin(), variants.end(), variant) - variants.begin();
  return std::string(1, static_cast<char>('a' + at % 26));
}

CrossoverMap crossover_map(std::span<const BenchRow> rows) {
  CrossoverMap map;
  if (rows.empty()) return map;
  const bool of_blocks = rows.front().preset == "map-block";
  // Images by their number of pixels; blocks in the order of the presets.
  const auto place = [&](const BenchPoint& point) {
    return of_blocks ? std::find(std::begin(block_presets), std::end(block_presets), point.lane.block) -
                           std::begin(block_presets)
                     : point.image.area();
  };
  std::map<long long, std::string> lines;
  std::set<int> columns;
  for (const BenchRow& row : rows) {
    lines[place(row.point)] = size_text(of_blocks ? row.point.lane.block : row.point.image);
    columns.insert(row.point.filter.radius);
    if (std::find(map.variants.begin(), map.variants.end(), row.point.lane.variant) == map.variants.end())
      map.variants.push_back(row.point.lane.variant);
  }
  map.radii.assign(columns.begin(), columns.end());
  map.cells.resize(lines.size() * columns.size());
  for (const auto& [at, text] : lines) map.rows.insert(map.rows.begin(), text);  // the largest at the top
  for (const BenchRow& row : rows) {
    if (row.state != RowState::measured) continue;
    const auto below = std::distance(lines.begin(), lines.find(place(row.point)));
    const auto x = std::distance(columns.begin(), columns.find(row.point.filter.radius));
    map.cells[(lines.size() - 1 - below) * columns.size() + x].ranked.push_back(&row);
  }
  for (CrossoverCell& cell : map.cells) {
    std::stable_sort(cell.ranked.begin(), cell.ranked.end(), is_faster);
    if (cell.ranked.size() < 2) continue;
    cell.margin = compare_lanes(cell.ranked[0]->ms, cell.ranked[1]->ms);
    if (cell.margin.outcome == Comparison::Outcome::measuring)  // too few rounds for an interval
      cell.margin.ratio = cell.ranked[1]->summary().median / cell.ranked[0]->summary().median;
  }
  return map;
}

}  // namespace conv
