#include "app/measure/shipped.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/measure/bench_json.h"
#include "app/measure/gpu_models.h"
#include "kernels/core/embedded_file.h"
#include "kernels/core/number_text.h"

namespace conv {

std::span<const EmbeddedFile> embedded_results();

ShippedResults load_shipped_results() {
  ShippedResults shipped{.limits = limits_of(gpu_model_h200()), .multiprocessor = multiprocessor_of(gpu_model_h200())};
  for (const EmbeddedFile& file : embedded_results()) {
    const std::string text(file.text);
    if (auto ceilings = ceilings_of(text)) {
      shipped.ceilings = std::move(*ceilings);
      continue;
    }
    Result<BenchResults> part = results_of(std::string(file.path), text);
    if (!part) std::abort();  // a file of ours; a test reads them all
    shipped.results.environment = part->environment;
    for (BenchRow& row : part->rows) {
      if (row.on_cpu()) continue;  // of another computer than this one
      row.elsewhere = fmt::format("{}, {}", row.processor, row.date.substr(0, 10));
      shipped.results.rows.push_back(std::move(row));
    }
  }
  return shipped;
}

NearestShipped nearest_shipped(const ShippedResults& shipped, const BenchPoint& wanted, int iterations) {
  const auto rows = rows_of(shipped.results.rows, "variants");
  const auto away = [&](const BenchRow& row) {
    const PixelType format = row.point.lane.format;
    return std::pair(format == wanted.lane.format ? 0
                     : format == PixelType::f32   ? 1
                                                  : 2,
                     std::abs(taps_size(row.point.filter).width - taps_size(wanted.filter).width));
  };
  const auto first =
      std::min_element(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return away(a) < away(b); });
  if (first == rows.end()) return {};
  BenchPoint at = first->point;
  const auto last = std::find_if(first, rows.end(), [&](const BenchRow& row) {
    return row.point.lane.format != at.lane.format || row.point.filter != at.filter;
  });
  at.lane.variant = wanted.lane.variant;
  at.filter.sigma = wanted.filter.sigma;  // the work is the same
  const bool same = at == wanted && iterations == 1;
  return {.rows = {first, last},
          .what = fmt::format("{}, {} {}, {}, radius {}, {}, block {}{}", first->elsewhere, size_text(at.image),
                              info(at.lane.format).title, info(at.filter.kind).title, at.filter.radius,
                              info(at.border).title, size_text(at.lane.block),
                              same ? "" : " (the nearest setting that was measured)"),
          .same = same};
}

std::string shipped_times_text(const ShippedResults& shipped, const Settings& settings, Size2 image) {
  const BenchPoint first{
      .image = image, .filter = settings.filter, .border = settings.border, .lane = settings.lanes[0]};
  const NearestShipped nearest = nearest_shipped(shipped, first, settings.iterations);
  std::string text;
  for (int i = 0; i < (settings.view == ViewMode::single ? 1 : 2); ++i) {
    BenchPoint as_first = first;
    as_first.lane = lane_settings(settings, i);
    const std::string variant = std::exchange(as_first.lane.variant, first.lane.variant);
    const auto row =
        std::ranges::find(nearest.rows, variant, [](const BenchRow& one) { return one.point.lane.variant; });
    if (as_first != first || !switches_text(first).empty() || row == nearest.rows.end() ||
        row->state != RowState::measured)
      return "";
    text += fmt::format("{}{} {} ms", text.empty() ? "" : " · ", variant, three_digits(row->summary().median));
  }
  return text + "\n" + nearest.what;
}

}  // namespace conv
