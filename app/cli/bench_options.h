// The options of `bench`.
#pragma once
#include <CLI/CLI.hpp>
#include <vector>

#include "app/cli/options.h"

namespace conv {

// Three options define the filters of a sweep; they are combined once all options are known.
struct SweptFilters {
  std::vector<FilterKind> kinds{FilterKind::gaussian};
  std::vector<int> radii{5};
  std::vector<double> sigmas;  // empty: derived from the radius
  std::vector<FilterSpec> combined() const;
};

void add_bench_options(CLI::App& app, Options& options, SweptFilters& swept);

}  // namespace conv
