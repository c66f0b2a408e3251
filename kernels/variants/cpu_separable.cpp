// Host variant: columns and then rows in one pass through memory, on all cores, in vectors along x.
#include <memory>

#include "kernels/core/variant.h"
#include "kernels/variants/support/cpu_rows.h"

namespace conv {

// What a core keeps of the source at a time: about its L2 cache.
static constexpr int most_floats = 64 * 1024;

// A ring of source rows moves down a tile of columns. Each of its rows is converted to floats once; floats in memory
// are not copied. Summing columns first leaves one row for the second sum, which then needs no ring. args.taps: those
// of the row, then those of the column.
template <class Source, class Target>
static void filter_tile(const ConvArgs& args, int left, int count, int first, int last) {
  using namespace cpu_rows;
  constexpr int n = channels<Source>;
  const int row_terms = 2 * args.radius_x + 1, terms = 2 * args.radius_y + 1, ring = terms + column_results - 1;
  const int wide = count + 2 * args.radius_x;
  const auto floats = [](int rows, int pixels) {
    return std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(rows) * pixels * n);
  };
  const auto copies = floats(ring, wide), sums = floats(column_results, wide), result = floats(1, count);
  std::vector<const float*> rows(ring), window(ring);
  float* columns[column_results];
  for (int j = 0; j < column_results; ++j) columns[j] = sums.get() + static_cast<std::ptrdiff_t>(j) * wide * n;
  const auto fill = [&](int y) {
    const int at = (y - first + args.radius_y) % ring;
    const int from = y + args.origin_y, x = left + args.origin_x - args.radius_x;
    rows[at] = row_in_memory<Source>(args, from, x, wide);
    if (rows[at]) return;
    float* copy = copies.get() + static_cast<std::ptrdiff_t>(at) * wide * n;
    padded_row<Source>(args, from, x, wide, copy);
    rows[at] = copy;
  };
  int filled = first - args.radius_y;
  for (int y = first; y < last; y += column_results) {
    const int results = std::min(column_results, last - y);
    for (; filled < y + results + args.radius_y; ++filled) fill(filled);
    for (int k = 0; k < terms + results - 1; ++k) window[k] = rows[(y - first + k) % ring];
    column_sums(window.data(), args.taps + row_terms, terms, columns, results, wide * n);
    for (int j = 0; j < results; ++j) {
      row_sums(columns[j], n, args.taps, row_terms, result.get(), count * n);
      finish_row<Source, Target>(args, y + j, left, count, result.get());
    }
  }
}

static void filter_rows(const ConvArgs& args, PixelType source, PixelType target, int first, int last) {
  cpu_rows::for_pair(source, target, [&]<class Source, class Target> {
    const int window = (2 * args.radius_y + 1) * cpu_rows::channels<Source>;
    // At least four times the columns that neighbouring tiles convert again.
    const int tile = std::max({64, most_floats / window, 8 * args.radius_x});
    for (int left = 0; left < args.target.width; left += tile)
      filter_tile<Source, Target>(args, left, std::min(tile, args.target.width - left), first, last);
  });
}

static Result<LaunchPlan> plan_cpu_separable(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  LaunchPlan plan = host_plan(image, settings, filter_rows);
  std::vector<float>& taps = plan.tables.front().values;
  taps = settings.taps->row;
  taps.insert(taps.end(), settings.taps->column.begin(), settings.taps->column.end());
  return plan;
}

CONV_DEFINE_VARIANT(cpu_separable){
    .id = "cpu_separable",
    .title = "CPU, separable",
    .idea = "Two sums with few taps replace one with many. This helps the CPU as much as the GPU.",
    .group = VariantGroup::cpu,
    .needs_rank_1 = true,
    .plan = plan_cpu_separable,
};

}  // namespace conv
