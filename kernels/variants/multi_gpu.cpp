#include <fmt/format.h>

#include <algorithm>

#include "kernels/variants/support/strips.h"
#include "kernels/variants/tile_linear.h"

namespace conv {

namespace {

Result<LaunchPlan> plan_multi_gpu(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  // Constant memory belongs to one device, so taps are read from each device's global memory.
  Result<LaunchPlan> whole = plan_tile({.fixed_radius = true, .constant_taps = false}, image, settings, limits);
  if (!whole) return whole;
  LaunchPlan plan{.format = settings.format, .source = image, .image = whole->image, .tables = whole->tables};
  const bool simulated = limits.devices < 2;
  std::vector<Strip> strips = strips_of(*whole, std::max(2, limits.devices));
  const int count = static_cast<int>(strips.size());
  const std::vector<RowRange> own = split_rows(image.height, count);  // source rows, one share per device
  const auto held_image = [](int share) { return ImageRef{ImageRole::scratch, 2 * share}; };
  const auto result_image = [](int share) { return ImageRef{ImageRole::scratch, 2 * share + 1}; };
  const auto add = [&](auto step, int share) {
    step.device = simulated ? 0 : share;
    step.stream = simulated ? share : 0;
    plan.steps.push_back(std::move(step));
  };
  for (int i = 0; i < count; ++i) {
    RowRange& held = strips[i].held;
    const int end = std::max(held.end(), own[i].end());
    held.first = std::min(held.first, own[i].first);
    held.count = end - held.first;
    const int device = simulated ? 0 : i;
    plan.scratch.push_back({settings.format, {image.width, held.count}, device});
    plan.scratch.push_back({settings.format, {plan.image.width, strips[i].target.count}, device});
  }
  // Steps 0 to count - 1 copy its own rows to each device; the apron is copied from the device that has it.
  for (int i = 0; i < count; ++i)
    add(copy_step(fmt::format("scatter {}", i + 1), {ImageRole::source}, own[i].first, held_image(i),
                  {own[i].first - strips[i].held.first, own[i].count}),
        i);
  for (int i = 0; i < count; ++i)
    for (const Run& run : runs_of(strips[i].held, image.height))
      for (int owner = 0; owner < count; ++owner) {
        const int first = std::max(run.from, own[owner].first), end = std::min(run.from + run.count, own[owner].end());
        const int to = run.to + first - run.from;
        const bool has_them = owner == i && to == first - strips[i].held.first;
        if (first >= end || has_them) continue;
        CopyStep copy = copy_step(fmt::format("apron {} from {}", i + 1, owner + 1), held_image(owner),
                                  first - strips[owner].held.first, held_image(i), {to, end - first});
        if (owner != i) copy.after = {owner};
        add(std::move(copy), i);
      }
  for (int i = 0; i < count; ++i) {
    KernelStep kernel = launch_of(*whole, strips[i]);
    kernel.title = fmt::format("{} {}", simulated ? "simulated GPU" : "GPU", simulated ? i + 1 : i);
    kernel.reads = held_image(i);
    kernel.writes = result_image(i);
    add(std::move(kernel), i);
    add(copy_step(fmt::format("gather {}", i + 1), result_image(i), 0, {ImageRole::target}, strips[i].target), i);
  }
  return plan;
}

}  // namespace

CONV_DEFINE_VARIANT(multi_gpu){
    .id = "multi_gpu",
    .title = "Strips over several GPUs",
    .idea =
        "Each GPU computes one strip and fetches its apron from the neighbouring GPUs. The time includes scatter and "
        "gather.",
    .group = VariantGroup::other,
    .plan = plan_multi_gpu,
};

}  // namespace conv
