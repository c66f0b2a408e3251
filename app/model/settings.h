// What the user chose. Plain values: undo keeps copies, the settings file is their text.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/sources/frames.h"
#include "app/sources/pattern.h"
#include "app/sources/picture.h"
#include "kernels/core/plan.h"

namespace conv {

// Lanes A and B, and the others in the grid view.
inline constexpr int max_lanes = 9;

// Source, filter and padding are shared by all lanes; the rest belongs to one lane.
struct LaneSettings {
  std::string variant = "tile_unrolled";
  PixelType format = PixelType::rgba8;
  Size2 block{16, 16};
  SwitchValues switches;
  friend bool operator==(const LaneSettings&, const LaneSettings&) = default;
};

// The block shapes of the list and of the keys ; and '.
inline constexpr Size2 block_presets[] = {{8, 8}, {16, 16}, {32, 8}, {32, 16}, {32, 32}, {64, 4}, {128, 1}};

enum class DeviceChoice { automatic, gpu, cpu };
enum class ViewMode { single, side, wipe, difference, flip, grid };
struct ViewModeInfo {
  ViewMode mode;
  std::string_view id, title, button, tip;
};
inline constexpr std::array view_modes{
    ViewModeInfo{ViewMode::single, "single", "Single", "Single", "Lane A alone. 1"},
    ViewModeInfo{ViewMode::side, "side", "Side by side", "Side",
                 "Lanes A and B side by side, panned and zoomed together. 2"},
    ViewModeInfo{
        ViewMode::wipe, "wipe", "Wipe", "Wipe",
        "A on one side of a divider, B on the other. Drag the divider; V rotates it, a double click moves it. 3 or W"},
    ViewModeInfo{ViewMode::difference, "difference", "Difference", "Diff",
                 "The difference of A and B at every pixel, multiplied until it can be seen. 4 or D"},
    ViewModeInfo{ViewMode::flip, "flip", "Flip", "Flip",
                 "One picture, A or B: Space switches, ` shows B while it is held. 5"},
    ViewModeInfo{ViewMode::grid, "grid", "Grid", "Grid",
                 "A, B and up to seven other variants of the same frame. 6 or G"},
};
enum class Theme { dark, light, contrast };
struct ThemeInfo {
  Theme theme;
  std::string_view id;
};
inline constexpr std::array themes{ThemeInfo{Theme::dark, "dark"}, ThemeInfo{Theme::light, "light"},
                                   ThemeInfo{Theme::contrast, "contrast"}};
enum class Language { english, italian, german };
struct LanguageInfo {
  Language language;
  std::string_view id, title;
};
inline constexpr std::array languages{
    LanguageInfo{Language::english, "en", "English"},
    LanguageInfo{Language::italian, "it", "Italiano"},
    LanguageInfo{Language::german, "de", "Deutsch"},
};

// Limits of settings, for controls, options and normalise().
inline constexpr int max_iterations = 16;       // of a filter; at least 1
inline constexpr int max_block_threads = 1024;  // of a block, and of each of its sides; at least 1
inline constexpr std::size_t max_recent = 10;   // sources that are remembered

// The first that is set: a camera; a file, folder or video; a pattern.
struct SourceSettings {
  std::string camera;   // the device, as the system names it
  Size2 camera_size;    // empty: the camera's default
  int camera_rate = 0;  // 0: the camera's default
  bool flip = false;    // mirror the camera's picture
  std::string path;
  int percent = 100;  // scale of the file: one of scale_percents
  PatternKind pattern = PatternKind::zone_plate;
  Size2 pattern_size{1920, 1080};
  std::uint32_t seed = 42;
  // A source of many frames, playing or not.
  bool moves() const {
    return !camera.empty() ||
           (path.empty() ? pattern == PatternKind::moving_scene : is_video(path) || is_sequence(path));
  }
  friend bool operator==(const SourceSettings&, const SourceSettings&) = default;
};

// How a moving source is played.
struct PlaybackSettings {
  float speed = 1;  // 0: as fast as frames can be shown
  bool loops = true;
  friend bool operator==(const PlaybackSettings&, const PlaybackSettings&) = default;
};
inline constexpr float playback_speeds[] = {0.1f, 0.25f, 0.5f, 1, 2, 4, 0};

// How a frame is uploaded to the GPU.
struct TransferSettings {
  bool pinned = true;        // from page-locked memory
  bool asynchronous = true;  // without waiting for the copy
  bool as_yuv = true;        // if cameras and decoders deliver YUV; the GPU converts it to RGBA
  friend bool operator==(const TransferSettings&, const TransferSettings&) = default;
};

// How values are displayed. The textures keep the values.
enum class DisplayRange { automatic, as_is, centred };
struct DisplayRangeInfo {
  DisplayRange range;
  std::string_view id, title;
};
inline constexpr std::array display_ranges{
    DisplayRangeInfo{DisplayRange::automatic, "auto", "Automatic"},
    DisplayRangeInfo{DisplayRange::as_is, "as_is", "As they are"},
    DisplayRangeInfo{DisplayRange::centred, "centred", "Signed, grey is 0"},
};
// How values of pixels are written: in levels of 8 bits, or as a part of full scale. They are stored as the latter.
enum class ValueUnit { levels, one };
struct ValueUnitInfo {
  ValueUnit unit;
  std::string_view id, title, name;  // name: behind a number
  double full_scale;
};
inline constexpr std::array value_units{
    ValueUnitInfo{ValueUnit::levels, "levels", "Levels, 0 to 255", " levels", 255},
    ValueUnitInfo{ValueUnit::one, "one", "0 to 1", "", 1},
};
constexpr const ValueUnitInfo& info(ValueUnit unit) {
  return value_units[static_cast<std::size_t>(unit)];
}
struct DisplaySettings {
  DisplayRange range = DisplayRange::automatic;
  float exposure = 0;                              // stops: values are multiplied by 2 to this power
  float offset = 0;                                // added after that; 1 is full scale
  bool srgb = false;                               // the screen's own curve, for linear light, instead of gamma
  float gamma = 1;                                 // displayed is the value to the power of 1 / gamma
  std::array<bool, 3> channels{true, true, true};  // a single channel is shown as grey
  bool pixel_grid = true;                          // from 8 screen pixels per pixel on; values from 24 on
  ValueUnit unit = ValueUnit::levels;              // in pictures, panels and fields
  friend bool operator==(const DisplaySettings&, const DisplaySettings&) = default;
};

// The false colours of a difference, the unsigned maps first.
enum class ColourMap { cividis, viridis, magma, blue_orange };
struct ColourMapInfo {
  ColourMap map;
  std::string_view id, title;
};
inline constexpr std::array colour_maps{
    ColourMapInfo{ColourMap::cividis, "cividis", "Cividis"},
    ColourMapInfo{ColourMap::viridis, "viridis", "Viridis"},
    ColourMapInfo{ColourMap::magma, "magma", "Magma"},
    ColourMapInfo{ColourMap::blue_orange, "blue_orange", "Blue-orange"},
};
// How A - B is drawn; 1 is full scale.
struct DifferenceSettings {
  bool with_sign = false;              // blue-orange: blue where B is larger
  bool auto_gain = true;               // the largest difference has the brightest colour
  float gain = 1;                      // otherwise; 1 to 1e6
  ColourMap map = ColourMap::cividis;  // for the absolute difference
  bool hatched = false;                // hatches pixels beyond `threshold`
  float threshold = 1e-5f;
  ColourMap shown_map() const { return with_sign ? ColourMap::blue_orange : map; }
  friend bool operator==(const DifferenceSettings&, const DifferenceSettings&) = default;
};

struct Settings {
  SourceSettings source;
  PlaybackSettings playback;
  TransferSettings transfer;
  FilterSpec filter;
  bool auto_radius = false;  // radius = ceil(3 sigma)
  Border border = Border::replicate;
  float border_value = 0.0f;  // 1 is full scale
  std::array<LaneSettings, 2> lanes{LaneSettings{}, LaneSettings{.variant = "global"}};
  bool link_lanes = true;  // B uses the format and block of A
  int iterations = 1;      // how often the filter is applied, each time to its own result
  DisplaySettings display;
  ViewMode view = ViewMode::single;
  DifferenceSettings difference;
  std::vector<std::string> grid{"constant",
                                "separable_tiles"};  // variants in addition to A and B, at most max_lanes - 2
  std::set<std::string> not_racing{"mine_direct", "mine_tiled", "mine_two_pass"};  // variants left out of the race
  friend bool operator==(const Settings&, const Settings&) = default;
};

// A and B have their own settings; the other lanes of the grid have A's, except for the variant.
inline LaneSettings lane_settings(const Settings& settings, int lane) {
  LaneSettings chosen = settings.lanes[lane == 1 ? 1 : 0];
  if (lane == 1 && settings.link_lanes) {
    chosen.format = settings.lanes[0].format;
    chosen.block = settings.lanes[0].block;
  }
  if (lane > 1) chosen.variant = settings.grid[static_cast<std::size_t>(lane) - 2];
  return chosen;
}

// Panels that the command line and sessions can open.
inline constexpr std::array<std::string_view, 17> panel_ids{
    "race",      "block", "trace",  "code",    "occupancy", "lab",    "bench",    "published", "roofline",
    "crossover", "idea",  "kernel", "explain", "puzzle",    "lesson", "concepts", "profile"};

// Variants whose kernels crashed the GPU, with the driver's message.
using Faults = std::map<std::string, std::string>;

// Everything a plan depends on except the processor.
struct PlanInputs {
  LaneSettings lane;
  FilterSpec filter;
  Border border = Border::zero;
  float border_value = 0;
  int iterations = 1;
  long long source = 0;                       // number of the picture; grows with each picture
  std::shared_ptr<const void> rankings = {};  // used by the variant "auto"
  float largest = 0;                          // of the picture's values, where suits_half is false; otherwise 0
  friend bool operator==(const PlanInputs&, const PlanInputs&) = default;
};
// What a lane needs from its variant's plan.
inline ConvSettings conv_settings(const PlanInputs& inputs, std::shared_ptr<const Taps> taps) {
  return {.taps = std::move(taps),
          .format = inputs.lane.format,
          .border = inputs.border,
          .border_value = inputs.border_value,
          .block = inputs.lane.block,
          .iterations = inputs.iterations,
          .largest = inputs.largest,
          .switches = inputs.lane.switches};
}
inline ConvSettings conv_settings(const LaneSettings& lane, const Settings& shared, std::shared_ptr<const Taps> taps) {
  return conv_settings(
      PlanInputs{
          .lane = lane, .border = shared.border, .border_value = shared.border_value, .iterations = shared.iterations},
      std::move(taps));
}

// Preferences belong to the window, not to the experiment: undo does not change them.
struct Preferences {
  Theme theme = Theme::dark;
  float ui_scale = 0.0f;  // 0: follow the monitor
  Size2 window_size{1600, 900};
  bool vsync = true;
  bool every_frame = true;                // run the kernels each frame, also if nothing changed
  Language language = Language::english;  // of lessons
  std::vector<std::string> recent;        // at most max_recent sources opened before, the latest first
};

}  // namespace conv
