// Plans and kernels for the tests that record what warps do to memory.
#pragma once
#include <vector>

#include "app/model/settings.h"
#include "kernels/core/registry.h"
#include "kernels/variants/support/plan_job.h"
#include "support.h"

namespace conv {

inline constexpr Size2 traced_image{1920, 1080};

// Fails for blocks that the variant cannot have.
inline Result<LaunchPlan> plan_of(const Variant& variant, PixelType format, Size2 block, int radius, Border border,
                                  const SwitchValues& values = {}) {
  FilterSpec filter{.kind = variant.needs_equal_taps ? FilterKind::box : FilterKind::gaussian, .radius = radius};
  if (variant.fuses_edges) filter.kind = FilterKind::edges;
  ConvSettings settings;
  settings.taps = std::make_shared<const Taps>(*taps_of(filter));
  settings.format = format;
  settings.border = border;
  settings.block = block;
  settings.switches = values;
  return plan_job(variant, traced_image, settings, cpu_limits());
}
inline LaunchPlan plan_of(std::string_view id, Size2 block, int radius, Border border = Border::replicate) {
  return *plan_of(*find_variant(id), PixelType::f32, block, radius, border);
}

inline const KernelStep& last_kernel(const LaunchPlan& plan) {
  return std::get<KernelStep>(plan.steps.back());
}

inline std::vector<const Variant*> variants_with_kernels() {
  std::vector<const Variant*> list;
  for (const Variant* variant : variants())
    if (variant->group != VariantGroup::cpu && !variant->chooses) list.push_back(variant);
  return list;
}

}  // namespace conv
