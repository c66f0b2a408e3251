// Colours with a meaning, fonts and sizes.
#pragma once
#include <imgui.h>

#include <filesystem>
#include <string>

#include "app/model/settings.h"

namespace conv {

struct Palette {
  ImVec4 lane[2];  // A is drawn solid, B dashed
  ImVec4 pass, fault;
  ImVec4 background, panel, raised, hairline;
  ImVec4 outline;  // of controls: 3 to 1 or more on each ground
  ImVec4 text, quiet, disabled;
  // The colour of a lane's letter, stripe and frames; lanes after A and B have none of their own.
  ImVec4 of_lane(int index) const { return index < 2 ? lane[index] : quiet; }
};
const Palette& palette(Theme theme);
// The relative luminance of WCAG 2.2: 0 black, 1 white.
float luminance(ImVec4 colour);
// Black or white, whichever is read better on this colour: 4.5 to 1 or more.
ImU32 ink_on(ImVec4 ground);

struct Fonts {
  ImFont* words = nullptr;    // Inter, or Roboto if it is missing
  ImFont* numbers = nullptr;  // JetBrains Mono: digits align and do not jitter
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
  float caption = text_size::caption;  // labels in the pictures
};

}  // namespace conv
