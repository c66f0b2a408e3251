// Host variant: the whole matrix at every pixel, on all cores, in vectors along x.
#include "kernels/core/variant.h"
#include "kernels/variants/support/cpu_rows.h"

namespace conv {

// A ring of padded source rows moves down with the target row; each source row is converted once per strip.
static void direct_rows(const ConvArgs& args, PixelType source, PixelType target, int first, int last) {
  using namespace cpu_rows;
  for_pair(source, target, [&]<class Source, class Target> {
    constexpr int n = channels<Source>;
    const int width = args.target.width, ring = 2 * args.radius_y + 1, row_taps = 2 * args.radius_x + 1;
    const std::size_t pitch = static_cast<std::size_t>(width + 2 * args.radius_x) * n;
    std::vector<float> rows(pitch * ring), sum(static_cast<std::size_t>(width) * n);
    const auto slot = [&](int y) { return rows.data() + pitch * ((y + args.radius_y) % ring); };
    const auto fill = [&](int y) {
      padded_row<Source>(args, y + args.origin_y, args.origin_x - args.radius_x, width + 2 * args.radius_x, slot(y));
    };
    for (int y = first - args.radius_y; y < first + args.radius_y; ++y) fill(y);
    for (int y = first; y < last; ++y) {
      fill(y + args.radius_y);
      for (int ky = 0; ky < ring; ++ky)
        row_sums(slot(y - args.radius_y + ky), n, args.taps + ky * row_taps, row_taps, sum.data(), width * n, ky > 0);
      finish_row<Source, Target>(args, y, 0, width, sum.data());
    }
  });
}

static Result<LaunchPlan> plan_cpu_direct(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  return host_plan(image, settings, direct_rows);
}

CONV_DEFINE_VARIANT(cpu_direct){
    .id = "cpu_direct",
    .title = "CPU, direct",
    .idea = "The definition: each pixel is a sum of (2R+1)² products. All CPU cores share the rows.",
    .group = VariantGroup::cpu,
    .plan = plan_cpu_direct,
};

}  // namespace conv
