// Colours with a meaning, fonts and sizes: LOOK in code.
#pragma once
#include <imgui.h>

#include <filesystem>
#include <string>

#include "app/model/settings.h"

namespace conv {

struct Palette {
  ImVec4 lane[2];  // A solid, B dashed
  ImVec4 pass, fault;
  ImVec4 background, panel, raised, hairline;
  ImVec4 text, quiet, disabled;
  // Of a lane's letter, stripe and frames; those beside A and B have no hue of their own.
  ImVec4 of_lane(int index) const { return index < 2 ? lane[index] : quiet; }
};
const Palette& palette(Theme theme);

struct Fonts {
  ImFont* words = nullptr;    // Inter, or Roboto where it is missing
  ImFont* numbers = nullptr;  // JetBrains Mono: figures align and do not jitter
};

// Four sizes, as multiples of the base of 16 px.
namespace text_size {
constexpr float base = 16, caption = 0.8f * base, title = 1.25f * base, big = 2 * base;
}

Fonts load_fonts(const std::filesystem::path& beside_program);
void apply_style(Theme theme, float scale);

// What a panel draws with.
struct Look {
  const Palette& colours;
  const Fonts& fonts;
  float caption = text_size::caption;  // of labels in the pictures
};

}  // namespace conv
