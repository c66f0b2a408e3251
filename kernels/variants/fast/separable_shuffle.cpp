#define CONV_KERNEL_FILE "kernels/variants/fast/separable_shuffle.cu"
#include <algorithm>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"
#include "kernels/variants/fast/row_stream.h"
#include "kernels/variants/support/warp_tile.h"

namespace conv {

namespace {

// Measured on an H200 with floats, levels, RGBA8 and RGBA32F: the fastest of 1 to 16 rows for each radius.
int rows_of(PixelType format, int radius) {
  if (streamed_bytes(format) > 4) return 14;
  if (streams_colours(format)) return radius == 3 || radius == 4 ? 6 : 4;
  if (is_8_bit(format)) return radius <= 2 ? 12 : 8;
  return radius <= 1 ? 8 : radius <= 6 ? 14 : radius == 7 ? 12 : 10;
}

template <class Pixel>
CpuTwins twins_of() {
  return CONV_TWINS(
      separable_shuffle<SourceView<Pixel, Border::any>, TargetView<Pixel>, from_args, from_args, from_args>);
}

Result<LaunchPlan> plan_separable_shuffle(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  const Taps& taps = *settings.taps;
  const Size2 radius = taps.radius();
  const int columns = cpu::lane_columns(streamed_bytes(settings.format));
  return warp_tile_plan({.name = "separable_shuffle",
                         .file = CONV_KERNEL_FILE,
                         .radius = radius,
                         .columns = columns,
                         .width = cpu::tile_columns(radius.width, columns),
                         .rows = rows_of(settings.format, std::max(radius.width, radius.height)),
                         .taps = row_and_column(taps),
                         .cpu = for_pixel(settings.format, []<class Pixel> { return twins_of<Pixel>(); })},
                        image, settings, limits);
}

}  // namespace

CONV_DEFINE_VARIANT(separable_shuffle){
    .id = "separable_shuffle",
    .title = "Separable with warp shuffles",
    .idea =
        "Each thread of a warp sums its own columns in registers and gets the sums beside them from its neighbours. No "
        "shared memory, no barrier.",
    .group = VariantGroup::separable,
    .notice =
        "A warp reads all rows of its tile directly into registers. It uses the first one only after all loads have "
        "been issued. Each thread sums its own columns, then gets the 2R sums beside them from its neighbours. The "
        "threads at both ends only supply sums. Each block is one warp and ends early, so the memory is busy until the "
        "end. On an H200 at 7680×4320 in f32, radius 1 takes 1.04 times a copy of the image, radius 5 1.12 and radius "
        "8 1.25; separable_stream with its ring in shared memory takes 1.18, 1.27 and 1.31. The 2R rows between two "
        "tiles are read twice, the second time from the cache. Beyond radius 8 there are too many of them. In rgba8 "
        "the arithmetic is the limit: 1.26 at radius 1, 1.87 at radius 3.",
    .needs_rank_1 = true,
    .max_radius = cpu::shuffle_reach,
    .beyond_radius = "loads all rows of a window into registers",
    .instead = "separable_stream",
    .plan = plan_separable_shuffle,
};

}  // namespace conv
