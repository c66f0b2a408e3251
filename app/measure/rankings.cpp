#include "app/measure/rankings.h"

#include <algorithm>
#include <filesystem>

#include "app/measure/bench_json.h"
#include "kernels/variants/auto.h"

namespace conv {

BenchJob auto_job(const BenchPoint& point, bool on_gpu) {
  BenchJob job{.id = std::string(auto_id), .groups = {}, .adds = true};
  const Result<Taps> taps = taps_of(point.filter);
  if (!taps || !taps->chain.empty()) return job;
  BenchGroup& group = job.groups.emplace_back();
  std::vector<std::string_view> variants = auto_candidates(point.image, *taps, point.lane.format, on_gpu);
  variants.push_back(auto_id);
  for (const std::string_view variant : variants) {
    group.push_back(point);
    group.back().lane.variant = variant;
    group.back().lane.switches = {};
  }
  return job;
}

std::vector<BenchGroup> auto_table(bool on_gpu) {
  std::vector<BenchGroup> table;
  const std::vector<Size2> images =
      on_gpu ? std::vector<Size2>{{1920, 1080}, {7680, 4320}} : std::vector<Size2>{{512, 512}, {1920, 1080}};
  for (const Size2 image : images)
    for (const PixelType format : {PixelType::f32, PixelType::rgba8})
      for (const FilterKind kind : {FilterKind::gaussian, FilterKind::box, FilterKind::random})
        for (const int radius : {1, 2, 4, 6, 8, 12, 16, 24, 32}) {
          if (!on_gpu && radius > 8) continue;
          const BenchPoint point{.image = image,
                                 .filter = {.kind = kind, .sigma = sigma_for(radius), .radius = radius},
                                 .lane = {.format = format}};
          table.push_back(std::move(auto_job(point, on_gpu).groups.front()));
        }
  return table;
}

std::shared_ptr<const std::vector<Ranking>> rankings_of(std::span<const BenchRow> rows) {
  auto rankings = std::make_shared<std::vector<Ranking>>();
  FilterSpec filter;  // of the row before: factoring a matrix of full rank takes milliseconds
  Result<Taps> taps = taps_of(filter);
  for (const BenchRow& row : rows_of(rows, auto_id)) {
    if (row.point.lane.variant == auto_id || row.state != RowState::measured) continue;
    if (!(row.point.filter == filter)) taps = taps_of(filter = row.point.filter);
    if (!taps) continue;
    const Ranking place{row.point.lane.format, row.point.image, taps->size, shape_of(*taps), {}};
    const auto found = std::find_if(rankings->begin(), rankings->end(), [&](const Ranking& ranking) {
      return ranking.format == place.format && ranking.image == place.image && ranking.window == place.window &&
             ranking.shape == place.shape;
    });
    Ranking& ranking = found == rankings->end() ? rankings->emplace_back(place) : *found;
    ranking.lanes.push_back({row.point.lane.variant, row.summary().median});
  }
  for (Ranking& ranking : *rankings) {
    // If it was measured twice, for example with two paddings, the better time counts.
    std::stable_sort(ranking.lanes.begin(), ranking.lanes.end(),
                     [](const Ranking::Lane& a, const Ranking::Lane& b) { return a.ms < b.ms; });
    std::vector<Ranking::Lane> once;
    for (const Ranking::Lane& lane : ranking.lanes)
      if (std::none_of(once.begin(), once.end(), [&](const Ranking::Lane& o) { return o.variant == lane.variant; }))
        once.push_back(lane);
    ranking.lanes = std::move(once);
  }
  return rankings;
}

static std::filesystem::path kept_rankings(const std::string& processor) {
  const std::filesystem::path folder = results_folder();
  return folder.empty() ? folder : folder / folder_of(processor) / (std::string(auto_id) + ".json");
}

void use_kept_rankings(Processor& processor, const BenchEnvironment& environment) {
  if (const auto kept = read_results(kept_rankings(environment.processor)); kept && kept->environment == environment)
    processor.set_rankings(rankings_of(kept->rows));
}

Result<void> keep_rankings(std::span<const BenchRow> rows, const BenchEnvironment& environment) {
  const std::span<const BenchRow> measured = rows_of(rows, auto_id);
  const std::filesystem::path file = kept_rankings(environment.processor);
  if (measured.empty() || file.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  std::vector<BenchRow> all;
  if (std::filesystem::exists(file, error)) {
    const auto kept = read_results(file);
    if (!kept) return failure(kept.error().text + "; move it away, so that auto can use the new measurements");
    if (kept->environment == environment) all = kept->rows;
  }
  for (const BenchRow& row : measured) put_row(all, row);
  const auto written = BenchFile::create(file, environment, std::move(all));
  return written ? Result<void>{} : tl::unexpected(written.error());
}

}  // namespace conv
