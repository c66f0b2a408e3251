// What the variants are measured against: copies of the image, and NVIDIA's NPP. In no menu and no race: benchmarks
// plan them as they plan variants, on a GPU.
#pragma once
#include <span>

#include "kernels/core/variant.h"

struct Peer : Variant {
  bool filters = true;  // else its result is the image as it was, and its time what nothing can be faster than
};
std::span<const Peer> peers();
const Peer* find_peer(std::string_view id);  // null: no such one
