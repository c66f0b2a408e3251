#include "app/live/puzzle.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "kernels/core/embedded_file.h"
#include "kernels/variants/support/declared.h"

namespace conv {

std::span<const EmbeddedFile> embedded_puzzles();

namespace {

constexpr std::string_view hints_heading = "\n## Hints\n", solution = "_solution.cu";
constexpr std::string_view picture_begins = "```picture\n", block_ends = "\n```\n\n";

LaunchPlan direct(Size2 image, const ConvSettings& settings) {
  return direct_plan(image, settings, declared_instance("convolve", settings, settings.format, settings.format));
}
LaunchPlan tiled(Size2 image, const ConvSettings& settings) {
  LaunchPlan plan = direct(image, settings);
  auto& step = std::get<KernelStep>(plan.steps.front());
  step = tiled(std::move(step), plan.image, settings.taps->radius(), settings.format);
  return plan;
}
KernelStep& step_of(LaunchPlan& plan) {
  return std::get<KernelStep>(plan.steps.front());
}

Result<LaunchPlan> plan_direct(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  return direct(image, settings);
}
Result<LaunchPlan> plan_tiled(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  return tiled(image, settings);
}

// source.load does no padding.
Result<LaunchPlan> plan_clamp(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  LaunchPlan plan = direct(image, settings);
  step_of(plan).border = Border::inside;
  return plan;
}

// The taps follow those of another filter, so that they do not begin at 0 in constant memory.
Result<LaunchPlan> plan_constant(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  LaunchPlan plan = direct(image, settings);
  const Size2 radius{1 + image.width % 3, 0};
  plan.tables.insert(plan.tables.begin(), {std::vector<float>(2 * radius.width + 1, 1), radius});
  step_of(plan).taps = 1;
  step_of(plan).kernel.constant_symbol = "gpu::constant_taps";
  return plan;
}

int tile_pixels_high(const KernelStep& step) {
  return step.tile.height + 2 * step.apron.height;
}

Result<LaunchPlan> plan_pitch(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  LaunchPlan plan = tiled(image, settings);
  KernelStep& step = step_of(plan);
  step.shared_bytes += 31 * tile_pixels_high(step) * info(settings.format).bytes;
  return plan;
}

// The taps of both passes, one behind the other, and room for the sums of the rows behind the tile.
Result<LaunchPlan> plan_one_pass(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  LaunchPlan plan = tiled(image, settings);
  std::vector<float>& values = plan.tables.front().values;
  values = settings.taps->row;
  values.insert(values.end(), settings.taps->column.begin(), settings.taps->column.end());
  KernelStep& step = step_of(plan);
  step.second_stage_bytes = step.tile.width * tile_pixels_high(step) * info(settings.format).bytes;
  step.shared_bytes += step.second_stage_bytes;
  return plan;
}

constexpr auto global_memory = VariantGroup::global_memory, shared_memory = VariantGroup::shared_memory;

Variant launch(std::string_view id, VariantGroup group, decltype(Variant::plan) plan, bool separable = false) {
  return {.id = id, .title = id, .group = group, .needs_rank_1 = separable, .plan = plan};
}

std::vector<Puzzle> all_puzzles() {
  const FilterSpec small{.sigma = 0.6, .radius = 1}, gaussian{.sigma = 1.2, .radius = 2};
  // Not symmetric and not square, so that no two taps can be exchanged.
  const FilterSpec uneven{
      .kind = FilterKind::custom, .matrix = {{3, 5}, {1, -2, 3, 4, 5, -6, 7, 8, 9, 1, 0, 2, -3, 1, 4}}, .divisor = 34};
  const FilterSpec three{.kind = FilterKind::custom, .matrix = {{3, 1}, {1, 1, 1}}, .divisor = 3};
  // The same of rank 1.
  const FilterSpec product{.kind = FilterKind::custom,
                           .matrix = {{3, 5}, {2, 3, -1, -4, -6, 2, 6, 9, -3, 8, 12, -4, 10, 15, -5}},
                           .divisor = 44};
  const std::vector<FilterSpec> both{small, uneven}, separable{small, product};
  const Variant& two_pass = declared_plans().back();
  // The limits lie between the work of the solution and that of the kernel that the puzzle starts from.
  return {
      {.number = 1, .id = "copy", .launch = launch("copy", global_memory, plan_direct), .filter = {.radius = 0}},
      {.number = 2,
       .id = "clamp",
       .launch = launch("clamp", global_memory, plan_clamp),
       .filter = three,
       .paddings = {Border::replicate}},
      {.number = 3,
       .id = "global",
       .launch = launch("global", global_memory, plan_direct),
       .filter = gaussian,
       .others = both,
       .allowed = {{Work::global_reads, 25}}},
      {.number = 4,
       .id = "constant",
       .launch = launch("constant", global_memory, plan_constant),
       .filter = gaussian,
       .others = both,
       .allowed = {{Work::taps_in_global_memory, 0}, {Work::global_reads, 25}}},
      {.number = 5,
       .id = "tile",
       .launch = launch("tile", shared_memory, plan_tiled),
       .filter = gaussian,
       .others = both,
       .begins_with = "global",
       .allowed = {{Work::global_reads, 5}}},
      {.number = 6,
       .id = "apron",
       .launch = launch("apron", shared_memory, plan_tiled),
       .filter = gaussian,
       .others = both,
       .begins_with = "tile",
       .allowed = {{Work::global_reads, 2}}},
      {.number = 7,
       .id = "two_loads",
       .launch = launch("two_loads", shared_memory, plan_tiled),
       .filter = gaussian,
       .others = both,
       .blocks = {{16, 16}, {32, 8}, {8, 16}},
       .begins_with = "apron",
       .allowed = {{Work::reads_of_a_thread, 2}}},
      {.number = 8,
       .id = "barrier",
       .launch = launch("barrier", shared_memory, plan_one_pass, true),
       .filter = gaussian,
       .others = separable},
      {.number = 9,
       .id = "two_passes",
       .launch = launch("two_passes", VariantGroup::separable, two_pass.plan, true),
       .filter = gaussian,
       .others = separable,
       .allowed = {{Work::global_reads, 10}}},
      {.number = 10,
       .id = "pitch",
       .launch = launch("pitch", shared_memory, plan_pitch),
       .filter = gaussian,
       .others = both,
       .blocks = {{16, 16}, {8, 8}, {64, 4}, {13, 7}},
       .allowed = {{Work::wavefronts, 1}}},
      {.number = 11,
       .id = "coalesced",
       .launch = launch("coalesced", global_memory, plan_direct),
       .filter = gaussian,
       .others = both,
       .allowed = {{Work::sectors, 6}}},
      {.number = 12,
       .id = "one_pass",
       .launch = launch("one_pass", shared_memory, plan_one_pass, true),
       .filter = gaussian,
       .others = separable,
       .allowed = {{Work::shared_reads, 12}, {Work::global_reads, 2}}},
  };
}

std::string file_of(std::string_view id, std::string_view ending) {
  const auto files = embedded_puzzles();
  return std::string(
      std::ranges::find(files, fmt::format("kernels/puzzles/{}{}", id, ending), &EmbeddedFile::path)->text);
}

}  // namespace

std::span<const Puzzle> puzzles() {
  static const std::vector<Puzzle> all = all_puzzles();
  return all;
}

const Puzzle* find_puzzle(int number) {
  const auto found = std::ranges::find(puzzles(), number, &Puzzle::number);
  return found == puzzles().end() ? nullptr : &*found;
}

std::string check_name(const Puzzle& puzzle) {
  return fmt::format("puzzle {}", puzzle.number);
}

std::string title_of(const Puzzle& puzzle) {
  const std::string text = file_of(puzzle.id, ".md");  // "# Copy a picture\n..."
  return text.substr(2, text.find('\n') - 2);
}

std::string text_of(const Puzzle& puzzle) {
  std::string text = file_of(puzzle.id, ".md");
  text.resize(text.find(hints_heading));
  const std::size_t picture = text.find(picture_begins), end = text.find(block_ends, picture);
  return text.erase(picture, end + block_ends.size() - picture);
}

std::string picture_of(const Puzzle& puzzle) {
  const std::string text = file_of(puzzle.id, ".md");
  const std::size_t begin = text.find(picture_begins) + picture_begins.size();
  return text.substr(begin, text.find(block_ends, begin) - begin);
}

std::string starting_kernel(const Puzzle& puzzle) {
  return puzzle.begins_with.empty() ? file_of(puzzle.id, ".cu") : file_of(puzzle.begins_with, solution);
}

std::string solution_of(const Puzzle& puzzle) {
  return file_of(puzzle.id, solution);
}

std::vector<std::string> hints_for(const Puzzle& puzzle, const FoundFlaw& flaw) {
  const FlawInfo& kind = info(flaw.flaw);
  std::vector<std::string> hints;
  const std::string text = file_of(puzzle.id, ".md");
  std::istringstream lines(text.substr(text.find(hints_heading) + hints_heading.size()));
  bool fits = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("### "))  // "### moved, wrong"
      fits = fmt::format(", {},", line.substr(4)).find(fmt::format(" {},", kind.id)) != std::string::npos;
    else if (fits && !line.empty())
      hints.push_back(line.substr(line.find(' ') + 1));  // "1. The result ..."
  }
  if (hints.empty()) hints.emplace_back(kind.hint);
  hints.push_back(flaw.text);
  return hints;
}

}  // namespace conv
