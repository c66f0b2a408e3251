#include <fmt/format.h>

#include "kernels/variants/support/strips.h"
#include "kernels/variants/tile_linear.h"

namespace conv {

namespace {

constexpr ImageRef target{ImageRole::target}, host_source{ImageRole::host_source}, host_target{ImageRole::host_target};

Result<LaunchPlan> plan_streams(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  Result<LaunchPlan> whole = plan_tile({.fixed_radius = true}, image, settings, limits);
  if (!whole) return whole;
  const bool as_published = settings.switches["as_published"] != 0;
  LaunchPlan plan{.format = settings.format,
                  .source = image,
                  .image = whole->image,
                  .tables = whole->tables,
                  .pinned = settings.switches["host_memory"] != 0};
  const std::vector<Strip> strips = strips_of(*whole, settings.switches["strips"]);
  for (std::size_t i = 0; i < strips.size(); ++i) {
    const auto& [rows, held] = strips[i];
    const auto add = [&](auto step) {
      step.stream = static_cast<int>(i) % settings.switches["streams"];
      plan.steps.push_back(std::move(step));
    };
    // Every strip copies its own apron, so some rows are copied twice, but no stream waits for another.
    const ImageRef strip{ImageRole::scratch, static_cast<int>(i)};
    plan.scratch.push_back({settings.format, {image.width, held.count}});
    for (const Run& run : runs_of(held, image.height))
      add(copy_step(fmt::format("strip {} upload", i + 1), host_source, run.from, strip, {run.to, run.count}));
    KernelStep kernel = launch_of(*whole, strips[i]);
    if (as_published)  // the grid of the whole image, for a source that begins at the strip, into the whole output
      kernel = launch_of(*whole, {{rows.first, plan.image.height}, held});
    else
      kernel.rows = rows;
    kernel.title = fmt::format("strip {} kernel", i + 1);
    kernel.reads = strip;
    add(std::move(kernel));
    add(copy_step(fmt::format("strip {} download", i + 1), target, rows.first, host_target, rows));
  }
  return plan;
}

constexpr std::string_view own_switches[] = {"streams", "strips", "host_memory", "as_published"};

}  // namespace

CONV_DEFINE_VARIANT(streams){
    .id = "streams",
    .title = "Strips over streams",
    .idea =
        "From host memory and back. While one strip is computed, the next is uploaded and the previous is downloaded.",
    .group = VariantGroup::other,
    .single_launch = true,
    .switches = own_switches,
    .plan = plan_streams,
};

}  // namespace conv
