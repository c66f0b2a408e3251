#include "kernels/variants/separable.h"

#include <fmt/format.h>

Result<void> require_separable(std::string_view variant, const Taps& taps) {
  if (taps.separable()) return {};
  return failure(fmt::format("{} needs a filter of rank 1, a row times a column; this matrix has rank {}. Use {}",
                             variant, taps.rank, variant.starts_with("cpu") ? "cpu_direct" : "tile_unrolled"));
}
