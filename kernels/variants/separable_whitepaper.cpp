#define CONV_KERNEL_FILE "kernels/variants/separable_whitepaper.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

// The whitepaper's GPU reads 64 bytes per half-warp at once.
constexpr int aligned_bytes = 64;

static Result<LaunchPlan> plan_separable_whitepaper(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  const PixelType format = settings.format, scratch = scratch_type(format);
  const Size2 radius = settings.taps->radius();
  const SwitchValues& chosen = settings.switches;
  KernelStep rows, columns;
  rows.results = chosen["row_results"];
  columns.results = chosen["column_results"];
  rows.kernel = {
      .file = CONV_KERNEL_FILE,
      .exact = template_instance("whitepaper_rows", format, settings.border, scratch, {radius.width, rows.results}),
      .general = template_instance("whitepaper_rows", format, Border::any, scratch, {from_args, from_args}),
      .cpu =
          for_pixel(format,
                    []<class Pixel> {
                      using Scratch = ScratchOf<Pixel>;
                      return CONV_TWINS(
                          whitepaper_rows<SourceView<Pixel, Border::any>, TargetView<Scratch>, from_args, from_args>);
                    }),
  };
  columns.kernel = {
      .file = CONV_KERNEL_FILE,
      .exact =
          template_instance("whitepaper_columns", scratch, settings.border, format, {radius.height, columns.results}),
      .general = template_instance("whitepaper_columns", scratch, Border::any, format, {from_args, from_args}),
      .cpu = for_pixel(
          format,
          []<class Pixel> {
            using Scratch = ScratchOf<Pixel>;
            return CONV_TWINS(
                whitepaper_columns<SourceView<Scratch, Border::any>, TargetView<Pixel>, from_args, from_args>);
          }),
  };
  rows.block = {chosen["row_width"], chosen["row_height"]};
  columns.block = {chosen["column_width"], chosen["column_height"]};
  if (chosen["align"]) rows.alignment_px = std::max(1, aligned_bytes / info(format).bytes);
  rows = tiled(std::move(rows), row_pass_size(image, settings),
               {.tile = {rows.block.width * rows.results, rows.block.height},
                .apron = {radius.width, 0},
                .writers = rows.block,
                .staged = format});
  columns = tiled(std::move(columns), target_size(image, radius, settings.border),
                  {.tile = {columns.block.width, columns.block.height * columns.results},
                   .apron = {0, radius.height},
                   .writers = columns.block,
                   .staged = scratch});
  return two_pass_plan(image, settings, std::move(rows), std::move(columns));
}

static constexpr std::string_view own_switches[] = {"row_width",    "row_height",    "row_results",    "align",
                                                    "column_width", "column_height", "column_results", "unroll"};

CONV_DEFINE_VARIANT(separable_whitepaper){
    .id = "separable_whitepaper",
    .title = "Separable, as in the whitepaper",
    .idea = "Each thread computes several results. The apron is loaded once for a whole wide or tall tile.",
    .group = VariantGroup::separable,
    .needs_rank_1 = true,
    .switches = own_switches,
    .plan = plan_separable_whitepaper,
};

}  // namespace conv
