#include "kernels/core/registry.h"

namespace conv {

#define CONV_VARIANT(name) extern const Variant name##_variant;
#include "kernels/registry.def"
#undef CONV_VARIANT

std::span<const Variant* const> variants() {
  static constexpr const Variant* list[] = {
#define CONV_VARIANT(name) &name##_variant,
#include "kernels/registry.def"
#undef CONV_VARIANT
  };
  return list;
}

const Variant* find_variant(std::string_view id) {
  for (const Variant* variant : variants())
    if (variant->id == id) return variant;
  return nullptr;
}

}  // namespace conv
