#include "kernels/core/geometry.h"

#include <fmt/format.h>

namespace conv {

std::string size_text(Size2 size) {
  return fmt::format("{}×{}", size.width, size.height);
}

}  // namespace conv
