#include "kernels/variants/support/separable.h"

#include <fmt/format.h>

namespace conv {

Result<void> require_separable(std::string_view variant, const Taps& taps) {
  if (taps.separable()) return {};
  return failure(
      fmt::format("{} needs a separable filter (rank 1: a row times a column), but this matrix has rank {}. Use {}",
                  variant, taps.rank, variant.starts_with("cpu") ? "cpu_direct" : "tile_unrolled"));
}

}  // namespace conv
