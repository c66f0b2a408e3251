// What the variants are compared with: copies of the image, NVIDIA's NPP, and Python's libraries. They are in no menu
// and no race. Benchmarks plan them like variants, on a GPU.
#pragma once
#include <span>

#include "kernels/core/variant.h"

namespace conv {

struct Peer : Variant {
  bool filters = true;     // false: the result is the unchanged image, and its time is a lower limit for all variants
  bool elsewhere = false;  // measured by tests/bench/libraries.py; its plan is a refusal
  // Rounds or cuts 8-bit results in its own way: one level of difference counts as right, and it is ranked separately.
  bool a_level_apart = false;
  bool filters_alpha = false;  // others keep it; it is not compared
};
inline constexpr float a_level = 1.0f / 255;  // the tolerance in that case
std::span<const Peer> peers();
const Peer* find_peer(std::string_view id);  // null if there is none
bool is_copy(std::string_view id);           // a peer that only copies the image

}  // namespace conv
