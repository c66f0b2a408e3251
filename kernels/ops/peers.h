// What the variants are measured against: copies of the image, NVIDIA's NPP, and Python's libraries. In no menu and no
// race: benchmarks plan them as they plan variants, on a GPU.
#pragma once
#include <span>

#include "kernels/core/variant.h"

namespace conv {

struct Peer : Variant {
  bool filters = true;     // else its result is the image as it was, and its time what nothing can be faster than
  bool elsewhere = false;  // tests/bench/libraries.py measures it; its plan is a refusal
  // Cuts or rounds to 8 bits in its own way: a level beside the exact one is right there, in a ranking of its own.
  bool a_level_apart = false;
  bool filters_alpha = false;  // which others keep: it is not looked at
};
inline constexpr float a_level = 1.0f / 255;  // the tolerance then
std::span<const Peer> peers();
const Peer* find_peer(std::string_view id);  // null: no such one
bool is_copy(std::string_view id);           // a peer whose result is the image as it was

}  // namespace conv
