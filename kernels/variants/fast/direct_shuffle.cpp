#define CONV_KERNEL_FILE "kernels/variants/fast/direct_shuffle.cu"
#include <algorithm>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"
#include "kernels/variants/fast/row_stream.h"
#include "kernels/variants/support/warp_tile.h"

namespace conv {

namespace {

// Measured on an H200 with floats, levels, RGBA8 and RGBA32F: the fastest of 2 to 16 rows for each radius.
int rows_of(PixelType format, int radius) {
  if (streams_colours(format) && streamed_bytes(format) <= 4) return radius <= 4 ? 6 : 4;
  return radius <= 2 ? 10 : streamed_bytes(format) <= 4 && radius == 3 ? 8 : 6;
}

template <class Pixel>
CpuTwins twins_of() {
  return CONV_TWINS(direct_shuffle<SourceView<Pixel, Border::any>, TargetView<Pixel>, from_args, from_args, from_args>);
}

Result<LaunchPlan> plan_direct_shuffle(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  const Taps& taps = *settings.taps;
  const Size2 radius = taps.radius();
  const int columns = cpu::lane_columns(streamed_bytes(settings.format));
  return warp_tile_plan({.name = "direct_shuffle",
                         .file = CONV_KERNEL_FILE,
                         .radius = radius,
                         .columns = columns,
                         .width = cpu::tile_columns(radius.width, columns),
                         .rows = rows_of(settings.format, std::max(radius.width, radius.height)),
                         .taps = taps.values,
                         .cpu = for_pixel(settings.format, []<class Pixel> { return twins_of<Pixel>(); })},
                        image, settings, limits);
}

}  // namespace

CONV_DEFINE_VARIANT(direct_shuffle){
    .id = "direct_shuffle",
    .title = "Whole matrix with warp shuffles",
    .idea =
        "Each thread of a warp keeps its pixels of a row in registers and gets the pixels beside them from its "
        "neighbours. No shared memory, no barrier, any matrix.",
    .group = VariantGroup::global_memory,
    .notice =
        "Like separable_shuffle, but neighbours pass on pixels instead of sums, which works for a matrix of any rank. "
        "All threads add all taps, including the threads at both ends, whose results are not used. On an H200 at "
        "7680×4320 in f32, 3×3 takes 1.04 times a copy of the image, 5×5 1.07 and 7×7 1.29; direct_stream takes 1.18, "
        "1.25 and 1.33. At 11×11 the unused results cost more than the direct loads save: 3.3 against 2.8.",
    .max_radius = cpu::matrix_reach,
    .beyond_radius = "loads all rows of a window into registers",
    .instead = "direct_stream",
    .plan = plan_direct_shuffle,
};

}  // namespace conv
