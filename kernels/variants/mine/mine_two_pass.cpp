#define CONV_KERNEL_FILE "kernels/variants/mine/mine_two_pass.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_mine_two_pass(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  const PixelType format = settings.format, scratch = scratch_type(format);
  const Size2 radius = settings.taps->radius();
  KernelStep rows, columns;
  rows.kernel = {
      .file = CONV_KERNEL_FILE,
      .exact = template_instance("mine_two_pass_rows", format, settings.border, scratch),
      .general = template_instance("mine_two_pass_rows", format, Border::any, scratch),
      .cpu = for_pixel(format,
                       []<class Pixel> {
                         return CONV_TWINS(
                             mine_two_pass_rows<SourceView<Pixel, Border::any>, TargetView<ScratchOf<Pixel>>>);
                       }),
  };
  columns.kernel = {
      .file = CONV_KERNEL_FILE,
      .exact = template_instance("mine_two_pass_columns", scratch, settings.border, format),
      .general = template_instance("mine_two_pass_columns", scratch, Border::any, format),
      .cpu = for_pixel(format,
                       []<class Pixel> {
                         return CONV_TWINS(
                             mine_two_pass_columns<SourceView<ScratchOf<Pixel>, Border::any>, TargetView<Pixel>>);
                       }),
  };
  rows.block = columns.block = settings.block;
  return two_pass_plan(
      image, settings, tiled(std::move(rows), row_pass_size(image, settings), {radius.width, 0}, format),
      tiled(std::move(columns), target_size(image, radius, settings.border), {0, radius.height}, scratch));
}

CONV_DEFINE_VARIANT(mine_two_pass){
    .id = "mine_two_pass",
    .title = "Yours: two passes",
    .idea = "Two kernels to change in Code, Edit. They begin with rows, then columns, with a tile each.",
    .group = VariantGroup::mine,
    .needs_rank_1 = true,
    .plan = plan_mine_two_pass,
};

}  // namespace conv
