#include "kernels/ops/ceilings.h"

#include <algorithm>

namespace conv {

namespace {

constexpr int threads = 256, rounds = 1024, chains = 8;
constexpr int shared_floats = 1024 + 256;

LaunchPlan plan_of(Size2 size, Step step) {
  return {.format = PixelType::f32,
          .source = size,
          .image = size,
          .scratch = {},
          .tables = {TapsTable{}},
          .steps = {std::move(step)}};
}

// One thread per pixel; the caller sets the kernel.
KernelStep step_on(Size2 size, std::string title, TemplateInstance instance) {
  KernelStep step;
  step.title = std::move(title);
  step.reads = {ImageRole::source};
  step.writes = {ImageRole::target};
  step.kernel.file = "kernels/ops/ceilings.cu";
  step.kernel.exact = step.kernel.general = std::move(instance);
  step.block = step.tile = {threads, 1};
  step.grid = {size.width / threads, size.height};
  step.outside = 1e-7f;
  step.offset = 0.999f;
  return step;
}

}  // namespace

CeilingPlan ceiling_plan(Ceiling which, long long cache_bytes) {
  constexpr int width = 4096;
  const auto image_of = [](long long bytes) {
    return Size2{width, static_cast<int>(std::clamp(bytes / (4 * width), 64LL, 32768LL))};
  };
  constexpr Size2 many{width, 256};  // 1 M threads: several waves on any GPU today
  switch (which) {
    case Ceiling::copy: {
      const Size2 size = image_of(4 * cache_bytes);
      CopyStep copy;
      copy.title = "copy";
      copy.reads = {ImageRole::source};
      copy.writes = {ImageRole::target};
      copy.rows = RowRange{0, size.height};
      return {plan_of(size, copy), 8.0 * static_cast<double>(size.area())};
    }
    case Ceiling::cached_copy: {
      const Size2 size = image_of(cache_bytes / 4);
      return {plan_of(size, step_on(size, "copy in L2", {"ceiling_cached_copy", {16}})),
              16 * 8.0 * static_cast<double>(size.area())};
    }
    case Ceiling::shared_memory: {
      KernelStep step = step_on(many, "shared memory", {"ceiling_shared", {1024}});
      step.shared_bytes = 4 * shared_floats;
      return {plan_of(many, std::move(step)), 4.0 * rounds * chains * static_cast<double>(many.area())};
    }
    case Ceiling::multiply_add:
      return {plan_of(many, step_on(many, "multiply-adds", {"ceiling_multiply_add", {1024}})),
              2.0 * rounds * chains * static_cast<double>(many.area())};
    case Ceiling::launch: {
      constexpr Size2 few{threads, 1};
      return {plan_of(few, step_on(few, "launch", {"ceiling_cached_copy", {16}})), 1};
    }
  }
  return {};
}

}  // namespace conv
