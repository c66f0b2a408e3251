#include "app/lessons/lesson_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/headless/processor.h"

namespace conv {

namespace {

std::optional<double> value_at(int radius, const LessonQuestion& question, const LessonFacts& facts,
                               const DeviceLimits& limits) {
  Settings settings = facts.settings;
  settings.filter.radius = radius;
  Result<Taps> taps = taps_of(settings.filter);
  if (!taps) return std::nullopt;
  const auto shared = std::make_shared<const Taps>(std::move(*taps));
  LessonFacts at{.settings = settings, .image = facts.image, .multiprocessor = facts.multiprocessor};
  for (std::size_t i = 0; i < at.plans.size(); ++i) {
    if (!facts.plans[i]) continue;
    Result<LaunchPlan> plan =
        plan_of(lane_settings(settings, static_cast<int>(i)), settings, shared, facts.image, limits);
    if (plan) at.plans[i] = std::make_shared<const LaunchPlan>(std::move(*plan));
  }
  const auto value = lesson_value(question.value, at);
  return value ? std::optional(value->number) : std::nullopt;
}

double largest(const Curve& curve) {
  double most = 0;
  for (const auto& value : curve) most = std::max(most, std::fabs(value.value_or(0)));
  return most;
}

}  // namespace

Curve curve_of(const LessonQuestion& question, const LessonFacts& facts, const DeviceLimits& limits) {
  Curve curve;
  for (int radius = question.curve->from; radius <= question.curve->to; ++radius)
    curve.push_back(value_at(radius, question, facts, limits));
  return curve;
}

double top_of(const Curve& right) {
  const double most = 1.1 * largest(right);
  if (most <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(most)));
  for (const double step : {1.0, 1.5, 2.0, 3.0, 5.0, 7.0})
    if (most <= step * power) return step * power;
  return 10 * power;
}

std::optional<double> distance(const Curve& drawn, const Curve& right) {
  double sum = 0;
  int radii = 0;
  for (std::size_t i = 0; i < std::min(drawn.size(), right.size()); ++i)
    if (drawn[i] && right[i]) sum += std::fabs(*drawn[i] - *right[i]), ++radii;
  const double most = largest(right);
  return radii > 0 && most > 0 ? std::optional(sum / radii / most) : std::nullopt;
}

std::string text_of(const LessonQuestion& question, const Curve& curve) {
  std::string text;
  for (std::size_t i = 0; i < curve.size(); ++i)
    if (curve[i])
      text += fmt::format("{}R {}: {:.4g}", text.empty() ? "" : ", ", question.curve->from + static_cast<int>(i),
                          *curve[i]);
  return text;
}

}  // namespace conv
