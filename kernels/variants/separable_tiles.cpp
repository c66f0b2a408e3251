#define CONV_KERNEL_FILE "kernels/variants/separable_tiles.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"
#include "kernels/variants/exhibits/exhibits.h"

namespace conv {

static Result<LaunchPlan> plan_separable_tiles(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  const PixelType format = settings.format, scratch = scratch_type(format);
  const Size2 radius = settings.taps->radius();
  KernelStep rows, columns;
  rows.kernel = {
      .file = CONV_KERNEL_FILE,
      .exact = template_instance("separable_rows", format, settings.border, scratch, {radius.width}),
      .general = template_instance("separable_rows", format, Border::any, scratch, {from_args}),
      .cpu =
          for_pixel(format,
                    []<class Pixel> {
                      using Scratch = ScratchOf<Pixel>;
                      return CONV_TWINS(separable_rows<SourceView<Pixel, Border::any>, TargetView<Scratch>, from_args>);
                    }),
  };
  columns.kernel = {
      .file = CONV_KERNEL_FILE,
      .exact = template_instance("separable_columns", scratch, settings.border, format, {radius.height}),
      .general = template_instance("separable_columns", scratch, Border::any, format, {from_args}),
      .cpu = for_pixel(format,
                       []<class Pixel> {
                         using Scratch = ScratchOf<Pixel>;
                         return CONV_TWINS(
                             separable_columns<SourceView<Scratch, Border::any>, TargetView<Pixel>, from_args>);
                       }),
  };
  rows.block = columns.block = settings.block;
  const bool as_published = settings.switches["as_published"] != 0;
  if (as_published) rows.kernel = blog_rows_instance(settings);
  LaunchPlan plan = two_pass_plan(
      image, settings, tiled(std::move(rows), row_pass_size(image, settings), {radius.width, 0}, format),
      tiled(std::move(columns), target_size(image, radius, settings.border), {0, radius.height}, scratch));
  return plan;
}

static constexpr std::string_view own_switches[] = {"unroll", "as_published"};

CONV_DEFINE_VARIANT(separable_tiles){
    .id = "separable_tiles",
    .title = "Separable, shared tiles",
    .idea = "A filter of rank 1 is a row pass and a column pass: 2(2R+1) taps instead of (2R+1)².",
    .group = VariantGroup::separable,
    .needs_rank_1 = true,
    .switches = own_switches,
    .plan = plan_separable_tiles,
};

}  // namespace conv
