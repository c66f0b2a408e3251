#include "app/live/new_variant.h"

#include <fmt/format.h>

#include "app/cli/commands.h"

namespace conv {

static Result<int> start(const Options& options) {
  const auto written = CONV_TRY(start_variant(options.out.empty() ? "." : options.out, options.in, options.plan));
  for (const std::filesystem::path& path : written) fmt::print("{}\n", printable(path.string()));
  fmt::print("app/run builds it; app/run check {} checks its kernel\n", options.in);
  return 0;
}

int run_new_variant(const Options& options) {
  return status_of(start(options));
}

}  // namespace conv
