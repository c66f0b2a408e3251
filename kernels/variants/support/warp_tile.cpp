#include "kernels/variants/support/warp_tile.h"

#include <algorithm>

#include "kernels/variants/fast/row_stream.h"

namespace conv {

Result<LaunchPlan> warp_tile_plan(const WarpTileKernel& kernel, Size2 image, const ConvSettings& settings,
                                  const DeviceLimits& limits) {
  const PixelTypeInfo& format = info(settings.format);
  // If a multiprocessor gets fewer warps than it can hold, more warps are worth reading some rows twice.
  constexpr int busy = 20;
  const Size2 target = target_size(image, kernel.radius, settings.border);
  const bool small = covering(target, {kernel.width, kernel.rows}).area() < busy * limits.multiprocessors;
  const int rows = small ? std::min(kernel.rows, streams_colours(settings.format) ? 4 : 8) : kernel.rows;
  const auto instance = [&](Border border) {
    return template_instance(kernel.name, settings.format, border, settings.format,
                             {kernel.radius.width, kernel.radius.height, rows});
  };
  LaunchPlan plan = direct_plan(image, settings,
                                {.file = kernel.file,
                                 .exact = instance(settings.border),
                                 .general = instance(Border::any),
                                 .options = taps_option(kernel.taps),
                                 .cpu = kernel.cpu});
  plan.tables.front().values = kernel.taps;
  auto& step = std::get<KernelStep>(plan.steps.front());
  step.block = {32, 1};
  step.tile = {kernel.width, rows};
  step.apron = {(32 * kernel.columns - kernel.width) / 2, kernel.radius.height};
  step.grid = covering(plan.image, step.tile);
  step.results = rows;
  step.rounds = is_planar(settings.format) ? 3 : 1;
  step.reads_beside_tile = is_planar(settings.format) && format.channels == 4 ? 1 : 0;
  step.in_registers = true;
  step.threads.writing = static_cast<long long>(ceil_div(plan.image.width, kernel.columns)) * step.grid.height;
  step.threads.loading_only = step.grid.area() * step.block.area() - step.threads.writing;
  step.threads.idle = 0;
  return plan;
}

}  // namespace conv
