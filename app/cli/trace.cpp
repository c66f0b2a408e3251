#include <fmt/format.h>

#include "app/check/traced_block.h"
#include "app/cli/commands.h"
#include "app/cli/trace_json.h"
#include "app/model/settings_json.h"
#include "app/sources/picture.h"
#include "kernels/core/blocks.h"
#include "kernels/core/registry.h"
#include "kernels/cpu/cpu_executor.h"
#include "kernels/variants/support/plan_job.h"

namespace conv {

namespace {

using nlohmann::json;

// The step's block, or why it has none.
Result<Point2> block_of(const KernelStep& step, const TraceOptions& options) {
  const Point2 block = options.block.value_or(middle_block(step));
  if (block.x < step.grid.width && block.y < step.grid.height) return block;
  return failure(fmt::format("there is no block ({}, {}): the grid of {} has {}x{} blocks. Choose another with --at",
                             block.x, block.y, step.title.empty() ? "this kernel" : step.title, step.grid.width,
                             step.grid.height));
}

// What a step does that has no warps.
std::string_view without_warps(const Step& step) {
  if (std::holds_alternative<HostStep>(step)) return "no warps: it runs on the processor of the host";
  if (std::holds_alternative<CopyStep>(step)) return "no warps: it is a copy";
  return "no warps: it is done by a library";
}

Result<json> traced(const LaunchPlan& plan, const TraceOptions& options) {
  json steps = json::array();
  for (const Step& step : plan.steps) {
    const auto* kernel = std::get_if<KernelStep>(&step);
    if (!kernel) {
      steps.push_back({{"title", base_of(step).title}, {"note", without_warps(step)}});
      continue;
    }
    const Point2 block = CONV_TRY(block_of(*kernel, options));
    const WarpRecording recording = CpuExecutor::record_warps(plan, *kernel, block);
    const std::vector<MemoryTotals> epochs = totals_of(recording, options.generation);
    MemoryTotals sum;
    json phases = json::array();
    for (std::size_t epoch = 0; epoch < epochs.size(); ++epoch) {
      sum.add(epochs[epoch]);
      phases.push_back(json_of(epochs[epoch]));
      phases.back().update({{"phase", phase_title(epochs[epoch])}, {"barriers_before", epoch}});
    }
    steps.push_back({{"title", kernel->title},
                     {"kernel", kernel->kernel.exact.text()},
                     {"grid", json_of(kernel->grid)},
                     {"block", json_of(kernel->block)},
                     {"at", {block.x, block.y}},
                     {"warps", recording.warps()},
                     {"shared_bytes", kernel->shared_bytes},
                     {"complete", recording.complete},
                     {"shuffles", recording.shuffles},
                     {"matrix_products", recording.matrix_products},
                     {"phases", phases},
                     {"totals", json_of(sum)}});
  }
  return steps;
}

// pieces: what global memory is moved in.
void print_line(std::string_view what, const json& of, std::string_view pieces) {
  const long long requests = of["requests"].get<long long>();
  if (requests == 0) return;
  if (of.contains("wavefronts"))
    fmt::print("    {:13} {:7} requests, {:6.2f} wavefronts each\n", what, requests,
               of["wavefronts_per_request"].get<double>());
  else if (of.contains("efficiency"))
    fmt::print("    {:13} {:7} requests, {:6.2f} {} each, {:.0f} % of their bytes used\n", what, requests,
               of["sectors_per_request"].get<double>(), pieces, 100 * of["efficiency"].get<double>());
  else
    fmt::print("    {:13} {:7} requests, {:6.2f} different taps each\n", what, requests,
               of["words_per_request"].get<double>());
}

void print(const json& result) {
  const bool today = result["rules"].get<std::string>() == rules_of(Generation::today).id;
  const std::string_view pieces = today ? "sectors" : "transactions";
  fmt::print("{}, {}, {}x{}, rules of {}\n", result["variant"].get<std::string>(), result["format"].get<std::string>(),
             result["image"][0].get<int>(), result["image"][1].get<int>(), result["rules"].get<std::string>());
  for (const json& step : result["steps"]) {
    const std::string title = step["title"].get<std::string>();
    if (step.contains("note")) {
      fmt::print("{}: {}\n", title, step["note"].get<std::string>());
      continue;
    }
    const int warps = step["warps"].get<int>();
    fmt::print("{}block ({}, {}), {} warp{}\n", title.empty() ? "" : title + ": ", step["at"][0].get<int>(),
               step["at"][1].get<int>(), warps, warps == 1 ? "" : "s");
    if (!step["complete"].get<bool>()) fmt::print("  recorded only in part: it makes too many requests\n");
    for (const json& phase : step["phases"]) {
      fmt::print("  {}\n", phase["phase"].get<std::string>());
      for (const auto& [key, title_of_key] :
           {std::pair{"global_read", "global reads"}, std::pair{"shared_write", "shared writes"},
            std::pair{"shared_read", "shared reads"}, std::pair{"tap_read", "taps"},
            std::pair{"global_write", "global writes"}})
        print_line(title_of_key, phase[key], pieces);
    }
    for (const auto& [key, title_of_key] : {std::pair{"shuffles", "shuffles"}, {"matrix_products", "matrix products"}})
      if (const long long count = step[key].get<long long>(); count > 0)
        fmt::print("  {} {}, without memory\n", count, title_of_key);
  }
}

}  // namespace

int run_trace(const Options& options) {
  const auto run = [&]() -> Result<int> {
    if (options.device == DeviceChoice::gpu)
      return failure("a trace records the kernels on the CPU, so --device gpu is not possible. Leave it out");
    const LaneSettings& lane = options.settings.lanes[0];
    Size2 image{1920, 1080};
    if (!options.in.empty()) image = CONV_TRY(in_words([&] { return load_picture(options.in); })).size;
    const auto taps = std::make_shared<const Taps>(CONV_TRY(taps_of(options.settings.filter)));
    const LaunchPlan plan = CONV_TRY(
        plan_job(*find_variant(lane.variant), image, conv_settings(lane, options.settings, taps), cpu_limits()));
    const json steps = CONV_TRY(traced(plan, options.trace));
    const json result{{"variant", lane.variant},
                      {"chosen", plan.chosen},
                      {"image", json_of(plan.image)},
                      {"format", info(lane.format).id},
                      {"filter", json_of(options.settings.filter)},
                      {"taps", json_of(taps->size)},
                      {"padding", info(options.settings.border).id},
                      {"rules", rules_of(options.trace.generation).id},
                      {"steps", steps}};
    if (options.json)
      fmt::print("{}\n", result.dump(2));
    else
      print(result);
    return 0;
  };
  return status_of(run());
}

}  // namespace conv
