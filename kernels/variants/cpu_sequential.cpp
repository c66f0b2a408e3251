// Host variant: four plain loops on one core, which the documents use as the baseline of their speedups.
#include "kernels/core/variant.h"
#include "kernels/variants/support/cpu_rows.h"

namespace conv {

static void four_loops(const ConvArgs& args, PixelType source, PixelType target, int first, int last) {
  using namespace cpu_rows;
  for_pair(source, target, [&]<class Source, class Target> {
    constexpr int n = channels<Source>;
    std::vector<float> sums(static_cast<std::size_t>(args.target.width) * n);
    for (int y = first; y < last; ++y) {
      for (int x = 0; x < args.target.width; ++x) {
        float sum[4] = {};
        int tap = 0;
        for (int dy = -args.radius_y; dy <= args.radius_y; ++dy)
          for (int dx = -args.radius_x; dx <= args.radius_x; ++dx, ++tap) {
            const int column = source_index(x + args.origin_x + dx, args.source.width, args.border);
            const int row = source_index(y + args.origin_y + dy, args.source.height, args.border);
            float pixel[4];
            std::fill(pixel, pixel + n, args.outside);
            if (column >= 0 && row >= 0) widen(row_of<Source>(args.source, row).read(column), pixel);
            for (int c = 0; c < n; ++c) sum[c] += args.taps[tap] * pixel[c];
          }
        std::copy(sum, sum + n, sums.begin() + static_cast<std::ptrdiff_t>(x) * n);
      }
      finish_pixels<Source, Target>(args, y, 0, args.target.width, sums.data());
    }
  });
}

CONV_DEFINE_VARIANT(cpu_sequential){
    .id = "cpu_sequential",
    .title = "CPU, one core",
    .idea = "Four nested loops on one core. The documents measure their speedups against this.",
    .group = VariantGroup::cpu,
    .plan = [](Size2 image, const ConvSettings& settings, const DeviceLimits&) -> Result<LaunchPlan> {
      return host_plan(image, settings, four_loops, true);
    },
};

}  // namespace conv
