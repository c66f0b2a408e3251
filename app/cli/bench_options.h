// The options of `bench`.
#pragma once
#include <CLI/CLI.hpp>
#include <vector>

#include "app/cli/options.h"

namespace conv {

// The filters of a sweep come from three options, which are combined once all are known.
struct SweptFilters {
  std::vector<FilterKind> kinds{FilterKind::gaussian};
  std::vector<int> radii{5};
  std::vector<double> sigmas;  // empty: by the radius
  std::vector<FilterSpec> combined() const;
};

void add_bench_options(CLI::App& app, Options& options, SweptFilters& swept);

}  // namespace conv
