#include "kernels/variants/fast/row_stream.h"
#include "kernels/core/units.h"

#include <fmt/format.h>

#include <algorithm>

namespace conv {

std::string taps_option(const std::vector<float>& taps) {
  std::string text;
  for (const float tap : taps) text += fmt::format("{}{:a}f", text.empty() ? "-DCONV_TAPS=" : ",", tap);
  return text;
}

StreamKernel register_kernel(std::string_view name, std::string_view file, const RegisterShape& shape, Size2 radius,
                             std::vector<float> taps, const CpuTwins& cpu, const StreamRing& ring) {
  return {.name = name,
          .file = file,
          .numbers = {radius.width, radius.height, shape.results, shape.step_rows},
          .options = taps_option(taps),
          .shape = {32 * shape.results, shape.step_rows, shape.warps},
          .run = shape.results,
          .reach = radius,
          .shared_before = 0,
          .cpu = cpu,
          .taps = std::move(taps),
          .ring = ring};
}

std::vector<float> row_and_column(const Taps& taps) {
  std::vector<float> both = taps.row;
  both.insert(both.end(), taps.column.begin(), taps.column.end());
  return both;
}

bool streams_colours(PixelType format) {
  return info(format).channels > 1 && !is_planar(format);
}

int streamed_bytes(PixelType format) {
  const PixelTypeInfo& row = info(format);
  return static_cast<int>(is_planar(format) ? row.bytes / row.channels : row.bytes);
}
int streamed_chunk(PixelType format) {
  const int bytes = streamed_bytes(format);
  return 16 % bytes == 0 ? 16 / bytes : 1;
}

// Sets the step's shared memory and returns the warps of a block: as many as possible, because a wide strip reads less
// beside it. Fewer where the last strip would reach far beyond the image, or where too few blocks would fit.
static int choose_strip(const StreamKernel& kernel, PixelType format, int image_width, int slots,
                        const DeviceLimits& limits, KernelStep& step) {
  const int pixel_bytes = streamed_bytes(format), rows = slots * kernel.shape.step_rows;
  const int apron = kernel.ring.apron(kernel.reach.width, streamed_chunk(format));
  for (int warps = 4;; warps /= 2) {
    const int width = warps * kernel.shape.warp_width, staged = width + 2 * apron;
    step.second_stage_bytes = kernel.shared_before + kernel.ring.head(slots, step.rounds, staged);
    step.shared_bytes =
        step.second_stage_bytes + ((rows - 1) * kernel.ring.pitch(staged, pixel_bytes) + staged) * pixel_bytes;
    const bool fits =
        ceil_div(image_width, width) * width <= 1.03 * image_width && step.shared_bytes <= limits.max_shared_bytes / 4;
    if (warps == 1 || fits) return warps;
  }
}

// All segments have the same height. None is so short that most of the rows it reads belong to its neighbours.
static int strip_height(const StreamKernel& kernel, int image_height, int slots, int segments) {
  const int step_rows = kernel.shape.step_rows, beyond = 2 * kernel.reach.height;
  const int least = std::max({16, beyond, slots * step_rows - beyond});
  const int rows = std::max(ceil_div(image_height, segments), least) + beyond;
  return ceil_div(rows, step_rows) * step_rows - beyond;
}

Result<LaunchPlan> row_stream_plan(const StreamKernel& kernel, Size2 image, const ConvSettings& settings,
                                   const DeviceLimits& limits) {
  const PixelTypeInfo& format = info(settings.format);
  const StreamShape& shape = kernel.shape;
  const bool planar = is_planar(settings.format);
  const auto instance = [&](Border border) {
    const auto& n = kernel.numbers;
    return template_instance(kernel.name, settings.format, border, settings.format, {n[0], n[1], n[2], n[3]});
  };
  LaunchPlan plan = direct_plan(image, settings,
                                {.file = kernel.file,
                                 .exact = instance(settings.border),
                                 .general = instance(Border::any),
                                 .options = kernel.options,
                                 .cpu = kernel.cpu});
  auto& step = std::get<KernelStep>(plan.steps.front());
  plan.tables.front().values = kernel.taps;

  const int pixel_bytes = streamed_bytes(settings.format), chunk = streamed_chunk(settings.format);
  const int needed = ceil_div(kernel.reach.width, chunk) * chunk, apron = kernel.ring.apron(kernel.reach.width, chunk);
  const bool keeps_alpha = streams_colours(settings.format) && format.channels == 4;
  const int slots =
      kernel.ring.ahead(shape.step_rows) + 1 + (keeps_alpha ? ceil_div(kernel.reach.height, shape.step_rows) : 0);
  step.rounds = planar ? 3 : 1;
  const int warps = choose_strip(kernel, settings.format, plan.image.width, slots, limits, step);
  const int width = warps * shape.warp_width, strips = ceil_div(plan.image.width, width);
  const int segments = std::max(1, limits.multiprocessors * shape.warps / warps / strips);
  const int height = strip_height(kernel, plan.image.height, slots, segments);

  step.block = {32 * warps, 1};
  step.tile = {width, height};
  step.apron = {apron, kernel.reach.height};
  step.grid = {strips, ceil_div(plan.image.height, height)};
  step.results = height;
  step.reads_beside_tile = planar && format.channels == 4 ? 1 : 0;
  step.ring = true;
  // Small pixels are loaded two or four at a time.
  step.tile_loads =
      static_cast<double>(kernel.run + 2 * needed) / kernel.run * (pixel_bytes < 3 ? pixel_bytes / 4.0 : 1);
  step.threads.writing = static_cast<long long>(ceil_div(plan.image.width, kernel.run)) * step.grid.height;
  step.threads.loading_only = step.grid.area() * step.block.area() - step.threads.writing;
  step.threads.idle = 0;
  if (step.shared_bytes > limits.max_shared_bytes)
    return failure(
        fmt::format("{} needs {} of shared memory for its rows and results, but {} allows {}. Use a smaller "
                    "radius, or separable_tiles",
                    kernel.name, needed_text(step.shared_bytes), limits.name, bytes_text(limits.max_shared_bytes)));
  return plan;
}

}  // namespace conv
