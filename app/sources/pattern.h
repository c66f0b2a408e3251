// Generated test images, the same on every machine.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "app/sources/picture.h"

namespace conv {

enum class PatternKind { checkerboard, noise, gradient, impulse, zone_plate, text, slide, moving_scene };

struct PatternInfo {
  PatternKind kind;
  std::string_view id, title;
  Size2 only = {};  // its size, if it has but one
};
inline constexpr std::array patterns{
    PatternInfo{PatternKind::checkerboard, "checkerboard", "Checkerboard 64"},
    PatternInfo{PatternKind::noise, "noise", "Noise (seed)"},
    PatternInfo{PatternKind::gradient, "gradient", "Gradient"},
    PatternInfo{PatternKind::impulse, "impulse", "Impulse"},
    PatternInfo{PatternKind::zone_plate, "zone_plate", "Zone plate"},
    PatternInfo{PatternKind::text, "text", "Text"},
    PatternInfo{PatternKind::slide, "slide", "3×3 of the slides", {3, 3}},
    PatternInfo{PatternKind::moving_scene, "moving_scene", "Moving scene"},
};

constexpr const PatternInfo& info(PatternKind kind) {
  return patterns[static_cast<std::size_t>(kind)];
}

// 8 bits. size: not for a pattern that has but one. seed is used by noise only. The moving scene: its first frame. The
// slides: "Kernel Image Processing with CUDA", which prints what each padding makes of these nine pixels.
Picture make_pattern(PatternKind kind, Size2 size, std::uint32_t seed = 42);

}  // namespace conv
