#include "app/measure/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/core/registry.h"
#include "kernels/variants/support/plan_job.h"

namespace conv {

double least_ms(Roof roof, const Cost& cost, const Ceilings& ceilings) {
  const auto bytes = static_cast<double>(cost.compulsory_bytes);
  switch (roof) {
    case Roof::memory: return bytes / ceilings.copy_gb_per_s / 1e6;
    case Roof::cache: return bytes / ceilings.cached_copy_gb_per_s / 1e6;
    case Roof::loads: return static_cast<double>(cost.load_bytes) / ceilings.shared_gb_per_s / 1e6;
    case Roof::multiply_add:
      return 2 * static_cast<double>(cost.multiply_adds - cost.tensor_multiply_adds) / ceilings.gflop_per_s / 1e6;
  }
  return 0;
}

double roof_at(Roof roof, double intensity, double load_bytes, const Ceilings& ceilings) {
  switch (roof) {
    case Roof::memory: return ceilings.copy_gb_per_s * intensity;
    case Roof::cache: return ceilings.cached_copy_gb_per_s * intensity;
    case Roof::loads: return 2 * ceilings.shared_gb_per_s / std::max(load_bytes, 1e-9);
    case Roof::multiply_add: return ceilings.gflop_per_s;
  }
  return 0;
}

Roof binding_roof(const Cost& cost, const Ceilings& ceilings) {
  const bool cached = cost.compulsory_bytes < ceilings.cache_bytes / 2;
  Roof binding = cached ? Roof::cache : Roof::memory;
  for (const Roof other : {Roof::loads, Roof::multiply_add})
    if (least_ms(other, cost, ceilings) > least_ms(binding, cost, ceilings)) binding = other;
  return binding;
}

double predicted_ms(std::span<const Cost> steps, const Ceilings& ceilings) {
  double ms = 0;
  for (const Cost& step : steps)
    ms += least_ms(binding_roof(step, ceilings), step, ceilings) + ceilings.launch_us / 1000;
  return ms;
}

std::optional<LaunchPlan> kernel_plan_of(const BenchPoint& point, const DeviceLimits& limits) {
  const Variant* variant = find_variant(point.lane.variant);
  const Result<Taps> taps = taps_of(point.filter);
  if (!variant || !taps) return {};
  auto planned = plan_job(
      *variant, point.image,
      conv_settings({.lane = point.lane, .border = point.border}, std::make_shared<const Taps>(*taps)), limits);
  if (!planned || planned->on_host() || planned->transfers() || planned->spread()) return {};
  return std::move(*planned);
}

std::vector<Cost> costs_of(const BenchPoint& point, const DeviceLimits& limits) {
  const std::optional<LaunchPlan> plan = kernel_plan_of(point, limits);
  return plan ? step_costs(*plan) : std::vector<Cost>{};
}

std::optional<double> predicted_ms(const BenchPoint& point, const DeviceLimits& limits, const Ceilings& ceilings) {
  const std::vector<Cost> steps = costs_of(point, limits);
  return steps.empty() ? std::nullopt : std::optional(predicted_ms(steps, ceilings));
}

std::string prediction_text(double predicted_ms, double measured_ms) {
  const double off = predicted_ms / measured_ms - 1;
  return fmt::format("{:.3g} ms, {:.0f} % {}", predicted_ms, 100 * std::abs(off), off < 0 ? "less" : "more");
}

}  // namespace conv
