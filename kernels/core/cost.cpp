#include "kernels/core/cost.h"

#include <algorithm>

Cost cost_of(const LaunchPlan& plan) {
  Cost cost;
  const long long pixels = plan.image.area();
  const int colours = plan.format == PixelType::f32 ? 1 : 3;
  for (const Step& step : plan.steps) {
    std::visit(
        [&](const auto& s) {
          const auto taps = static_cast<long long>(plan.tables[s.taps].values.size());
          cost.compulsory_bytes += pixels * (info(plan.type_of(s.reads)).bytes + info(plan.type_of(s.writes)).bytes);
          cost.multiply_adds += pixels * taps * colours;
          if constexpr (std::is_same_v<std::decay_t<decltype(s)>, KernelStep>) {
            const Size2 staged{s.tile.width + 2 * s.apron.width, s.tile.height + 2 * s.apron.height};
            cost.loads_per_pixel += s.shared_bytes > 0 ? static_cast<double>(staged.area()) / s.tile.area() : taps + 1;
            cost.shared_bytes = std::max(cost.shared_bytes, s.shared_bytes);
          } else {
            cost.loads_per_pixel += taps;
          }
        },
        step);
  }
  return cost;
}
