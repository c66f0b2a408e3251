// Draws the sample pictures in this folder: assets/generate FOLDER. They are computed, so they can be given away
// freely.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "app/sources/pattern.h"
#include "app/sources/picture.h"
#include "app/sources/raster_font.h"
#include "kernels/core/file.h"

using namespace conv;

namespace {

struct Colour {
  float r = 0, g = 0, b = 0;
};
Colour operator+(Colour a, Colour b) {
  return {a.r + b.r, a.g + b.g, a.b + b.b};
}
Colour operator*(Colour a, float k) {
  return {a.r * k, a.g * k, a.b * k};
}
Colour mix(Colour a, Colour b, float t) {
  return a * (1 - t) + b * t;
}
constexpr Colour rgb(unsigned hex) {
  return {static_cast<float>(hex >> 16 & 255) / 255, static_cast<float>(hex >> 8 & 255) / 255,
          static_cast<float>(hex & 255) / 255};
}
float smooth(float low, float high, float v) {
  const float t = std::clamp((v - low) / (high - low), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

// A hash of a lattice point in 0..1: the only randomness here.
float hashed(int x, int y, int seed) {
  auto h = static_cast<std::uint32_t>(x) * 0x9E3779B1u ^ static_cast<std::uint32_t>(y) * 0x85EBCA77u ^
           static_cast<std::uint32_t>(seed) * 0xC2B2AE3Du;
  h = (h ^ h >> 15) * 0x2C1B3C6Du;
  h = (h ^ h >> 12) * 0x297A2D39u;
  return static_cast<float>((h ^ h >> 15) >> 8) / static_cast<float>(1 << 24);
}
float value_noise(float x, float y, int seed) {
  const int ix = static_cast<int>(std::floor(x)), iy = static_cast<int>(std::floor(y));
  const float tx = smooth(0, 1, x - static_cast<float>(ix)), ty = smooth(0, 1, y - static_cast<float>(iy));
  const auto row = [&](int j) { return std::lerp(hashed(ix, j, seed), hashed(ix + 1, j, seed), tx); };
  return std::lerp(row(iy), row(iy + 1), ty);
}
float clouds(float x, float y, int seed, int octaves = 6) {
  float sum = 0, weight = 0.5f;
  for (int i = 0; i < octaves; ++i, x *= 2.03f, y *= 2.03f, weight /= 2) sum += weight * value_noise(x, y, seed + i);
  return sum;
}

using Shade = std::function<Colour(float x, float y)>;  // in pixels, at any position

Picture drawn(Size2 size, const Shade& shade) {
  constexpr int samples = 3;  // per side, so that edges are smooth
  Picture picture{.size = size, .channels = 3};
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      Colour sum;
      for (int j = 0; j < samples; ++j)
        for (int i = 0; i < samples; ++i)
          sum = sum + shade(static_cast<float>(x) + (static_cast<float>(i) + 0.5f) / samples,
                            static_cast<float>(y) + (static_cast<float>(j) + 0.5f) / samples);
      for (const float v : {sum.r, sum.g, sum.b}) picture.levels.push_back(to_level(v / (samples * samples) * 255));
    }
  return picture;
}

// ---- The harbour: an evening by the water, 1920x1080. Sky and hills are smooth, houses sharp, water and leaves
// textured. ----

constexpr float horizon = 620, sun_x = 1330, sun_y = 470;

Colour sky(float x, float y) {
  const float t = std::clamp(y / horizon, 0.0f, 1.0f);
  Colour c = mix(mix(rgb(0x1B2A4E), rgb(0x6C5B8E), smooth(0, 0.55f, t)), rgb(0xF6A965), smooth(0.4f, 1, t));
  const float d = std::hypot(x - sun_x, y - sun_y);
  c = c + rgb(0xFFB36B) * (0.55f * std::exp(-d / 240)) + rgb(0xFFE2B0) * (0.5f * std::exp(-d / 60));
  c = mix(c, rgb(0xFFF3D6), smooth(58, 55, d));
  const float cloud = smooth(0.46f, 0.72f, clouds(x / 420, y / 90, 7));
  c = mix(c, mix(rgb(0x8C6A92), rgb(0xFFC58F), smooth(0.2f, 0.9f, t)), 0.6f * cloud * smooth(1.0f, 0.8f, t));
  if (y < 300) {
    const int cx = static_cast<int>(x / 14), cy = static_cast<int>(y / 14);
    if (hashed(cx, cy, 91) > 0.985f) {
      const float sx = (static_cast<float>(cx) + 0.2f + 0.6f * hashed(cx, cy, 92)) * 14,
                  sy = (static_cast<float>(cy) + 0.5f) * 14;
      c = c + rgb(0xFFFFFF) * ((1 - cloud) * smooth(300, 60, y) * smooth(1.6f, 0.4f, std::hypot(x - sx, y - sy)));
    }
  }
  return c;
}

float ridge(float x, int layer) {
  const float l = static_cast<float>(layer);
  return horizon - 30 - (150 - 38 * l) * clouds(x / (520 - 90 * l) + 13 * l, 3.7f * l, 20 + layer) - 24 * (3 - l);
}

// Houses along the quay; each has its own width, height, colour, gable and lit windows.
struct House {
  float left, right, top, gable;
  Colour wall;
  int id;
};
std::vector<House> make_houses() {
  constexpr Colour walls[] = {rgb(0xB5523B), rgb(0xD9A24E), rgb(0x5E7F86), rgb(0xC9B8A0),
                              rgb(0x8A4B52), rgb(0x6F7F5C), rgb(0xD08C60)};
  std::vector<House> houses;
  float x = 70;
  for (int i = 0; x < 1010; ++i) {
    const float width = 62 + 46 * hashed(i, 1, 3), height = 120 + 90 * hashed(i, 2, 3);
    houses.push_back({x, x + width, horizon - height, 26 + 22 * hashed(i, 3, 3),
                      walls[static_cast<std::size_t>(hashed(i, 4, 3) * 6.99f)], i});
    x += width + (hashed(i, 5, 3) > 0.8f ? 26 : 2);
  }
  return houses;
}

bool house(float x, float y, Colour& c) {
  static const std::vector<House> houses = make_houses();
  for (const House& h : houses) {
    if (x < h.left || x >= h.right) continue;
    const float middle = (h.left + h.right) / 2, half = (h.right - h.left) / 2;
    const float roof = h.top - h.gable * (1 - std::fabs(x - middle) / half);
    if (y < roof) return false;
    if (y < h.top) {
      c = mix(rgb(0x4A2F35), rgb(0x7A4A40), 0.5f + 0.5f * std::sin(y * 0.9f)) * (0.75f + 0.25f * (x > middle));
      return true;
    }
    c = h.wall * (0.62f + 0.16f * (x - h.left) / (h.right - h.left) + 0.08f * clouds(x / 9, y / 9, 40, 3));
    const float pitch_x = (h.right - h.left) / std::floor((h.right - h.left) / 21), pitch_y = 31;
    const int wx = static_cast<int>((x - h.left) / pitch_x), wy = static_cast<int>((y - h.top) / pitch_y);
    const float fx = (x - h.left) / pitch_x - static_cast<float>(wx),
                fy = (y - h.top) / pitch_y - static_cast<float>(wy);
    if (fx > 0.27f && fx < 0.73f && fy > 0.25f && fy < 0.75f && y < horizon - 18) {
      const bool lit = hashed(wx + 50 * h.id, wy, 5) > 0.42f;
      c = lit ? mix(rgb(0xFFD98A), rgb(0xFF9E4A), fy) * (0.8f + 0.2f * hashed(wx, wy + h.id, 6)) : rgb(0x2B3444);
      if (std::fabs(fx - 0.5f) < 0.035f || std::fabs(fy - 0.5f) < 0.03f) c = h.wall * 0.5f;
    }
    return true;
  }
  return false;
}

// The lighthouse at the end of the mole, white with red bands.
bool lighthouse(float x, float y, Colour& c) {
  constexpr float middle = 1610, base = horizon + 4, top = 330;
  if (y > base - 26 && y < base + 8 && std::fabs(x - middle) < 130) {
    c = mix(rgb(0x3A3B45), rgb(0x5B5A62), clouds(x / 12, y / 8, 60, 4));
    return true;
  }
  const float half = 17 + 15 * (y - top) / (base - top);
  if (y >= top && y < base && std::fabs(x - middle) < half) {
    const bool red = static_cast<int>((y - top) / 46) % 2 == 1;
    const float light = 0.55f + 0.45f * smooth(half, -half * 0.4f, x - middle);
    c = (red ? rgb(0xC43D34) : rgb(0xF3E9DC)) * light;
    return true;
  }
  if (y >= top - 34 && y < top && std::fabs(x - middle) < 13) {
    c = std::fabs(std::fmod(x - middle + 130, 8.67f) - 4.3f) < 0.9f ? rgb(0x2A2A33) : rgb(0xFFF1B8);
    return true;
  }
  if ((y >= top - 2 && y < top + 4 && std::fabs(x - middle) < 26) ||
      (y >= top - 56 && y < top - 34 && std::fabs(x - middle) < 15 * (y - top + 56) / 22)) {
    c = rgb(0x33303A);
    return true;
  }
  return false;
}

bool sailing_boat(float x, float y, Colour& c) {
  constexpr float mast = 1190, deck = horizon + 52;
  if (y > deck && y < deck + 20 && x > mast - 78 + (y - deck) && x < mast + 96 - 1.4f * (y - deck)) {
    c = y < deck + 4 ? rgb(0xE9DDC8) : rgb(0x25384F);
    return true;
  }
  if (std::fabs(x - mast) < 2 && y > deck - 196 && y < deck) {
    c = rgb(0x2D2622);
    return true;
  }
  const float t = (y - (deck - 186)) / 172;
  if (t > 0 && t < 1 && x > mast + 4 && x < mast + 4 + 84 * t) {
    c = mix(rgb(0xF4E3C6), rgb(0xD9A77A), (x - mast) / 88) * (0.96f + 0.04f * (std::fmod(y, 24) > 1.2f));
    return true;
  }
  if (t > 0.06f && t < 0.98f && x < mast - 4 && x > mast - 4 - 62 * t) {
    c = mix(rgb(0xD8543F), rgb(0x8F2F33), (mast - x) / 66);
    return true;
  }
  return false;
}

// Everything above the water, without the foreground.
Colour scenery(float x, float y) {
  Colour c = sky(x, y);
  for (int layer = 0; layer < 3; ++layer) {
    const float top = ridge(x, layer);
    if (y > top) {
      const Colour far = rgb(0x9A7F98), near = rgb(0x3C4A57);
      c = mix(mix(far, near, 0.2f + 0.4f * static_cast<float>(layer)), rgb(0xD99A72), 0.35f * smooth(top, horizon, y));
      c = c * (0.94f + 0.12f * clouds(x / 26, y / 16, 70 + layer, 4));
    }
  }
  if (Colour object; house(x, y, object) || lighthouse(x, y, object)) c = object;
  return c;
}

Colour harbour(float x, float y) {
  Colour c;
  if (y < horizon) {
    c = scenery(x, y);
  } else {
    const float depth = (y - horizon) / (1080 - horizon);  // 0 far, 1 near
    const float scale = 6 + 60 * depth;
    const float wave = clouds(x / (scale * 3.2f), y / scale * 1.6f + 40, 80, 5) - 0.5f;
    const float mirrored_y = horizon - (y - horizon) * 0.92f + wave * 70 * (0.25f + depth);
    c = scenery(x + wave * 36 * (0.3f + depth), std::clamp(mirrored_y, 0.0f, horizon - 1)) * (0.82f - 0.25f * depth);
    c = mix(c, rgb(0x152A40), 0.25f + 0.35f * depth);
    const float glint = smooth(0.16f, 0.30f, wave) * std::exp(-std::fabs(x - sun_x) / (90 + 260 * depth));
    c = c + rgb(0xFFC98A) * (0.75f * glint);
    if (y < horizon + 5 && x < 1060) c = rgb(0x3B3236);
    if (Colour object; lighthouse(x, y, object)) c = object;
  }
  if (Colour object; sailing_boat(x, y, object)) c = object;

  // Leaves at the upper left: fine, sharp, dark against the sky.
  for (int k = 0; k < 3; ++k) {
    const float cell = 15 + 5 * static_cast<float>(k);
    const int cx = static_cast<int>(std::floor(x / cell)), cy = static_cast<int>(std::floor(y / cell));
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) {
        const int lx = cx + i, ly = cy + j;
        const float px = (static_cast<float>(lx) + hashed(lx, ly, 100 + k)) * cell,
                    py = (static_cast<float>(ly) + hashed(lx, ly, 110 + k)) * cell;
        const float reach = 250 + 130 * clouds(px / 130, py / 130, 120, 3);
        if (std::hypot(px * 0.62f, py * 1.25f) > reach * (0.75f + 0.5f * hashed(lx, ly, 130))) continue;
        const float turn = 6.28f * hashed(lx, ly, 140 + k), dx = x - px, dy = y - py;
        const float u = dx * std::cos(turn) + dy * std::sin(turn), v = -dx * std::sin(turn) + dy * std::cos(turn);
        if (u * u / (cell * cell * 0.30f) + v * v / (cell * cell * 0.05f) < 1)
          c = mix(rgb(0x16241F), rgb(0x5C7A3F), hashed(lx, ly, 150 + k) * 0.8f) * (v > 0 ? 1.0f : 0.8f);
      }
  }
  const float corner = std::hypot((x - 960) / 960, (y - 540) / 540);
  return c * (1 - 0.16f * smooth(0.7f, 1.4f, corner));
}

// ---- Pebbles: cells of many sizes and colours, for texture everywhere. ----
Colour pebbles(float x, float y) {
  float nearest = 1e9f, second = 1e9f;
  int id_x = 0, id_y = 0;
  const int cx = static_cast<int>(std::floor(x / 44)), cy = static_cast<int>(std::floor(y / 44));
  for (int j = -2; j <= 2; ++j)
    for (int i = -2; i <= 2; ++i) {
      const float px = (static_cast<float>(cx + i) + hashed(cx + i, cy + j, 1)) * 44,
                  py = (static_cast<float>(cy + j) + hashed(cx + i, cy + j, 2)) * 44;
      const float d = std::hypot(x - px, y - py) * (0.8f + 0.5f * hashed(cx + i, cy + j, 3));
      if (d < nearest) {
        second = std::exchange(nearest, d);
        id_x = cx + i, id_y = cy + j;
      } else {
        second = std::min(second, d);
      }
    }
  constexpr Colour stones[] = {rgb(0x8D8478), rgb(0xB9A68B), rgb(0x5F6B73),
                               rgb(0xA7735A), rgb(0xD8CDBB), rgb(0x49505A)};
  Colour c = stones[static_cast<std::size_t>(hashed(id_x, id_y, 4) * 5.99f)];
  c = c * (0.8f + 0.4f * clouds(x / 14, y / 14, 30 + id_x * 7 + id_y, 5));
  const float edge = second - nearest;
  return c * (0.28f + 0.72f * smooth(0, 13, edge)) * (1.08f - nearest / 90);
}

// ---- Text: letters of decreasing size, and lines of decreasing pitch. ----
Colour text(float x, float y) {
  const Colour paper = rgb(0xFBF8F1), dark = rgb(0x1D2430);
  const std::string lines[] = {"CONVOSCOPE", "TAPS TILES APRONS", "EVERY PIXEL IS A SUM OF ITS NEIGHBOURS",
                               "HOW SMALL CAN YOU STILL READ THIS LINE AFTER THE FILTER",
                               "THE KERNEL SLIDES OVER THE IMAGE AND WEIGHS WHAT IT MEETS AND ADDS IT UP INTO ONE"};
  float top = 60, unit = 12;
  for (const std::string& line : lines) {
    const float left = 64;
    const int column = static_cast<int>(std::floor((x - left) / unit)),
              row = static_cast<int>(std::floor((y - top) / unit));
    if (row >= 0 && row < 7 && column >= 0 && column / 6 < static_cast<int>(line.size()) && column % 6 < 5 &&
        ink(line[static_cast<std::size_t>(column / 6)], column % 6, row))
      return dark;
    top += unit * 11;
    unit = std::max(2.0f, std::floor(unit * 0.58f));
  }
  // Lines whose pitch decreases from 24 px to 2 px from left to right, in three colours.
  constexpr Colour inks[] = {rgb(0x1D2430), rgb(0xC4432F), rgb(0x23659B)};
  for (int band = 0; band < 3; ++band) {
    const float from = 560 + 140 * static_cast<float>(band);
    if (y < from || y >= from + 100 || x < 64 || x >= 1216) continue;
    const float t = (x - 64) / 1152, phase = 1152 * std::log(1 + 11 * t) / 11 / 24 * 4.6f;
    return phase - std::floor(phase) < 0.5f ? inks[band] : paper;
  }
  return paper;
}

// ---- Colour: saturated discs on a grey wedge. ----
Colour colours(float x, float y) {
  Colour c = Colour{1, 1, 1} * (std::floor(x / 64) / 15.0f);
  for (int i = 0; i < 12; ++i) {
    const float turn = static_cast<float>(i) * std::numbers::pi_v<float> / 6;
    const float px = 512 + 300 * std::cos(turn), py = 384 + 270 * std::sin(turn);
    const auto channel = [&](float shift) { return std::clamp(0.5f + std::cos(turn - shift), 0.0f, 1.0f); };
    if (std::hypot(x - px, y - py) < 74) c = {channel(0), channel(2.094f), channel(4.189f)};
  }
  const float d = std::hypot(x - 512, y - 384);
  if (d < 150) c = std::fmod(d, 24) < 12 ? rgb(0xF7F3EA) : rgb(0x14181F);
  return c;
}

// The program's icon: the weights of a 5x5 Gaussian, as bright as they are.
std::string icon() {
  constexpr int weights[] = {1, 4, 6, 4, 1}, cell = 40, gap = 6, margin = 16, side = 256;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {0}\">\n"
      "<rect width=\"{0}\" height=\"{0}\" rx=\"44\" fill=\"#14181f\"/>\n",
      side);
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 5; ++x) {
      const auto bright = std::sqrt(static_cast<float>(weights[x] * weights[y]) / 36);
      const Colour c = bright < 0.5f ? mix(rgb(0x16324f), rgb(0x2a9d8f), 2 * bright)
                                     : mix(rgb(0x2a9d8f), rgb(0xffd166), 2 * bright - 1);
      const auto level = [](float v) { return static_cast<int>(std::lround(255 * v)); };
      text += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"#{:02x}{:02x}{:02x}\"/>\n",
          margin + x * (cell + gap), margin + y * (cell + gap), cell, cell, level(c.r), level(c.g), level(c.b));
    }
  return text + "</svg>\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
  const struct {
    const char* name;
    Size2 size;
    Shade shade;
  } pictures[] = {{"harbour.png", {1920, 1080}, harbour},
                  {"pebbles.png", {1024, 768}, pebbles},
                  {"text.png", {1280, 1000}, text},
                  {"colours.png", {1024, 768}, colours}};
  for (const auto& [name, size, shade] : pictures)
    if (const Result<void> saved = save_picture(drawn(size, shade), folder / name); !saved) return 1;
  if (!write_file_and_folders(folder / "icon" / "convoscope.svg", icon())) return 1;
  // Every frequency up to Nyquist, at every angle.
  return save_picture(make_pattern(PatternKind::zone_plate, {1024, 1024}), folder / "zone_plate.png") ? 0 : 1;
}
