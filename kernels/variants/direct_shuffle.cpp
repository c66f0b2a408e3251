#define CONV_KERNEL_FILE "kernels/variants/direct_shuffle.cu"
#include <algorithm>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"
#include "kernels/variants/row_stream.h"
#include "kernels/variants/warp_tile.h"

namespace {

// Measured on an H200, floats, levels, RGBA8 and RGBA32F: the fastest of 2 to 16 for each radius.
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
                         .instead = "direct_stream",
                         .radius = radius,
                         .reach = cpu::matrix_reach,
                         .columns = columns,
                         .width = cpu::tile_columns(radius.width, columns),
                         .rows = rows_of(settings.format, std::max(radius.width, radius.height)),
                         .taps = taps.values,
                         .cpu = for_pixel(settings.format, []<class Pixel> { return twins_of<Pixel>(); })},
                        image, settings, limits);
}

}  // namespace

const Variant direct_shuffle_variant{
    .id = "direct_shuffle",
    .title = "Whole matrix, by warp shuffles",
    .idea =
        "Every lane keeps its own pixels of a row in registers and takes those beside them from its neighbours: no "
        "shared memory, no barrier, any matrix.",
    .group = VariantGroup::global_memory,
    .notice =
        "As separable_shuffle, but neighbours lend pixels, which a matrix of any rank can use, and all lanes add all "
        "taps, those at the ends for nothing. On an H200 at 7680×4320 in floats 3×3 takes 1.04 copies of the image, "
        "5×5 1.07 and 7×7 1.29, direct_stream 1.18, 1.25 and 1.33; at 11×11 the lanes that only lend cost more than "
        "the short way to registers saves: 3.3 against 2.8.",
    .max_radius = 5,
    .plan = plan_direct_shuffle,
};
