#include "app/settings_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "kernels/core/registry.h"

using nlohmann::json;

namespace {

// Enumerations are kept by their ids, so that reordering them changes nobody's settings.
template <class Infos, class Value, class Get>
std::string id_of(const Infos& infos, Value value, Get get) {
  for (const auto& info : infos)
    if (get(info) == value) return std::string(info.id);
  return {};
}

template <class Infos, class Value, class Get>
void read_id(const json& from, const char* key, const Infos& infos, Value& value, Get get) {
  if (!from.contains(key) || !from[key].is_string()) return;
  for (const auto& info : infos)
    if (from[key] == info.id) value = get(info);
}

template <class T>
void read(const json& from, const char* key, T& value) {
  if (!from.contains(key)) return;
  try {
    value = from[key].get<T>();
  } catch (const json::exception&) {  // of another type: as if it were missing
  }
}

void read_size(const json& from, const char* key, Size2& size) {
  std::array<int, 2> sides{size.width, size.height};
  read(from, key, sides);
  if (sides[0] >= 1 && sides[1] >= 1) size = {sides[0], sides[1]};
}

constexpr auto type_of = [](const PixelTypeInfo& info) { return info.type; };
constexpr auto kind_of = [](const auto& info) { return info.kind; };
constexpr auto border_of = [](const BorderInfo& info) { return info.border; };

}  // namespace

std::filesystem::path config_folder() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && *config)
    return std::filesystem::path(config) / "convoscope";
  const char* home = std::getenv("HOME");
  return home && *home ? std::filesystem::path(home) / ".config" / "convoscope" : std::filesystem::path();
}

static json settings_json(const Settings& s) {
  json lanes = json::array();
  for (const LaneSettings& lane : s.lanes)
    lanes.push_back({{"variant", lane.variant},
                     {"switches", lane.switches.changed()},
                     {"format", info(lane.format).id},
                     {"block", {lane.block.width, lane.block.height}}});
  return json{{"source",
               {{"camera", s.source.camera},
                {"camera_size", {s.source.camera_size.width, s.source.camera_size.height}},
                {"camera_rate", s.source.camera_rate},
                {"flip", s.source.flip},
                {"path", s.source.path},
                {"percent", s.source.percent},
                {"pattern", id_of(patterns, s.source.pattern, kind_of)},
                {"pattern_size", {s.source.pattern_size.width, s.source.pattern_size.height}},
                {"seed", s.source.seed}}},
              {"speed", s.playback.speed},
              {"loops", s.playback.loops},
              {"pinned", s.transfer.pinned},
              {"asynchronous", s.transfer.asynchronous},
              {"filter",
               {{"kind", id_of(filters, s.filter.kind, kind_of)},
                {"sigma", s.filter.sigma},
                {"radius", s.filter.radius},
                {"angle", s.filter.angle},
                {"seed", s.filter.seed},
                {"strength", s.filter.strength},
                {"matrix", to_text(s.filter.matrix)},
                {"divisor", s.filter.divisor},
                {"offset", s.filter.offset},
                {"correlation", s.filter.mode == FilterMode::correlation},
                {"auto_radius", s.auto_radius}}},
              {"padding", id_of(borders, s.border, border_of)},
              {"padding_value", s.border_value},
              {"iterations", s.iterations},
              {"shown", id_of(display_ranges, s.display.range, [](const auto& row) { return row.range; })},
              {"exposure", s.display.exposure},
              {"display_offset", s.display.offset},
              {"srgb", s.display.srgb},
              {"gamma", s.display.gamma},
              {"channels", s.display.channels},
              {"pixel_grid", s.display.pixel_grid},
              {"lanes", lanes},
              {"link_lanes", s.link_lanes},
              {"grid", s.grid},
              {"not_racing", s.not_racing},
              {"view", id_of(view_modes, s.view, [](const auto& row) { return row.mode; })},
              {"difference",
               {{"signed", s.difference.with_sign},
                {"gain", s.difference.gain},
                {"map", id_of(colour_maps, s.difference.map, [](const auto& row) { return row.map; })},
                {"hatched", s.difference.hatched},
                {"threshold", s.difference.threshold}}}};
}

std::string to_json(const Settings& settings, const Preferences& p, const Faults& faults) {
  json all = settings_json(settings);
  all["preferences"] = {{"theme", id_of(themes, p.theme, [](const auto& row) { return row.theme; })},
                        {"ui_scale", p.ui_scale},
                        {"window_size", {p.window_size.width, p.window_size.height}},
                        {"vsync", p.vsync},
                        {"every_frame", p.every_frame},
                        {"recent", p.recent}};
  all["faults"] = faults;
  return all.dump(2);
}

constexpr int session_version = 1;

std::string session_to_json(const Settings& settings, const SessionView& view) {
  json all{{"convoscope_session", session_version}, {"settings", settings_json(settings)}};
  json pins = json::array();
  for (const Point2 pin : view.pins) pins.push_back({pin.x, pin.y});
  all["view"] = {{"centre", {view.centre.x, view.centre.y}},
                 {"zoom", view.zoom},
                 {"fitted", view.fitted},
                 {"wipe_at", view.wipe_at},
                 {"wipe_level", view.wipe_level},
                 {"pins", pins}};
  return all.dump(2);
}

Result<Session> session_from_json(const std::string& text) {
  const json all = json::parse(text, nullptr, false);
  if (!all.is_object() || !all.contains("convoscope_session") || !all["convoscope_session"].is_number_integer())
    return failure("no Convoscope session");
  if (const int version = all["convoscope_session"]; version > session_version)
    return failure(
        fmt::format("made by a newer Convoscope (session version {}, this one reads {})", version, session_version));
  Session session;
  Preferences ignored;
  from_json(all.value("settings", json::object()).dump(), session.settings, ignored);
  const json view = all.value("view", json::object());
  SessionView& v = session.view;
  const auto read_point = [](const json& from, const char* key, Point2& point) {
    std::array<int, 2> xy{point.x, point.y};
    read(from, key, xy);
    point = {xy[0], xy[1]};
  };
  read_point(view, "centre", v.centre);
  read(view, "zoom", v.zoom);
  read(view, "fitted", v.fitted);
  read(view, "wipe_at", v.wipe_at);
  v.wipe_at = std::clamp(v.wipe_at, 0.0f, 1.0f);
  read(view, "wipe_level", v.wipe_level);
  std::vector<std::array<int, 2>> pins;
  read(view, "pins", pins);
  for (const auto& [x, y] : pins) v.pins.push_back({x, y});
  return session;
}

void from_json(const std::string& text, Settings& s, Preferences& p) {
  const json all = json::parse(text, nullptr, false);
  if (!all.is_object()) return;
  const json source = all.value("source", json::object()), filter = all.value("filter", json::object());
  read(source, "camera", s.source.camera);
  read_size(source, "camera_size", s.source.camera_size);
  read(source, "camera_rate", s.source.camera_rate);
  read(source, "flip", s.source.flip);
  read(all, "speed", s.playback.speed);
  s.playback.speed = std::clamp(s.playback.speed, 0.0f, 4.0f);
  read(all, "loops", s.playback.loops);
  read(all, "pinned", s.transfer.pinned);
  read(all, "asynchronous", s.transfer.asynchronous);
  read(source, "path", s.source.path);
  int percent = 100;
  read(source, "percent", percent);
  if (std::count(std::begin(scale_percents), std::end(scale_percents), percent) > 0) s.source.percent = percent;
  read_id(source, "pattern", patterns, s.source.pattern, kind_of);
  read_size(source, "pattern_size", s.source.pattern_size);
  read(source, "seed", s.source.seed);

  FilterSpec f = s.filter;
  read_id(filter, "kind", filters, f.kind, kind_of);
  read(filter, "sigma", f.sigma);
  read(filter, "radius", f.radius);
  read(filter, "angle", f.angle);
  read(filter, "seed", f.seed);
  read(filter, "strength", f.strength);
  std::string matrix;
  read(filter, "matrix", matrix);
  if (auto parsed = parse_matrix(matrix)) f.matrix = std::move(*parsed);
  read(filter, "divisor", f.divisor);
  read(filter, "offset", f.offset);
  bool correlation = f.mode == FilterMode::correlation;
  read(filter, "correlation", correlation);
  f.mode = correlation ? FilterMode::correlation : FilterMode::convolution;
  if (matrix_of(f)) s.filter = f;
  read(filter, "auto_radius", s.auto_radius);

  read_id(all, "padding", borders, s.border, border_of);
  read(all, "padding_value", s.border_value);
  s.border_value = std::clamp(s.border_value, 0.0f, 1.0f);
  read(all, "iterations", s.iterations);
  s.iterations = std::clamp(s.iterations, 1, 16);
  read_id(all, "shown", display_ranges, s.display.range, [](const auto& row) { return row.range; });
  read(all, "exposure", s.display.exposure);
  s.display.exposure = std::clamp(s.display.exposure, -10.0f, 10.0f);
  read(all, "display_offset", s.display.offset);
  read(all, "srgb", s.display.srgb);
  read(all, "gamma", s.display.gamma);
  s.display.gamma = std::clamp(s.display.gamma, 0.2f, 5.0f);
  read(all, "channels", s.display.channels);
  read(all, "pixel_grid", s.display.pixel_grid);
  const json lanes = all.value("lanes", json::array());
  for (std::size_t i = 0; i < std::min(lanes.size(), s.lanes.size()); ++i) {
    LaneSettings& lane = s.lanes[i];
    std::string variant;
    read(lanes[i], "variant", variant);
    if (find_variant(variant)) lane.variant = variant;
    read_id(lanes[i], "format", pixel_types, lane.format, type_of);
    read_size(lanes[i], "block", lane.block);
    std::map<std::string, int> values;
    read(lanes[i], "switches", values);
    for (const auto& [id, value] : values)
      if (find_switch(id)) lane.switches.set(id, value);
  }
  read(all, "link_lanes", s.link_lanes);
  read(all, "grid", s.grid);
  std::erase_if(s.grid, [](const std::string& id) { return !find_variant(id); });
  s.grid.resize(std::min(s.grid.size(), std::size_t{max_lanes - 2}));
  read(all, "not_racing", s.not_racing);
  read_id(all, "view", view_modes, s.view, [](const auto& row) { return row.mode; });
  const json difference = all.value("difference", json::object());
  read(difference, "signed", s.difference.with_sign);
  read(difference, "gain", s.difference.gain);
  s.difference.gain = std::clamp(s.difference.gain, 1.0f, 1e6f);
  read_id(difference, "map", colour_maps, s.difference.map, [](const auto& row) { return row.map; });
  if (s.difference.map == ColourMap::blue_orange) s.difference.map = ColourMap::cividis;
  read(difference, "hatched", s.difference.hatched);
  read(difference, "threshold", s.difference.threshold);

  const json preferences = all.value("preferences", json::object());
  read_id(preferences, "theme", themes, p.theme, [](const auto& row) { return row.theme; });
  read(preferences, "ui_scale", p.ui_scale);
  if (p.ui_scale != 0) p.ui_scale = std::clamp(p.ui_scale, 0.75f, 3.0f);
  read_size(preferences, "window_size", p.window_size);
  read(preferences, "vsync", p.vsync);
  read(preferences, "every_frame", p.every_frame);
  read(preferences, "recent", p.recent);
}

Faults faults_from_json(const std::string& text) {
  Faults faults;
  const json all = json::parse(text, nullptr, false);
  if (all.is_object()) read(all, "faults", faults);
  return faults;
}
