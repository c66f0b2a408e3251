#include "app/settings_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "app/settings_json.h"
#include "kernels/core/registry.h"

using nlohmann::json;

namespace {

constexpr auto kind_of = [](const auto& info) { return info.kind; };

}  // namespace

static json settings_json(const Settings& s) {
  json lanes = json::array();
  for (const LaneSettings& lane : s.lanes) lanes.push_back(json_of(lane));
  json filter = json_of(s.filter);
  filter["auto_radius"] = s.auto_radius;
  return json{{"source",
               {{"camera", s.source.camera},
                {"camera_size", json_of(s.source.camera_size)},
                {"camera_rate", s.source.camera_rate},
                {"flip", s.source.flip},
                {"path", s.source.path},
                {"percent", s.source.percent},
                {"pattern", id_of(patterns, s.source.pattern, kind_of)},
                {"pattern_size", json_of(s.source.pattern_size)},
                {"seed", s.source.seed}}},
              {"speed", s.playback.speed},
              {"loops", s.playback.loops},
              {"pinned", s.transfer.pinned},
              {"asynchronous", s.transfer.asynchronous},
              {"as_yuv", s.transfer.as_yuv},
              {"filter", filter},
              {"padding", json_of(s.border)},
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
                        {"window_size", json_of(p.window_size)},
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
  read(all, "as_yuv", s.transfer.as_yuv);
  read(source, "path", s.source.path);
  int percent = 100;
  read(source, "percent", percent);
  if (std::count(std::begin(scale_percents), std::end(scale_percents), percent) > 0) s.source.percent = percent;
  read_id(source, "pattern", patterns, s.source.pattern, kind_of);
  read_size(source, "pattern_size", s.source.pattern_size);
  read(source, "seed", s.source.seed);

  read_filter(filter, s.filter);
  read(filter, "auto_radius", s.auto_radius);

  read_border(all, "padding", s.border);
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
  std::vector<json> lanes;
  read(all, "lanes", lanes);
  for (std::size_t i = 0; i < std::min(lanes.size(), s.lanes.size()); ++i) read_lane(lanes[i], s.lanes[i]);
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
