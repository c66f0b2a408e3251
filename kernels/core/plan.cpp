#include "kernels/core/plan.h"

#include <fmt/format.h>

#include <numeric>

namespace {

template <class StepType>
ConvArgs args_for(const StepType& step, const LaunchPlan& plan, PixelBuffer reads, PixelBuffer writes,
                  const float* taps) {
  const Size2 radius = plan.tables[step.taps].radius;
  return {.source = reads,
          .target = writes,
          .taps = taps,
          .radius_x = radius.width,
          .radius_y = radius.height,
          .border = step.border,
          .outside = step.outside,
          .offset = step.offset};
}

int staged_bytes(Size2 block, Size2 apron, int bytes_per_pixel) {
  return (block.width + 2 * apron.width) * (block.height + 2 * apron.height) * bytes_per_pixel;
}

}  // namespace

PixelType LaunchPlan::type_of(ImageRef ref) const {
  return ref.role == ImageRole::scratch ? scratch[ref.index].type : format;
}

std::string_view LaunchPlan::title_of(std::size_t step) const {
  return std::visit([](const auto& s) { return s.title; }, steps[step]);
}

ConvArgs args_of(const KernelStep& s, const LaunchPlan& p, PixelBuffer r, PixelBuffer w, const float* taps) {
  return args_for(s, p, r, w, taps);
}
ConvArgs args_of(const HostStep& s, const LaunchPlan& p, PixelBuffer r, PixelBuffer w, const float* taps) {
  return args_for(s, p, r, w, taps);
}

float outside_of(const ConvSettings& settings) {
  if (settings.border != Border::constant) return 0.0f;
  const float value = settings.border_value * info(settings.format).one;
  return settings.format == PixelType::rgba8 ? to_level(value) : value;
}

std::string border_name(Border border) {
  for (const BorderInfo& b : borders)
    if (b.border == border) return fmt::format("Border::{}", b.id);
  return "Border::any";
}

std::string instance_name(std::string_view name, PixelType source, Border border, PixelType target,
                          std::initializer_list<int> numbers) {
  std::string text = fmt::format("gpu::{}<gpu::SourceView<{}, {}>, gpu::TargetView<{}>", name, info(source).cpp_name,
                                 border_name(border), info(target).cpp_name);
  for (int number : numbers) text += fmt::format(", {}", number);
  return text + ">";
}

Result<LaunchPlan> within(const DeviceLimits& limits, std::string_view variant, LaunchPlan plan) {
  for (const Step& step : plan.steps) {
    const auto* kernel = std::get_if<KernelStep>(&step);
    if (!kernel) continue;
    const auto [width, height] = kernel->block;
    if (width < 1 || height < 1)
      return failure(fmt::format("block {}x{}: both sides must be at least 1", width, height));
    if (kernel->block.area() > limits.max_threads_per_block)
      return failure(
          fmt::format("{}x{} = {} threads > {}", width, height, kernel->block.area(), limits.max_threads_per_block));
    if (kernel->shared_bytes > limits.max_shared_bytes) {
      const Size2 radius = plan.tables[kernel->taps].radius;
      const int bytes = info(plan.type_of(kernel->reads)).bytes;
      const bool small_block_fits = staged_bytes({8, 8}, kernel->apron, bytes) <= limits.max_shared_bytes;
      return failure(fmt::format(
          "{} at radius {} needs {} KB of shared memory per block; {} allows {} KB. Use {}a separable variant", variant,
          std::max(radius.width, radius.height), ceil_div(kernel->shared_bytes, 1024), limits.name,
          limits.max_shared_bytes / 1024, small_block_fits && kernel->block.area() > 64 ? "8x8 or " : ""));
    }
  }
  return plan;
}

LaunchPlan direct_plan(Size2 image, const ConvSettings& settings, KernelInstance kernel) {
  const Taps& taps = *settings.taps;
  const Size2 block{std::max(settings.block.width, 1), std::max(settings.block.height, 1)};
  KernelStep step{.title = "kernel",
                  .kernel = std::move(kernel),
                  .reads = {ImageRole::source},
                  .writes = {ImageRole::target},
                  .border = settings.border,
                  .outside = outside_of(settings),
                  .offset = taps.offset * info(settings.format).one,
                  .grid = covering(image, block),
                  .block = settings.block,
                  .tile = settings.block,
                  .apron = {},
                  .threads = {.writing = image.area()}};
  step.threads.idle = step.grid.area() * step.block.area() - image.area();
  return {
      .format = settings.format, .image = image, .tables = {{taps.values, taps.radius()}}, .steps = {std::move(step)}};
}

KernelStep tiled(KernelStep step, Size2 image, Size2 apron, PixelType staged) {
  const Size2 block{std::max(step.block.width, 1), std::max(step.block.height, 1)};
  step.grid = covering(image, block);
  step.tile = step.block;
  step.apron = apron;
  step.shared_bytes = staged_bytes(step.block, apron, info(staged).bytes);
  // Tile and apron are never smaller than the block: each thread loads, also one outside the image.
  step.threads = {.writing = image.area(), .loading_only = step.grid.area() * step.block.area() - image.area()};
  return step;
}

PixelType scratch_type(PixelType format) {
  return format == PixelType::f32 ? PixelType::f32 : PixelType::rgba32f;
}

template <class StepType>
LaunchPlan two_pass_plan(Size2 image, const ConvSettings& settings, StepType rows, StepType columns) {
  const Taps& taps = *settings.taps;
  const auto [radius_x, radius_y] = taps.radius();
  const float row_sum = std::accumulate(taps.row.begin(), taps.row.end(), 0.0f);
  rows.title = "pass 1 rows";
  rows.reads = {ImageRole::source};
  rows.writes = {ImageRole::scratch, 0};
  rows.taps = 0;
  rows.border = columns.border = settings.border;
  rows.outside = outside_of(settings);
  rows.offset = 0;
  columns.title = "pass 2 columns";
  columns.reads = {ImageRole::scratch, 0};
  columns.writes = {ImageRole::target};
  columns.taps = 1;
  columns.outside = rows.outside * row_sum;  // a row outside the image is uniform: its filtered value is this
  columns.offset = taps.offset * info(settings.format).one;
  return {.format = settings.format,
          .image = image,
          .scratch = {{scratch_type(settings.format), image}},
          .tables = {{taps.row, {radius_x, 0}}, {taps.column, {0, radius_y}}},
          .steps = {std::move(rows), std::move(columns)}};
}
template LaunchPlan two_pass_plan(Size2, const ConvSettings&, KernelStep, KernelStep);
template LaunchPlan two_pass_plan(Size2, const ConvSettings&, HostStep, HostStep);
