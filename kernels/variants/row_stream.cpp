#include "kernels/variants/row_stream.h"

#include <fmt/format.h>

#include <algorithm>

// As the compiler's option: every one an immediate operand.
static std::string taps_option(const TapsTable& table) {
  std::string text;
  for (const float tap : table.values) text += fmt::format("{}{:a}f", text.empty() ? "-DCONV_TAPS=" : ",", tap);
  return text;
}

bool streams_colours(PixelType format) {
  return info(format).channels > 1 && !is_planar(format);
}

Result<LaunchPlan> row_stream_plan(const StreamKernel& kernel, Size2 image, const ConvSettings& settings,
                                   const DeviceLimits& limits) {
  const PixelTypeInfo& format = info(settings.format);
  const Size2 radius = settings.taps->radius();
  const StreamShape& shape = kernel.shape;
  const bool planar = is_planar(settings.format);
  const auto instance = [&](Border border) {
    return instance_name(kernel.name, settings.format, border, settings.format,
                         {radius.width, radius.height, shape.results, shape.step_rows});
  };
  LaunchPlan plan = direct_plan(
      image, settings,
      {.file = kernel.file, .name = instance(settings.border), .general = instance(Border::any), .cpu = kernel.cpu});
  auto& step = std::get<KernelStep>(plan.steps.front());
  plan.tables.front().values = kernel.taps;
  step.kernel.options = taps_option(plan.tables.front());

  // The ring holds whole chunks of 16 bytes where pixels make such up.
  const int pixel_bytes = planar ? format.bytes / format.channels : static_cast<int>(format.bytes);
  const int chunk = 16 % pixel_bytes == 0 ? 16 / pixel_bytes : 1;
  const int needed = ceil_div(radius.width, chunk) * chunk, apron = needed == chunk ? 2 * chunk : needed;
  const bool keeps_alpha = streams_colours(settings.format) && format.channels == 4;
  const int slots = kernel.ahead + 1 + (keeps_alpha ? ceil_div(radius.height, shape.step_rows) : 0);
  step.rounds = planar ? 3 : 1;
  // Wide strips read less beside them; not where they reach over the edge, which is filled, nor where few would fit.
  int warps = 8, width = 0;
  do {
    warps /= 2;
    width = 32 * warps * shape.results;
    const int staged = width + 2 * apron;
    step.second_stage_bytes = (ceil_div(8 * slots * step.rounds, 16) + ceil_div(4 * staged, 16)) * 16;
    step.shared_bytes = step.second_stage_bytes + slots * shape.step_rows * staged * pixel_bytes;
  } while (warps > 1 && (ceil_div(plan.image.width, width) * width > 1.03 * plan.image.width ||
                         step.shared_bytes > limits.max_shared_bytes / 4));
  // All warps have the same to do. A strip is not so short that most of its rows are its neighbours'.
  const int strips = ceil_div(plan.image.width, width);
  const int segments = std::max(1, limits.multiprocessors * shape.warps / warps / strips);
  const int least = std::max({16, 2 * radius.height, slots * shape.step_rows - 2 * radius.height});
  const int rows = std::max(ceil_div(plan.image.height, segments), least) + 2 * radius.height;
  const int height = ceil_div(rows, shape.step_rows) * shape.step_rows - 2 * radius.height;

  step.block = {32 * warps, 1};
  step.tile = {width, height};
  step.apron = {apron, radius.height};
  step.grid = {strips, ceil_div(plan.image.height, height)};
  step.results = height;
  step.reads_beside_tile = planar && format.channels == 4 ? 1 : 0;
  step.ring = true;
  // Small pixels are loaded four or two at a time.
  step.tile_loads =
      static_cast<double>(shape.results + 2 * needed) / shape.results * (pixel_bytes < 3 ? pixel_bytes / 4.0 : 1);
  step.threads.writing = static_cast<long long>(ceil_div(plan.image.width, shape.results)) * step.grid.height;
  step.threads.loading_only = step.grid.area() * step.block.area() - step.threads.writing;
  step.threads.idle = 0;
  return within(limits, kernel.name, std::move(plan));
}
