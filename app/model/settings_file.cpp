#include "app/model/settings_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "app/model/normalise.h"
#include "app/model/settings_json.h"
#include "app/sources/samples.h"
#include "kernels/core/registry.h"

using nlohmann::json;

namespace {

constexpr auto kind_of = [](const auto& info) { return info.kind; };

std::string text_of(const json& all) {
  return all.dump(2, ' ', false, json::error_handler_t::replace);
}

// The name of a picture that comes with the program; empty for any other path.
std::string sample_name(const std::string& path) {
  const std::filesystem::path file(path);
  return !path.empty() && file.parent_path() == samples_folder() ? file.filename().string() : "";
}

void read_source(const json& from, SourceSettings& source) {
  read(from, "camera", source.camera);
  read_size(from, "camera_size", source.camera_size);
  read(from, "camera_rate", source.camera_rate);
  read(from, "flip", source.flip);
  read_path(from, "path", source.path);
  std::string sample;
  read(from, "sample", sample);
  if (!sample.empty() && sample.find('/') == std::string::npos && sample != "..")
    source.path = (samples_folder() / sample).string();
  read(from, "percent", source.percent);
  read_id(from, "pattern", patterns, source.pattern, kind_of);
  read_size(from, "pattern_size", source.pattern_size);
  read(from, "seed", source.seed);
}

}  // namespace

static json settings_json(const Settings& s) {
  const std::string sample = sample_name(s.source.path);
  json lanes = json::array();
  for (const LaneSettings& lane : s.lanes) lanes.push_back(json_of(lane));
  json filter = json_of(s.filter);
  filter["auto_radius"] = s.auto_radius;
  return json{{"source",
               {{"camera", s.source.camera},
                {"camera_size", json_of(s.source.camera_size)},
                {"camera_rate", s.source.camera_rate},
                {"flip", s.source.flip},
                {"path", json_of_path(sample.empty() ? s.source.path : "")},
                {"sample", sample},
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
                        {"recent", json::array()}};
  for (const std::string& path : p.recent) all["preferences"]["recent"].push_back(json_of_path(path));
  all["faults"] = faults;
  return text_of(all);
}

static Corrections read_settings(const json& all, Settings& s) {
  read_source(object_in(all, "source"), s.source);
  read(all, "speed", s.playback.speed);
  read(all, "loops", s.playback.loops);
  read(all, "pinned", s.transfer.pinned);
  read(all, "asynchronous", s.transfer.asynchronous);
  read(all, "as_yuv", s.transfer.as_yuv);
  const json filter = object_in(all, "filter");
  read_filter(filter, s.filter);
  read(filter, "auto_radius", s.auto_radius);

  read_border(all, "padding", s.border);
  read(all, "padding_value", s.border_value);
  read(all, "iterations", s.iterations);
  read_id(all, "shown", display_ranges, s.display.range, [](const auto& row) { return row.range; });
  read(all, "exposure", s.display.exposure);
  read(all, "display_offset", s.display.offset);
  read(all, "srgb", s.display.srgb);
  read(all, "gamma", s.display.gamma);
  read(all, "channels", s.display.channels);
  read(all, "pixel_grid", s.display.pixel_grid);
  std::vector<json> lanes;
  read(all, "lanes", lanes);
  for (std::size_t i = 0; i < std::min(lanes.size(), s.lanes.size()); ++i) read_lane(lanes[i], s.lanes[i]);
  read(all, "link_lanes", s.link_lanes);
  read(all, "grid", s.grid);
  read(all, "not_racing", s.not_racing);
  read_id(all, "view", view_modes, s.view, [](const auto& row) { return row.mode; });
  const json difference = object_in(all, "difference");
  read(difference, "signed", s.difference.with_sign);
  read(difference, "gain", s.difference.gain);
  read_id(difference, "map", colour_maps, s.difference.map, [](const auto& row) { return row.map; });
  read(difference, "hatched", s.difference.hatched);
  read(difference, "threshold", s.difference.threshold);

  return normalise(s);
}

namespace {

constexpr int session_version = 1, max_place = 1 << 30;
constexpr float min_zoom = 1e-4f, max_zoom = 1e4f;
constexpr std::size_t max_session_pins = 16;

}  // namespace

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
  return text_of(all);
}

Result<Session> session_from_json(const std::string& text) {
  const json all = parse_json(text).value_or(json());
  std::int64_t version = 0;
  read(all, "convoscope_session", version);
  if (version < 1) return failure("no Convoscope session");
  if (version > session_version)
    return failure(
        fmt::format("made by a newer Convoscope (session version {}, this one reads {})", version, session_version));
  Session session;
  session.corrections = read_settings(object_in(all, "settings"), session.settings);
  const json view = object_in(all, "view");
  SessionView& v = session.view;
  const auto read_point = [](const json& from, const char* key, Point2& point) {
    std::array<int, 2> xy{point.x, point.y};
    read(from, key, xy);
    point = {xy[0], xy[1]};
  };
  read_point(view, "centre", v.centre);
  v.centre = {std::clamp(v.centre.x, 0, max_place), std::clamp(v.centre.y, 0, max_place)};
  read(view, "zoom", v.zoom);
  v.zoom = std::clamp(v.zoom, min_zoom, max_zoom);
  read(view, "fitted", v.fitted);
  read(view, "wipe_at", v.wipe_at);
  v.wipe_at = std::clamp(v.wipe_at, 0.0f, 1.0f);
  read(view, "wipe_level", v.wipe_level);
  std::vector<std::array<int, 2>> pins;
  read(view, "pins", pins);
  for (const auto& [x, y] : pins)
    if (v.pins.size() < max_session_pins) v.pins.push_back({x, y});
  return session;
}

std::optional<Corrections> from_json(const std::string& text, Settings& s, Preferences& p) {
  const json all = parse_json(text).value_or(json());
  if (!all.is_object()) return std::nullopt;
  Corrections corrections = read_settings(all, s);
  const json preferences = object_in(all, "preferences");
  read_id(preferences, "theme", themes, p.theme, [](const auto& row) { return row.theme; });
  read(preferences, "ui_scale", p.ui_scale);
  read_size(preferences, "window_size", p.window_size);
  read(preferences, "vsync", p.vsync);
  read(preferences, "every_frame", p.every_frame);
  std::vector<json> recent;
  read(preferences, "recent", recent);
  p.recent.clear();
  for (const json& path : recent) take_path(path, p.recent.emplace_back());
  for (std::string& correction : normalise(p)) corrections.push_back(std::move(correction));
  return corrections;
}

Faults faults_from_json(const std::string& text) {
  Faults faults;
  read(parse_json(text).value_or(json()), "faults", faults);
  return faults;
}
