// Host variant: rows into float scratch, then columns, on all cores, vectorised along x.
#include "kernels/core/variant.h"
#include "kernels/variants/support/cpu_rows.h"

namespace conv {

static void filter_rows(const ConvArgs& args, PixelType source, PixelType target, int first, int last) {
  using namespace cpu_rows;
  for_pair(source, target, [&]<class Source, class Target> {
    constexpr int n = channels<Source>;
    const int width = args.target.width;
    std::vector<float> row(static_cast<std::size_t>(width + 2 * args.radius_x) * n);
    std::vector<float> sum(static_cast<std::size_t>(width) * n);
    for (int y = first; y < last; ++y) {
      padded_row<Source>(args, y + args.origin_y, args.origin_x - args.radius_x, width + 2 * args.radius_x, row.data());
      std::fill(sum.begin(), sum.end(), 0.0f);
      for (int k = 0; k <= 2 * args.radius_x; ++k)
        add_weighted(sum.data(), row.data() + static_cast<std::ptrdiff_t>(k) * n, args.taps[k], width * n);
      finish_row<Source, Target>(args, y, sum.data());
    }
  });
}

// Reads scratch, which is float for every format: rows need no conversion.
static void filter_columns(const ConvArgs& args, PixelType source, PixelType target, int first, int last) {
  using namespace cpu_rows;
  for_pair(source, target, [&]<class Source, class Target> {
    constexpr int n = channels<Source>;
    if constexpr (!std::is_same_v<Source, ScratchOf<Source>>) return;
    const int width = args.target.width;
    std::vector<float> sum(static_cast<std::size_t>(width) * n);
    for (int y = first; y < last; ++y) {
      std::fill(sum.begin(), sum.end(), 0.0f);
      for (int k = 0; k <= 2 * args.radius_y; ++k) {
        const int from = source_index(y + k - args.radius_y + args.origin_y, args.source.height, args.border);
        if (from < 0) {
          for (float& s : sum) s += args.taps[k] * args.outside;
        } else {
          add_weighted(sum.data(),
                       static_cast<const float*>(args.source.data) +
                           static_cast<std::ptrdiff_t>(from) * args.source.stride_px * n,
                       args.taps[k], width * n);
        }
      }
      finish_row<Source, Target>(args, y, sum.data());
    }
  });
}

static Result<LaunchPlan> plan_cpu_separable(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  HostStep rows, columns;
  rows.run = filter_rows;
  columns.run = filter_columns;
  return two_pass_plan(image, settings, std::move(rows), std::move(columns));
}

CONV_DEFINE_VARIANT(cpu_separable){
    .id = "cpu_separable",
    .title = "CPU, separable",
    .idea = "Two passes with few taps replace one with many. This helps the CPU as much as the GPU.",
    .group = VariantGroup::cpu,
    .needs_rank_1 = true,
    .plan = plan_cpu_separable,
};

}  // namespace conv
