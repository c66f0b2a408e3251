#include "kernels/core/cost.h"

#include <algorithm>

Cost cost_of(const LaunchPlan& plan) {
  Cost cost;
  const int colours = std::min(3, info(plan.format).channels);
  for (const Step& step : plan.steps) {
    std::visit(
        [&](const auto& s) {
          const auto taps = static_cast<long long>(plan.tables[s.taps].values.size());
          const long long pixels = plan.size_of(s.writes).area();
          const auto bytes_of = [&](ImageRef ref) { return plan.size_of(ref).area() * info(plan.type_of(ref)).bytes; };
          cost.compulsory_bytes +=
              bytes_of(s.reads) + bytes_of(s.writes) + (s.also_reads ? bytes_of(*s.also_reads) : 0);
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
