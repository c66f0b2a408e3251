#include "app/model/settings_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "app/model/normalise.h"
#include "app/model/settings_json.h"
#include "app/sources/sample_pictures.h"
#include "kernels/core/registry.h"

namespace conv {

using nlohmann::json;

namespace {

std::string text_of(const json& all) {
  return all.dump(2, ' ', false, json::error_handler_t::replace);
}

// The name of a picture that comes with the program; empty for any other path.
std::string sample_name(const std::string& path) {
  const std::filesystem::path file(path);
  return !path.empty() && file.parent_path() == samples_folder() ? file.filename().string() : "";
}

void visit_path(JsonWriter& visit, const std::string& path) {
  const std::string sample = sample_name(path);
  visit.path("path", sample.empty() ? path : "");
  visit("sample", sample);
}
void visit_path(JsonReader& visit, std::string& path) {
  visit.path("path", path);
  std::string sample;
  visit("sample", sample);
  if (!sample.empty() && sample.find('/') == std::string::npos && sample != "..")
    path = (samples_folder() / sample).string();
}

template <class Visitor, class Source>
void visit_source(Visitor& visit, Source& source) {
  visit("camera", source.camera);
  visit("camera_size", source.camera_size);
  visit("camera_rate", source.camera_rate);
  visit("flip", source.flip);
  visit_path(visit, source.path);
  visit("percent", source.percent);
  visit("pattern", source.pattern);
  visit("pattern_size", source.pattern_size);
  visit("seed", source.seed);
}

template <class Visitor, class All>
void visit_settings(Visitor& visit, All& s) {
  visit.object("source", [&](auto& in_source) { visit_source(in_source, s.source); });
  visit("speed", s.playback.speed);
  visit("loops", s.playback.loops);
  visit("pinned", s.transfer.pinned);
  visit("asynchronous", s.transfer.asynchronous);
  visit("as_yuv", s.transfer.as_yuv);
  visit.object("filter", [&](auto& in_filter) {
    visit_filter(in_filter, s.filter);
    in_filter("auto_radius", s.auto_radius);
  });
  visit("padding", s.border);
  visit("padding_value", s.border_value);
  visit("iterations", s.iterations);
  visit("shown", s.display.range);
  visit("exposure", s.display.exposure);
  visit("display_offset", s.display.offset);
  visit("srgb", s.display.srgb);
  visit("gamma", s.display.gamma);
  visit("channels", s.display.channels);
  visit("pixel_grid", s.display.pixel_grid);
  visit("value_unit", s.display.unit);
  visit("lanes", s.lanes);
  visit("link_lanes", s.link_lanes);
  visit("grid", s.grid);
  visit("not_racing", s.not_racing);
  visit("view", s.view);
  visit.object("difference", [&](auto& in_difference) {
    in_difference("signed", s.difference.with_sign);
    in_difference("auto_gain", s.difference.auto_gain);
    in_difference("gain", s.difference.gain);
    in_difference("map", s.difference.map);
    in_difference("hatched", s.difference.hatched);
    in_difference("threshold", s.difference.threshold);
  });
}

template <class Visitor, class All>
void visit_preferences(Visitor& visit, All& p) {
  visit("theme", p.theme);
  visit("ui_scale", p.ui_scale);
  visit("window_size", p.window_size);
  visit("vsync", p.vsync);
  visit("every_frame", p.every_frame);
  visit("language", p.language);
}

template <class Visitor, class View>
void visit_view(Visitor& visit, View& view) {
  visit("centre", view.centre);
  visit("zoom", view.zoom);
  visit("fitted", view.fitted);
  visit("wipe_at", view.wipe_at);
  visit("wipe_level", view.wipe_level);
  visit("pins", view.pins);
  visit("panels", view.panels);
}

json settings_json(const Settings& settings) {
  JsonWriter writer;
  visit_settings(writer, settings);
  return writer.to;
}

bool is_taken(const json& given, const json& taken) {
  if (given.is_number() && taken.is_number()) {
    const auto a = given.get<double>(), b = taken.get<double>();
    return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));  // floats have fewer digits
  }
  return given == taken;
}

constexpr std::string_view spelt_in_several_ways[] = {"path", "matrix", "not_racing"};

// What was given but is not among the settings now: a value of another kind, or a word that no table has. Names that
// no setting has are of a newer version.
void add_left_out(const std::string& name, const json& given, const json& taken, Corrections& corrections) {
  if (given.is_object() && taken.is_object()) {
    for (const auto& [key, value] : given.items())
      if (!std::ranges::count(spelt_in_several_ways, key) && taken.contains(key))
        add_left_out(name.empty() ? key : fmt::format("{}.{}", name, key), value, taken[key], corrections);
  } else if (given.is_array() && taken.is_array() && !given.empty() && !taken.empty()) {
    for (std::size_t i = 0; i < std::min(given.size(), taken.size()); ++i)
      add_left_out(fmt::format("{}[{}]", name, i), given[i], taken[i], corrections);
  } else if (!is_taken(given, taken)) {
    constexpr std::size_t longest = 60;
    corrections.push_back(fmt::format("{} cannot be {}", name, given.dump(-1, ' ', true).substr(0, longest)));
  }
}

Corrections read_settings(const json& all, Settings& settings) {
  JsonReader reader{all};
  visit_settings(reader, settings);
  Corrections corrections;
  add_left_out("", all, settings_json(settings), corrections);
  for (std::string& correction : normalise(settings)) corrections.push_back(std::move(correction));
  return corrections;
}

struct Change {
  std::string name, from, to;
  friend bool operator==(const Change&, const Change&) = default;
};

std::string short_text(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  if (value.is_number()) return value.dump();
  if (value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number())
    return fmt::format("{}x{}", short_text(value[0]), short_text(value[1]));
  return value.is_string() && value.get_ref<const std::string&>().size() < 24 ? value.get<std::string>() : "";
}

// The members that differ. Lists are one value, except for the two lanes.
void add_changes(const std::string& name, const json& from, const json& to, std::vector<Change>& changes) {
  if (from == to) return;
  const bool lanes = name == "lanes" && from.is_array() && to.is_array() && from.size() == to.size();
  if (lanes) {
    for (std::size_t i = 0; i < from.size(); ++i) add_changes("", from[i], to[i], changes);
  } else if (from.is_object() && to.is_object()) {
    json all = from;
    all.update(to);
    for (const auto& [key, value] : all.items())
      add_changes(key, from.value(key, json()), to.value(key, json()), changes);
  } else {
    // Names of settings that differ from the labels.
    constexpr std::pair<std::string_view, std::string_view> labels[] = {
        {"kind", "filter"},       {"shown", "shown range"},  {"path", "picture"},      {"sample", "picture"},
        {"link_lanes", "B as A"}, {"grid", "grid variants"}, {"not_racing", "racers"}, {"loops", "loop"}};
    const auto label = std::ranges::find(labels, name, &std::pair<std::string_view, std::string_view>::first);
    std::string words(label == std::end(labels) ? std::string_view(name) : label->second);
    std::ranges::replace(words, '_', ' ');
    const Change change{words, short_text(from), short_text(to)};
    if (std::ranges::find(changes, change) == changes.end()) changes.push_back(change);  // of both lanes
  }
}

constexpr int session_version = 1, max_place = 1 << 30;
constexpr float min_zoom = 1e-4f, max_zoom = 1e4f;
constexpr std::size_t max_session_pins = 16;

}  // namespace

std::string to_json(const Settings& settings, const Preferences& preferences, const Faults& faults) {
  JsonWriter writer{settings_json(settings)};
  writer.object("preferences", [&](JsonWriter& visit) {
    visit_preferences(visit, preferences);
    json recent = json::array();
    for (const std::string& path : preferences.recent) recent.push_back(json_of_path(path));
    visit("recent", recent);
  });
  writer("faults", json(faults));
  return text_of(writer.to);
}

std::string change_text(const Settings& from, const Settings& to) {
  std::vector<Change> changes;
  add_changes("", settings_json(from), settings_json(to), changes);
  if (changes.empty()) return "";
  if (changes.size() > 1) return fmt::format("{} settings", changes.size());
  const Change& change = changes.front();
  if (change.from.empty() || change.to.empty()) return change.name;
  return fmt::format("{} {} to {}", change.name, change.from, change.to);
}

std::string session_to_json(const Settings& settings, const SessionView& view) {
  JsonWriter writer;
  writer("convoscope_session", session_version);
  writer("settings", settings_json(settings));
  writer.object("view", [&](JsonWriter& visit) { visit_view(visit, view); });
  return text_of(writer.to);
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
  JsonReader reader{object_in(all, "view")};
  SessionView& view = session.view;
  visit_view(reader, view);
  view.centre = {std::clamp(view.centre.x, 0, max_place), std::clamp(view.centre.y, 0, max_place)};
  view.zoom = std::clamp(view.zoom, min_zoom, max_zoom);
  view.wipe_at = std::clamp(view.wipe_at, 0.0f, 1.0f);
  std::erase_if(view.panels, [](const std::string& id) { return std::ranges::find(panel_ids, id) == panel_ids.end(); });
  if (view.pins.size() > max_session_pins) view.pins.resize(max_session_pins);
  return session;
}

std::optional<Corrections> from_json(const std::string& text, Settings& settings, Preferences& preferences) {
  const json all = parse_json(text).value_or(json());
  if (!all.is_object()) return std::nullopt;
  Corrections corrections = read_settings(all, settings);
  JsonReader reader{object_in(all, "preferences")};
  visit_preferences(reader, preferences);
  std::vector<json> recent;
  reader("recent", recent);
  preferences.recent.clear();
  for (const json& path : recent) take_path(path, preferences.recent.emplace_back());
  for (std::string& correction : normalise(preferences)) corrections.push_back(std::move(correction));
  return corrections;
}

Faults faults_from_json(const std::string& text) {
  Faults faults;
  read(parse_json(text).value_or(json()), "faults", faults);
  return faults;
}

}  // namespace conv
