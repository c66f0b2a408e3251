// Prints "file instance" for one instance of every kernel, for nvcc_test.sh.
#include <fmt/format.h>

#include <set>

#include "app/headless/processor.h"

using namespace conv;

int main() {
  std::set<std::string> lines;
  for (const Variant* variant : variants()) {
    const FilterSpec filter{.kind = variant->fuses_edges ? FilterKind::edges : FilterKind::box, .radius = 2};
    const auto plan = plan_of({.variant = std::string(variant->id)}, {.filter = filter},
                              std::make_shared<Taps>(*taps_of(filter)), {64, 64}, {});
    for (const Step* step : all_steps(*plan))
      if (const auto* kernel = std::get_if<KernelStep>(step))
        lines.insert(fmt::format("{} {}", kernel->kernel.file, kernel->kernel.exact.text()));
  }
  for (const std::string& line : lines) fmt::print("{}\n", line);
}
