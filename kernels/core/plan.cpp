#include "kernels/core/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/core/rows.h"

namespace conv {

int staged_bytes(Size2 tile, Size2 apron, int bytes_per_pixel) {
  return (tile.width + 2 * apron.width) * (tile.height + 2 * apron.height) * bytes_per_pixel;
}

PixelType LaunchPlan::type_of(ImageRef ref) const {
  if (ref.role == ImageRole::target) return target_format.value_or(format);
  return ref.role == ImageRole::scratch ? scratch[ref.index].type : format;
}

Size2 LaunchPlan::size_of(ImageRef ref) const {
  switch (ref.role) {
    case ImageRole::source:
    case ImageRole::host_source: return source;
    case ImageRole::target:
    case ImageRole::host_target: return image;
    case ImageRole::scratch: break;
  }
  return scratch[ref.index].size;
}

int LaunchPlan::first_constant(int table) const {
  int first = 0;
  for (int i = 0; i < table; ++i) first += static_cast<int>(tables[i].values.size());
  return first;
}

std::vector<float> LaunchPlan::constants() const {
  std::vector<float> all;
  for (const TapsTable& table : tables) all.insert(all.end(), table.values.begin(), table.values.end());
  return all;
}

Size2 LaunchPlan::written_by(const StepBase& step) const {
  const Size2 size = size_of(step.writes);
  return {size.width, step.rows ? step.rows->count : size.height};
}

bool LaunchPlan::on_host() const {
  return std::any_of(steps.begin(), steps.end(), [](const Step& s) { return std::holds_alternative<HostStep>(s); });
}

bool LaunchPlan::transfers() const {
  return std::any_of(steps.begin(), steps.end(),
                     [](const Step& s) { return base_of(s).writes.role == ImageRole::host_target; });
}

bool LaunchPlan::spread() const {
  return std::any_of(steps.begin(), steps.end(),
                     [](const Step& s) { return base_of(s).stream != 0 || base_of(s).device != 0; });
}

const StepBase& base_of(const Step& step) {
  return std::visit([](const auto& s) -> const StepBase& { return s; }, step);
}

std::vector<const Step*> all_steps(const LaunchPlan& plan) {
  std::vector<const Step*> steps;
  for (const std::vector<Step>* part : {&plan.once, &plan.steps})
    for (const Step& step : *part) steps.push_back(&step);
  return steps;
}

std::string_view LaunchPlan::title_of(std::size_t step) const {
  return base_of(steps[step]).title;
}

float total_ms(const std::vector<StepSpan>& spans) {
  float begin = spans.empty() ? 0 : spans.front().begin_ms, end = begin;
  for (const StepSpan& span : spans) {
    begin = std::min(begin, span.begin_ms);
    end = std::max(end, span.end_ms);
  }
  return end - begin;
}

PixelBuffer rows_of(PixelBuffer image, PixelType type, RowRange rows) {
  image.data = row_of(image, type, 0, rows.first);
  image.height = rows.count;
  return image;
}

bool sums_in_half(const ConvSettings& settings) {
  return settings.switches["accumulate"] != 0;
}

TemplateInstance with_sums(TemplateInstance instance, const ConvSettings& settings) {
  for (auto& argument : instance.arguments)
    if (auto* source = std::get_if<SourceArgument>(&argument)) source->half_sums = sums_in_half(settings);
  return instance;
}

float unit_of(const ConvSettings& settings) {
  return settings.unit > 0 ? settings.unit : info(settings.format).one;
}

float outside_of(const ConvSettings& settings) {
  if (settings.border != Border::constant) return 0.0f;
  const float value = settings.border_value * unit_of(settings);
  return is_8_bit(settings.format) ? to_level(value) : value;
}

const BorderInfo& info(Border border) {
  return *std::find_if(borders.begin(), borders.end(), [&](const BorderInfo& row) { return row.border == border; });
}

std::string border_name(Border border) {
  if (border == Border::inside) return "Border::inside";
  for (const BorderInfo& b : borders)
    if (b.border == border) return fmt::format("Border::{}", b.id);
  return border == Border::inside ? "Border::inside" : "Border::any";
}

Size2 target_size(Size2 source, Size2 radius, Border border) {
  if (border != Border::valid) return source;
  return {source.width - 2 * radius.width, source.height - 2 * radius.height};
}

void cover(KernelStep& step, Size2 image) {
  step.grid = covering(image, {std::max(step.block.width, 1), std::max(step.block.height, 1)});
  step.tile = step.block;
  step.threads = {.writing = image.area()};
  step.threads.idle = step.grid.area() * step.block.area() - image.area();
}

LaunchPlan direct_plan(Size2 source, const ConvSettings& settings, KernelInstance kernel) {
  const Taps& taps = *settings.taps;
  const Size2 radius = taps.radius(), image = target_size(source, radius, settings.border);
  KernelStep step;
  step.title = "kernel";
  step.kernel = std::move(kernel);
  step.reads = {ImageRole::source};
  step.writes = {ImageRole::target};
  if (settings.border == Border::valid) step.origin = {radius.width, radius.height};
  step.border = settings.border;
  step.outside = outside_of(settings);
  step.offset = taps.offset * unit_of(settings);
  step.block = settings.block;
  cover(step, image);
  return {.format = settings.format,
          .source = source,
          .image = image,
          .tables = {{taps.values, radius}},
          .steps = {std::move(step)}};
}

LaunchPlan host_plan(Size2 source, const ConvSettings& settings, HostKernel run, bool one_core) {
  LaunchPlan plan = direct_plan(source, settings, {});
  HostStep step;
  static_cast<StepBase&>(step) = base_of(plan.steps.front());
  step.run = run;
  step.one_core = one_core;
  plan.steps = {std::move(step)};
  return plan;
}

namespace {

// Writing threads along one axis: all writers of every tile except the last, which has as many as there are pixels
// left.
long long writing(int pixels, int tile, int writers) {
  const int before = ceil_div(pixels, tile) - 1;
  return static_cast<long long>(before) * writers + std::min(writers, pixels - before * tile);
}

}  // namespace

KernelStep tiled(KernelStep step, Size2 image, const Staging& s) {
  const auto at_least_1 = [](Size2 size) { return Size2{std::max(size.width, 1), std::max(size.height, 1)}; };
  const Size2 tile = at_least_1(s.tile), writers = at_least_1(s.writers);
  step.grid = covering(image, tile);
  step.tile = s.tile;
  step.apron = s.apron;
  step.shared_bytes = staged_bytes(s.tile, s.apron, info(s.staged).bytes);
  // Tile and apron are at least as large as the block: each thread loads, also one outside the image.
  step.threads = {.writing = writing(image.width, tile.width, writers.width) *
                             writing(image.height, tile.height, writers.height)};
  step.threads.loading_only = step.grid.area() * step.block.area() - step.threads.writing;
  return step;
}

KernelStep tiled(KernelStep step, Size2 image, Size2 apron, PixelType staged) {
  const Size2 block = step.block;
  return tiled(std::move(step), image, {.tile = block, .apron = apron, .writers = block, .staged = staged});
}

KernelInstance instance_of(std::string_view file, std::string_view name, const ConvSettings& settings, CpuTwins cpu) {
  return {.file = file,
          .exact = with_sums(template_instance(name, settings.format, settings.border, settings.format), settings),
          .general = with_sums(template_instance(name, settings.format, Border::any, settings.format), settings),
          .cpu = cpu};
}

PixelType scratch_type(PixelType format) {
  return info(format).channels == 1 ? PixelType::f32 : PixelType::rgba32f;
}

Size2 row_pass_size(Size2 source, const ConvSettings& settings) {
  return target_size(source, {settings.taps->radius().width, 0}, settings.border);
}

LaunchPlan two_pass_plan(Size2 source, const ConvSettings& settings, KernelStep rows, KernelStep columns) {
  const Taps& taps = *settings.taps;
  const Size2 radius = taps.radius();
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
  columns.outside = rows.outside * row_sum;  // a row outside the image is uniform, and this is its filtered value
  columns.offset = taps.offset * unit_of(settings);
  if (settings.border == Border::valid) {
    rows.origin = {radius.width, 0};
    columns.origin = {0, radius.height};
  }
  return {.format = settings.format,
          .source = source,
          .image = target_size(source, radius, settings.border),
          .scratch = {{scratch_type(settings.format), row_pass_size(source, settings)}},
          .tables = {{taps.row, {radius.width, 0}}, {taps.column, {0, radius.height}}},
          .steps = {std::move(rows), std::move(columns)}};
}

}  // namespace conv
