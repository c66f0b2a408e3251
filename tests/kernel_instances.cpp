// Prints "file instance" for one instance of every kernel, for nvcc_test.sh.
#include <fmt/format.h>

#include <set>

#include "app/cli/processor.h"

int main() {
  std::set<std::string> lines;
  const auto taps = std::make_shared<Taps>(*taps_of({.radius = 2}));
  for (const Variant* variant : variants()) {
    const auto plan = plan_of({.variant = std::string(variant->id)}, {}, taps, {64, 64}, {});
    for (const Step& step : plan->steps)
      if (const auto* kernel = std::get_if<KernelStep>(&step))
        lines.insert(fmt::format("{} {}", kernel->kernel.file, kernel->kernel.name));
  }
  for (const std::string& line : lines) fmt::print("{}\n", line);
}
