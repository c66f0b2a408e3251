#define CONV_KERNEL_FILE "kernels/variants/tile_linear.cu"
#include "kernels/variants/tile_linear.h"

#include <algorithm>
#include <span>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"
#include "kernels/variants/exhibits/exhibits.h"

namespace conv {

// Whether the radius becomes a constant: the blog and the report compiled these sizes and used a fallback for others.
static bool is_compiled_in(std::string_view choice, Size2 radius) {
  constexpr int sides[] = {3, 5, 7, 11, 21, 51};
  constexpr std::size_t of_the_report = 3;
  if (choice == "every" || choice == "none") return choice == "every";
  const std::span listed = std::span(sides).first(choice == "report" ? of_the_report : std::size(sides));
  return radius.width == radius.height && std::ranges::find(listed, 2 * radius.width + 1) != listed.end();
}

Result<LaunchPlan> plan_tile(TileChoice choice, Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  const PixelType format = settings.format;
  const Size2 radius = settings.taps->radius();
  const bool compiled_in =
      choice.fixed_radius && is_compiled_in(choices::fixed_size[settings.switches["fixed_size"]], radius);
  constexpr Size2 at_run_time{from_args, from_args};
  const Size2 fixed = compiled_in ? radius : at_run_time, block = compiled_in ? settings.block : at_run_time;
  const int constant =
      choice.constant_taps && settings.taps->size.area() * static_cast<int>(sizeof(float)) <= limits.max_constant_bytes;
  KernelInstance kernel{
      .file = CONV_KERNEL_FILE,
      .exact = with_sums(template_instance("tile_linear", format, settings.border, format,
                                           {fixed.width, fixed.height, block.width, block.height, constant}),
                         settings),
      .general = with_sums(template_instance("tile_linear", format, Border::any, format,
                                             {from_args, from_args, from_args, from_args, 0}),
                           settings),
      .cpu = for_sums(settings,
                      []<class Pixel, class Result> {
                        return CONV_TWINS(tile_linear<SourceView<Pixel, Border::any>, TargetView<Result>, from_args,
                                                      from_args, from_args, from_args, 0>);
                      }),
  };
  // The CPU twin reads the taps from the same memory as the general instance.
  if (constant) kernel.constant_symbol = "gpu::constant_taps";
  if (!settings.switches["barrier"]) kernel = no_barrier_instance(settings);
  LaunchPlan plan = direct_plan(image, settings, std::move(kernel));
  auto& step = std::get<KernelStep>(plan.steps.front());
  if (choice.fixed_radius) step.templated = compiled_in;
  step = tiled(std::move(step), plan.image, radius, format);
  return plan;
}

static constexpr std::string_view own_switches[] = {"unroll", "accumulate", "barrier"};

CONV_DEFINE_VARIANT(tile_linear){
    .id = "tile_linear",
    .title = "Shared tile",
    .idea = "A block loads its tile and apron once. Then each thread sums its window from shared memory.",
    .group = VariantGroup::shared_memory,
    .switches = own_switches,
    .plan = [](Size2 image, const ConvSettings& settings,
               const DeviceLimits& limits) { return plan_tile({}, image, settings, limits); },
};

}  // namespace conv
