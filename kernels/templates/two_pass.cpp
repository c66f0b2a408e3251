#define CONV_KERNEL_FILE "kernels/variants/convolve.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_convolve(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  const PixelType format = settings.format, scratch = scratch_type(format);
  const Size2 radius = settings.taps->radius();
  KernelStep rows, columns;
  rows.kernel = {
      .file = CONV_KERNEL_FILE,
      .exact = template_instance("convolve_rows", format, settings.border, scratch),
      .general = template_instance("convolve_rows", format, Border::any, scratch),
      .cpu = for_pixel(format,
                       []<class Pixel> {
                         return CONV_TWINS(convolve_rows<SourceView<Pixel, Border::any>, TargetView<ScratchOf<Pixel>>>);
                       }),
  };
  columns.kernel = {
      .file = CONV_KERNEL_FILE,
      .exact = template_instance("convolve_columns", scratch, settings.border, format),
      .general = template_instance("convolve_columns", scratch, Border::any, format),
      .cpu =
          for_pixel(format,
                    []<class Pixel> {
                      return CONV_TWINS(convolve_columns<SourceView<ScratchOf<Pixel>, Border::any>, TargetView<Pixel>>);
                    }),
  };
  rows.block = columns.block = settings.block;
  return two_pass_plan(
      image, settings, tiled(std::move(rows), row_pass_size(image, settings), {radius.width, 0}, format),
      tiled(std::move(columns), target_size(image, radius, settings.border), {0, radius.height}, scratch));
}

CONV_DEFINE_VARIANT(convolve){
    .id = "convolve",
    .title = "convolve",
    .idea = "One sentence: what a student should notice.",
    .group = VariantGroup::separable,
    .needs_rank_1 = true,
    .plan = plan_convolve,
};

}  // namespace conv
