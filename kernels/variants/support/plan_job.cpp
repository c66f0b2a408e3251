#include "kernels/variants/support/plan_job.h"
#include "kernels/core/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "kernels/ops/whole_images.h"

namespace conv {

// What the variant's fields exclude for this filter.
static Result<void> check_filter(const Variant& variant, const Taps& taps, const DeviceLimits& limits) {
  if (variant.needs_fft && !limits.no_fft.empty()) return failure(fmt::format("{}: {}", variant.id, limits.no_fft));
  if (variant.needs_equal_taps && !taps.equal())
    return failure(
        fmt::format("{} needs equal taps. Use the filter Box, or the variant {}", variant.id, variant.instead));
  if (variant.needs_rank_1 && !taps.separable())
    return failure(
        fmt::format("{} needs a separable filter (rank 1: a row times a column), but this matrix has rank {}. Use {}",
                    variant.id, taps.rank, variant.group == VariantGroup::cpu ? "cpu_direct" : "tile_unrolled"));
  if (const int radius = std::max(taps.radius().width, taps.radius().height); radius > variant.max_radius)
    return failure(fmt::format("{} {}. Radius {} needs too many; the largest radius is {}. Use {}", variant.id,
                               variant.beyond_radius, radius, variant.max_radius, variant.instead));
  return {};
}

// Blocks and shared memory that the device can launch. The error says what would fit.
static Result<void> check_launches(std::string_view variant, const LaunchPlan& plan, const DeviceLimits& limits) {
  for (const Step* step : all_steps(plan)) {
    const auto* kernel = std::get_if<KernelStep>(step);
    if (!kernel) continue;
    const auto [width, height] = kernel->block;
    const long long threads = kernel->block.area();
    if (threads > limits.max_threads_per_block && kernel->tile.area() < threads)
      return failure(fmt::format(
          "{}: a {}x{} tile at radius {} needs {}x{} = {} threads, more than {}. Use a smaller block or radius",
          variant, kernel->tile.width, kernel->tile.height, std::max(kernel->apron.width, kernel->apron.height), width,
          height, threads, limits.max_threads_per_block));
    if (threads > limits.max_threads_per_block)
      return failure(fmt::format("{}x{} = {} threads > {}", width, height, threads, limits.max_threads_per_block));
    if (kernel->shared_bytes > limits.max_shared_bytes) {
      const Size2 radius = plan.tables[kernel->taps].radius;
      const int bytes = info(plan.type_of(kernel->reads)).bytes;
      const bool small_block_fits = staged_bytes({8, 8}, kernel->apron, bytes) <= limits.max_shared_bytes;
      return failure(
          fmt::format("{} at radius {} needs {} of shared memory per block; {} allows {}. Use {}a separable variant",
                      variant, std::max(radius.width, radius.height), needed_text(kernel->shared_bytes), limits.name,
                      bytes_text(limits.max_shared_bytes), small_block_fits && threads > 64 ? "8x8 or " : ""));
    }
  }
  return {};
}

Result<LaunchPlan> plan_filter(const Variant& variant, Size2 source, const ConvSettings& settings,
                               const DeviceLimits& limits) {
  CONV_TRY(check_filter(variant, *settings.taps, limits));
  LaunchPlan plan = CONV_TRY(variant.plan(source, settings, limits));
  CONV_TRY(check_launches(variant.id, plan, limits));
  return plan;
}

namespace {

constexpr ImageRef source_ref{ImageRole::source, 0}, target_ref{ImageRole::target, 0};

ImageRef add_scratch(LaunchPlan& plan, PixelType type, Size2 size) {
  plan.scratch.push_back({type, size});
  return {ImageRole::scratch, static_cast<int>(plan.scratch.size()) - 1};
}

// Makes the steps from `first` on wait for all steps before them, in any stream and on any device.
void wait_for_all_before(LaunchPlan& plan, int first) {
  const auto place_of = [&](int i) {
    const StepBase& step = base_of(plan.steps[i]);
    return std::pair(step.device, step.stream);
  };
  std::map<std::pair<int, int>, int> last;
  for (int i = 0; i < first; ++i) last[place_of(i)] = i;
  std::set<std::pair<int, int>> begun;  // streams whose first step waits already; their later steps follow it
  for (int i = first; i < static_cast<int>(plan.steps.size()); ++i) {
    const auto place = place_of(i);
    if (!begun.insert(place).second) continue;
    for (const auto& there : last)
      if (there.first != place) std::visit([&](StepBase& s) { s.after.push_back(there.second); }, plan.steps[i]);
  }
}

// Appends the steps of `part`, whose source and target are these images of `plan`.
void append(LaunchPlan& plan, LaunchPlan part, ImageRef source, ImageRef target, const std::string& title) {
  const int scratch = static_cast<int>(plan.scratch.size());
  std::vector<int> tables;  // where each table of the part is now; equal tables are kept once
  for (TapsTable& table : part.tables) {
    const auto found = std::find(plan.tables.begin(), plan.tables.end(), table);
    tables.push_back(static_cast<int>(found - plan.tables.begin()));
    if (found == plan.tables.end()) plan.tables.push_back(std::move(table));
  }
  const auto moved = [&](ImageRef ref) {
    if (ref.role == ImageRole::source) return source;
    if (ref.role == ImageRole::target) return target;
    return ImageRef{ImageRole::scratch, ref.index + scratch};
  };
  const int before = static_cast<int>(plan.steps.size());
  const bool alone = part.steps.size() == 1;
  const auto move_to = [&](std::vector<Step>& list, std::vector<Step>& steps) {
    for (Step& step : steps) {
      std::visit(
          [&](StepBase& s) {
            s.reads = moved(s.reads);
            s.writes = moved(s.writes);
            if (s.also_reads) s.also_reads = moved(*s.also_reads);
            s.taps = tables.empty() ? 0 : tables[s.taps];
            for (int& earlier : s.after) earlier += before;
            if (!title.empty()) s.title = alone ? title : title + " " + s.title;
          },
          step);
      list.push_back(std::move(step));
    }
  };
  move_to(plan.once, part.once);
  move_to(plan.steps, part.steps);
  wait_for_all_before(plan, before);
  // In a chain, the first part decides.
  if (plan.chosen.empty()) std::tie(plan.chosen, plan.reason) = std::tie(part.chosen, part.reason);
  plan.scratch.insert(plan.scratch.end(), part.scratch.begin(), part.scratch.end());
}

void append_op(LaunchPlan& plan, WholeImageOp op, ImageRef reads, std::optional<ImageRef> also, ImageRef writes,
               bool host, float offset = 0) {
  Step step = whole_image_step(op, plan.type_of(reads), plan.type_of(writes), plan.size_of(writes), host);
  std::visit(
      [&](auto& s) {
        s.reads = reads;
        s.also_reads = also;
        s.writes = writes;
        s.offset = offset;
        s.taps = static_cast<int>(plan.tables.size());
      },
      step);
  plan.tables.push_back({});  // it has no taps
  plan.steps.push_back(std::move(step));
  wait_for_all_before(plan, static_cast<int>(plan.steps.size()) - 1);
}

LaunchPlan empty_plan(Size2 source, Size2 image, PixelType format) {
  return {.format = format, .source = source, .image = image};
}

// The variant's plan on an image that was padded before.
Result<LaunchPlan> pre_padded(const Variant& variant, Size2 source, ConvSettings settings, const DeviceLimits& limits) {
  const Size2 radius = settings.taps->radius();
  const Border border = std::exchange(settings.border, Border::valid);
  LaunchPlan plan = empty_plan(source, source, settings.format);
  const ImageRef padded =
      add_scratch(plan, settings.format, {source.width + 2 * radius.width, source.height + 2 * radius.height});
  append_op(plan, WholeImageOp::pre_pad, source_ref, {}, padded, false);
  auto& pad = std::get<KernelStep>(plan.steps.back());
  pad.title = "pre-pad";
  pad.origin = {-radius.width, -radius.height};
  pad.border = border;
  settings.border = border;
  pad.outside = outside_of(settings);
  settings.border = Border::valid;
  Result<LaunchPlan> part = plan_filter(variant, plan.size_of(padded), settings, limits);
  if (!part) return part;
  for (Step& step : part->steps) {  // every read is inside: no comparisons are left
    auto& kernel = std::get<KernelStep>(step);
    for (auto& argument : kernel.kernel.exact.arguments)
      if (auto* reads = std::get_if<SourceArgument>(&argument); reads && reads->border == Border::valid)
        reads->border = Border::inside;
    kernel.border = Border::inside;
  }
  append(plan, std::move(*part), padded, target_ref, "kernel");
  return plan;
}

// One pass along rows and one along columns per singular value, added up.
Result<LaunchPlan> sum_of_ranks(const Variant& variant, Size2 source, const ConvSettings& settings,
                                const DeviceLimits& limits) {
  const Taps& taps = *settings.taps;
  const bool host = variant.group == VariantGroup::cpu;
  const PixelType between = scratch_type(settings.format);
  LaunchPlan plan = empty_plan(source, target_size(source, taps.radius(), settings.border), settings.format);
  ImageRef from = source_ref;
  ConvSettings one = settings;
  if (between != settings.format) {
    from = add_scratch(plan, between, source);
    append_op(plan, WholeImageOp::convert, source_ref, {}, from, host);
    one.unit = unit_of(settings);
    one.border_value = outside_of(settings) / unit_of(settings);
    one.format = between;
  }
  std::optional<ImageRef> total;
  for (std::size_t r = 0; r < taps.factors.size(); ++r) {
    Taps pair{.size = taps.size, .values = taps.values, .row = taps.factors[r].row, .column = taps.factors[r].column};
    one.taps = std::make_shared<const Taps>(std::move(pair));
    Result<LaunchPlan> part = plan_filter(variant, source, one, limits);
    if (!part) return part;
    const ImageRef term = add_scratch(plan, between, plan.image);
    append(plan, std::move(*part), from, term, fmt::format("rank {}", r + 1));
    if (total) {
      const bool last = r + 1 == taps.factors.size();
      const ImageRef into = last ? target_ref : add_scratch(plan, between, plan.image);
      append_op(plan, WholeImageOp::sum, *total, term, into, host, last ? taps.offset * unit_of(settings) : 0);
      total = into;
    } else {
      total = term;
    }
  }
  return plan;
}

Result<LaunchPlan> one_filter(const Variant& variant, Size2 source, const ConvSettings& settings,
                              const DeviceLimits& limits) {
  const Taps& taps = *settings.taps;
  if (const Size2 left = target_size(source, taps.radius(), settings.border); left.width < 1 || left.height < 1)
    return failure(
        fmt::format("valid padding: no pixel of a {}x{} picture has a whole {}x{} window. Use another padding",
                    source.width, source.height, taps.size.width, taps.size.height));
  if (variant.needs_rank_1 && !taps.separable() && settings.switches["rank_sum"] != 0)
    return sum_of_ranks(variant, source, settings, limits);
  if (settings.switches["boundary"] == 3 && settings.border != Border::valid)
    return pre_padded(variant, source, settings, limits);
  return plan_filter(variant, source, settings, limits);
}

// Blur, both Sobel filters of the blurred image, then their magnitude, with floats in between.
Result<LaunchPlan> edge_chain(const Variant& variant, Size2 source, const ConvSettings& settings,
                              const DeviceLimits& limits) {
  const bool host = variant.group == VariantGroup::cpu || (variant.chooses && limits.compute_capability == 0);
  const PixelType between = scratch_type(settings.format);
  ConvSettings stage = settings;
  stage.unit = unit_of(settings);
  stage.border_value = outside_of(settings) / unit_of(settings);
  stage.format = between;
  LaunchPlan plan = empty_plan(source, source, settings.format);
  ImageRef from = source_ref;
  if (between != settings.format) {
    from = add_scratch(plan, between, source);
    append_op(plan, WholeImageOp::convert, source_ref, {}, from, host);
  }
  ImageRef results[3];
  constexpr const char* titles[] = {"blur", "Sobel X", "Sobel Y"};
  for (int i = 0; i < 3; ++i) {
    stage.taps = std::make_shared<const Taps>(settings.taps->chain[i]);
    const ImageRef reads = i == 0 ? from : results[0];
    Result<LaunchPlan> part = one_filter(variant, plan.size_of(reads), stage, limits);
    if (!part) return part;
    results[i] = add_scratch(plan, between, part->image);
    append(plan, std::move(*part), reads, results[i], titles[i]);
  }
  plan.image = plan.size_of(results[1]);
  append_op(plan, WholeImageOp::magnitude, results[1], results[2], target_ref, host,
            settings.taps->offset * unit_of(settings));
  return plan;
}

Result<LaunchPlan> one_application(const Variant& variant, Size2 source, const ConvSettings& settings,
                                   const DeviceLimits& limits) {
  return settings.taps->chain.empty() || variant.fuses_edges ? one_filter(variant, source, settings, limits)
                                                             : edge_chain(variant, source, settings, limits);
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + " " + b;
}

// The NVRTC options of the switches.
std::string compiler_options(const SwitchValues& switches) {
  std::string options;
  if (switches["restrict"]) options += " -DCONV_READ_ONLY";
  if (switches["packed"]) options += " -DCONV_PACKED";
  if (!switches["fma"]) options += " --fmad=false -DCONV_NO_FMA";
  if (switches["fast_math"]) options += " --use_fast_math";
  if (!switches["unroll"]) options += " -DCONV_UNROLL=0";
  if (const int rule = switches["boundary"]; rule == 1 || rule == 2)
    options += fmt::format(" -DCONV_BOUNDARY={}", rule);
  return options.empty() ? options : options.substr(1);
}

}  // namespace

std::string why_not(const Switch& which, const Variant& variant, const ConvSettings& settings) {
  const PixelType format = settings.format;
  if (which.id == "packed" && (info(format).channels != 3 || is_planar(format)))
    return fmt::format("{} does not have three interleaved channels", info(format).title);
  if (which.of_compiler)
    return variant.group == VariantGroup::cpu
               ? fmt::format("{} runs on the host: nothing is compiled for the GPU", variant.id)
               : "";
  if (which.id == "rank_sum") {
    if (!variant.needs_rank_1) return fmt::format("{} uses the whole matrix", variant.id);
    return settings.taps && settings.taps->separable() ? "this filter is already separable" : "";
  }
  if (std::find(variant.switches.begin(), variant.switches.end(), which.id) == variant.switches.end())
    return fmt::format("{} does not have this switch", variant.id);
  if (which.id == "accumulate" && format != PixelType::f16 && format != PixelType::rgba16f)
    return fmt::format("{}: only the formats f16 and rgba16f (interleaved) can use a half accumulator",
                       info(format).title);
  if (which.id == "accumulate" && settings.taps && !settings.taps->chain.empty())
    return "images between the filters of a chain are floats";
  if (which.id == "boundary" && settings.border == Border::valid) return "valid padding never reads outside the image";
  return "";
}

// With a half accumulator each of n additions rounds to 11 bits, and so do the taps and the result. With one product,
// pixels, row taps, filtered rows and column taps are each rounded to 11 bits.
float tolerance_of(const Variant& variant, const ConvSettings& settings) {
  if (settings.switches["products"] == 1) return 4.0f / 4096;
  return sums_in_half(settings) ? static_cast<float>(settings.taps->size.area() + 2) / 2048 : variant.tolerance;
}

bool is_less_exact(const Variant& variant, const ConvSettings& settings) {
  return tolerance_of(variant, settings) > variant.tolerance;
}

std::string_view exhibit_of(const Variant& variant, const SwitchValues& values) {
  if (!variant.exhibit.empty()) return variant.exhibit;
  if (!values["barrier"]) return "the barrier is missing: threads read what others have not stored yet";
  if (values["as_published"])
    return variant.id == "streams"
               ? "as published: each stream convolves everything from its first row on, and all write one output"
               : "as published: one row of shared memory for all rows of the block";
  return {};
}

ConvSettings applicable(const Variant& variant, ConvSettings settings) {
  SwitchValues kept;
  for (const auto& [id, value] : settings.switches.changed())
    if (why_not(*find_switch(id), variant, settings).empty()) kept.set(id, value);
  settings.switches = std::move(kept);
  return settings;
}

// Kernels count rows of blocks in 16 bits and pixels of an image in 31 bits. Larger images are refused.
static std::optional<std::string> beyond_addresses(const LaunchPlan& plan, const DeviceLimits& limits) {
  constexpr int stride_unit = 32;  // px; on the device, rows begin at multiples of this
  for (const Step* step : all_steps(plan)) {
    const auto* kernel = std::get_if<KernelStep>(step);
    if (!kernel) continue;
    if (kernel->grid.height > limits.max_grid_rows)
      return fmt::format(
          "{}x{} pixels need {} rows of blocks; a GPU has at most {}. Use a block with more rows, or cut "
          "the picture into parts",
          plan.source.width, plan.source.height, kernel->grid.height, limits.max_grid_rows);
    for (const ImageRef image : {kernel->reads, kernel->writes}) {
      const auto [width, height] = plan.size_of(image);
      if (static_cast<long long>(height) * ceil_div(width, stride_unit) * stride_unit > std::numeric_limits<int>::max())
        return fmt::format(
            "a kernel cannot count {}x{} pixels, with rows padded to a multiple of {} px. Cut the picture into parts",
            width, height, stride_unit);
    }
  }
  return std::nullopt;
}

// Refuses settings that the variant cannot handle.
static Result<void> check_settings(const Variant& variant, const ConvSettings& settings) {
  if (const auto [width, height] = settings.block; width < 1 || height < 1)
    return failure(fmt::format("block {}x{}: both sides must be at least 1", width, height));
  for (const auto& [id, value] : settings.switches.changed())
    if (const std::string reason = why_not(*find_switch(id), variant, settings); !reason.empty())
      return failure(fmt::format("{}={}: {}", id, value_text(*find_switch(id), value), reason));
  if (settings.switches["boundary"] == 2 && (settings.border == Border::zero || settings.border == Border::constant))
    return failure(
        fmt::format("boundary=index_map: with {} padding, pixels outside the picture map to no pixel. Use branch",
                    settings.border == Border::zero ? "zero" : "constant"));
  if (variant.single_launch && (settings.iterations > 1 || !settings.taps->chain.empty()))
    return failure(fmt::format("{} cannot be part of a chain of launches. Use {}", variant.id,
                               settings.iterations > 1 ? "1 iteration" : "a filter of one matrix"));
  return {};
}

static Result<LaunchPlan> all_iterations(const Variant& variant, Size2 source, const ConvSettings& settings,
                                         const DeviceLimits& limits) {
  if (settings.iterations <= 1) return one_application(variant, source, settings, limits);
  LaunchPlan all = empty_plan(source, source, settings.format);
  ImageRef from = source_ref;
  for (int i = 1; i <= settings.iterations; ++i) {
    LaunchPlan part = CONV_TRY(one_application(variant, all.size_of(from), settings, limits));
    all.image = part.image;
    const ImageRef into = i == settings.iterations ? target_ref : add_scratch(all, settings.format, part.image);
    append(all, std::move(part), from, into, fmt::format("{} of {}", i, settings.iterations));
    from = into;
  }
  return all;
}

static bool uses_constant_memory(const Step& step) {
  const auto* kernel = std::get_if<KernelStep>(&step);
  return kernel && !kernel->kernel.constant_symbol.empty();
}

Result<LaunchPlan> plan_job(const Variant& variant, Size2 source, const ConvSettings& settings,
                            const DeviceLimits& limits) {
  CONV_TRY(check_settings(variant, settings));
  LaunchPlan plan = CONV_TRY(all_iterations(variant, source, settings, limits));
  const auto constant_bytes = static_cast<int>(plan.constants().size() * sizeof(float));
  if (std::any_of(plan.steps.begin(), plan.steps.end(), uses_constant_memory) &&
      constant_bytes > limits.max_constant_bytes)
    return failure(fmt::format("{} needs {} of constant memory for the taps of all its steps; there are {}", variant.id,
                               needed_text(constant_bytes), bytes_text(limits.max_constant_bytes)));
  if (const auto refusal = beyond_addresses(plan, limits)) return failure(*refusal);
  const std::string options = compiler_options(settings.switches);
  for (std::vector<Step>* steps : {&plan.once, &plan.steps})
    for (Step& step : *steps)
      if (auto* kernel = std::get_if<KernelStep>(&step))
        kernel->kernel.options = joined(kernel->kernel.options, options);
  return plan;
}

}  // namespace conv
