#include "app/model/normalise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/core/registry.h"

namespace conv {

namespace {

constexpr int max_side = 65536;  // px, of a generated picture or a camera
constexpr std::size_t max_text = 4096;

struct Checker {
  Corrections corrections;

  template <class Number>
  void range(Number& value, double low, double high, Number otherwise, std::string_view name,
             std::string_view unit = "") {
    bring_into_range(value, low, high, otherwise, name, unit, corrections);
  }
  void size(Size2& value, Size2 otherwise, int largest_side, std::string_view name) {
    const auto [width, height] = value;
    if (width >= 1 && height >= 1 && width <= largest_side && height <= largest_side && value.area() <= max_pixels)
      return;
    corrections.push_back(fmt::format("{} {}x{} is outside 1x1 to {}x{} with at most {} Mpx", name, width, height,
                                      largest_side, largest_side, max_pixels / 1'000'000));
    value = otherwise;
  }
  void text(std::string& value, std::string_view name) {
    if (value.size() <= max_text && value.find('\0') == std::string::npos) return;
    corrections.push_back(fmt::format("the name of the {} is too long or contains a zero byte", name));
    value.clear();
  }
  void lane(LaneSettings& l);
};

void Checker::lane(LaneSettings& l) {
  const LaneSettings standard;
  if (!find_variant(l.variant)) {
    corrections.push_back(fmt::format("there is no variant {}", l.variant));
    l.variant = standard.variant;
  }
  if (const auto [width, height] = l.block;
      width < 1 || height < 1 || width > max_block_threads || height > max_block_threads) {
    corrections.push_back(fmt::format("block {}x{}: each side has 1 to {} threads", width, height, max_block_threads));
    l.block = standard.block;
  } else if (l.block.area() > max_block_threads) {
    corrections.push_back(
        fmt::format("block {}x{} = {} threads > {}", width, height, l.block.area(), max_block_threads));
    l.block = standard.block;
  }
}

}  // namespace

void apply_auto_radius(Settings& s) {
  if (s.auto_radius && has_sigma(s.filter.kind)) s.filter.radius = radius_for_sigma(s.filter.sigma);
}

Corrections normalise(Settings& s) {
  const Settings standard;
  Checker check;
  check.text(s.source.camera, "camera");
  check.text(s.source.path, "path");
  if (s.source.camera_size != Size2{}) check.size(s.source.camera_size, {}, max_side, "camera size");
  check.range(s.source.camera_rate, 0, 1000, 0, "camera rate", "fps");
  if (std::count(std::begin(scale_percents), std::end(scale_percents), s.source.percent) == 0) {
    check.corrections.push_back(fmt::format("scale {} % is not one of 25, 50, 100, 200, 400", s.source.percent));
    s.source.percent = standard.source.percent;
  }
  check.size(s.source.pattern_size, standard.source.pattern_size, max_side, "pattern size");
  check.range(s.playback.speed, 0, 4, standard.playback.speed, "speed");
  for (std::string& wrong : normalise(s.filter)) check.corrections.push_back(std::move(wrong));
  apply_auto_radius(s);
  check.range(s.border_value, 0, 1, standard.border_value, "padding value");
  check.range(s.iterations, 1, max_iterations, standard.iterations, "iterations");
  check.range(s.display.exposure, -10, 10, standard.display.exposure, "exposure", "stops");
  check.range(s.display.offset, -10, 10, standard.display.offset, "display offset");
  check.range(s.display.gamma, 0.2, 5, standard.display.gamma, "gamma");
  for (LaneSettings& lane : s.lanes) check.lane(lane);
  std::erase_if(s.grid, [](const std::string& id) { return !find_variant(id); });
  s.grid.resize(std::min(s.grid.size(), std::size_t{max_lanes - 2}));
  std::erase_if(s.not_racing, [](const std::string& id) { return !find_variant(id); });
  check.range(s.difference.gain, 1, 1e6, standard.difference.gain, "gain");
  check.range(s.difference.threshold, 0, 1e6, standard.difference.threshold, "threshold");
  if (s.difference.map == ColourMap::blue_orange) s.difference.map = standard.difference.map;  // that map is signed
  return check.corrections;
}

Corrections normalise(Preferences& p) {
  const Preferences standard;
  Checker check;
  if (p.ui_scale != 0) check.range(p.ui_scale, 0.75, 3, standard.ui_scale, "scale of the controls");
  check.size(p.window_size, standard.window_size, largest_window, "window size");
  for (std::string& path : p.recent) check.text(path, "recent source");
  std::erase(p.recent, "");
  p.recent.resize(std::min(p.recent.size(), max_recent));
  return check.corrections;
}

}  // namespace conv
