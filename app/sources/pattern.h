// Generated test images, the same on every machine.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "app/sources/picture.h"

namespace conv {

enum class PatternKind { checkerboard, noise, gradient, impulse, zone_plate, text, moving_scene };

struct PatternInfo {
  PatternKind kind;
  std::string_view id, title;
};
inline constexpr std::array patterns{
    PatternInfo{PatternKind::checkerboard, "checkerboard", "Checkerboard 64"},
    PatternInfo{PatternKind::noise, "noise", "Noise (seed)"},
    PatternInfo{PatternKind::gradient, "gradient", "Gradient"},
    PatternInfo{PatternKind::impulse, "impulse", "Impulse"},
    PatternInfo{PatternKind::zone_plate, "zone_plate", "Zone plate"},
    PatternInfo{PatternKind::text, "text", "Text"},
    PatternInfo{PatternKind::moving_scene, "moving_scene", "Moving scene"},
};

// 8 bits. seed is used by noise only. The moving scene: its first frame.
Picture make_pattern(PatternKind kind, Size2 size, std::uint32_t seed = 42);

}  // namespace conv
