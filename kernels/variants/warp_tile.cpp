#include "kernels/variants/warp_tile.h"

#include <algorithm>

#include "kernels/variants/row_stream.h"

LaunchPlan warp_tile_plan(const WarpTileKernel& kernel, Size2 image, const ConvSettings& settings,
                          const DeviceLimits& limits) {
  const PixelTypeInfo& format = info(settings.format);
  const int width = (32 - 2 * kernel.lending) * kernel.columns;
  // Warps that a multiprocessor gets: where they are less than it can hold, more of them are worth the rows read twice.
  constexpr int busy = 20;
  const long long warps = covering(target_size(image, kernel.radius, settings.border), {width, kernel.rows}).area();
  const int rows = warps < busy * limits.multiprocessors ? std::min(kernel.rows, kernel.rows_of_small) : kernel.rows;
  const auto instance = [&](Border border) {
    return instance_name(kernel.name, settings.format, border, settings.format,
                         {kernel.radius.width, kernel.radius.height, rows});
  };
  LaunchPlan plan = direct_plan(image, settings,
                                {.file = kernel.file,
                                 .name = instance(settings.border),
                                 .general = instance(Border::any),
                                 .options = taps_option(kernel.taps),
                                 .cpu = kernel.cpu});
  plan.tables.front().values = kernel.taps;
  auto& step = std::get<KernelStep>(plan.steps.front());
  step.block = {32, 1};
  step.tile = {width, rows};
  step.apron = {kernel.lending * kernel.columns, kernel.radius.height};
  step.grid = covering(plan.image, step.tile);
  step.results = rows;
  step.rounds = is_planar(settings.format) ? 3 : 1;
  step.reads_beside_tile = is_planar(settings.format) && format.channels == 4 ? 1 : 0;
  step.in_registers = true;
  step.multiply_adds = kernel.multiply_adds;
  step.threads.writing = static_cast<long long>(ceil_div(plan.image.width, kernel.columns)) * step.grid.height;
  step.threads.loading_only = step.grid.area() * step.block.area() - step.threads.writing;
  step.threads.idle = 0;
  return plan;
}
