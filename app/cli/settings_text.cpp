#include "app/cli/settings_text.h"

#include <fmt/ranges.h>

#include <charconv>
#include <filesystem>

#include "app/cli/option_types.h"
#include "app/model/settings_json.h"
#include "app/sources/sample_pictures.h"
#include "kernels/core/replaced.h"

namespace conv {

namespace {

constexpr std::string_view link_prefix = "convoscope:";
constexpr std::size_t max_link = 1 << 20, max_argument = 100'000;  // bytes; Linux allows 128 KiB for one argument

struct Option {
  std::string name, value;
};
using OptionList = std::vector<Option>;

template <class T>
std::string word_of(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return json_of(value).template get<std::string>();
  else if constexpr (std::is_same_v<T, Size2>)
    return fmt::format("{}x{}", value.width, value.height);
  else
    return fmt::format("{}", value);
}

// Adds the option if its value is not the usual one.
template <class T>
void add_changed(OptionList& options, const std::string& name, const T& value, const T& usual) {
  if (!(value == usual)) options.push_back({name, word_of(value)});
}

void add_switches(OptionList& options, const std::string& name, const SwitchValues& values) {
  for (const auto& [id, value] : values.changed())
    options.push_back({name, fmt::format("{}={}", id, value_text(*find_switch(id), value))});
}

void add_filter(OptionList& options, const Settings& settings) {
  const FilterSpec& filter = settings.filter;
  const FilterSpec usual;
  const FilterInfo& row = info(filter.kind);
  if (filter.kind == FilterKind::custom) {
    options.push_back({"matrix", to_text(filter.matrix)});
    add_changed(options, "divisor", filter.divisor, usual.divisor);
  } else {
    add_changed(options, "filter", filter.kind, usual.kind);
  }
  const bool by_sigma = settings.auto_radius && has_sigma(filter.kind);
  if (has_sigma(filter.kind) && (by_sigma || filter.sigma != usual.sigma))
    options.push_back({"sigma", word_of(filter.sigma)});
  if (!by_sigma && row.size != FilterSize::fixed) options.push_back({"radius", word_of(filter.radius)});
  add_changed(options, "angle", filter.angle, usual.angle);
  add_changed(options, "filter-seed", filter.seed, usual.seed);
  add_changed(options, "strength", filter.strength, usual.strength);
  add_changed(options, "offset", filter.offset, usual.offset);
  if (filter.mode == FilterMode::correlation) options.push_back({"mode", "correlation"});
}

// What decides lane A's result.
OptionList convolution_of(const Settings& settings) {
  const Settings usual;
  const LaneSettings& lane = settings.lanes[0];
  OptionList options{{"variant", lane.variant}, {"format", word_of(lane.format)}};
  add_changed(options, "block", lane.block, usual.lanes[0].block);
  add_switches(options, "set", lane.switches);
  add_filter(options, settings);
  add_changed(options, "iterations", settings.iterations, usual.iterations);
  add_changed(options, "padding", settings.border, usual.border);
  add_changed(options, "padding-value", settings.border_value, usual.border_value);
  return options;
}

void add_pattern(OptionList& options, const SourceSettings& source) {
  const SourceSettings usual;
  options.push_back({"pattern", word_of(source.pattern)});
  add_changed(options, "pattern-size", source.pattern_size, usual.pattern_size);
  if (source.pattern == PatternKind::noise) add_changed(options, "pattern-seed", source.seed, usual.seed);
}

// The name of a picture that comes with the program; empty for any other.
std::string sample_name(const std::string& path) {
  for (const Sample& sample : find_samples())
    if (path == sample.path) return std::filesystem::path(path).stem().string();
  return {};
}

void add_lane_b(OptionList& options, const Settings& settings) {
  const LaneSettings& lane = settings.lanes[1];
  add_changed(options, "variant-b", lane.variant, Settings().lanes[1].variant);
  if (!settings.link_lanes)
    options.insert(options.end(), {{"format-b", word_of(lane.format)}, {"block-b", word_of(lane.block)}});
  add_switches(options, "set-b", lane.switches);
}

void add_display(OptionList& options, const DisplaySettings& display) {
  const DisplaySettings usual;
  add_changed(options, "range", display.range, usual.range);
  add_changed(options, "exposure", display.exposure, usual.exposure);
  add_changed(options, "display-offset", display.offset, usual.offset);
  if (display.srgb)
    options.push_back({"gamma", "srgb"});
  else
    add_changed(options, "gamma", display.gamma, usual.gamma);
  if (display.channels == usual.channels) return;
  std::string shown;
  for (std::size_t i = 0; i < display.channels.size(); ++i)
    if (display.channels[i]) shown += "rgb"[i];
  if (!shown.empty()) options.push_back({"show-channels", shown});
}

void add_difference(OptionList& options, const DifferenceSettings& difference) {
  const DifferenceSettings usual;
  if (!difference.auto_gain) options.push_back({"gain", word_of(difference.gain)});
  add_changed(options, "map", difference.shown_map(), usual.map);
  if (difference.hatched) options.push_back({"threshold", word_of(difference.threshold)});
}

OptionList view_of(const Settings& settings) {
  OptionList options;
  const Settings usual;
  add_lane_b(options, settings);
  add_changed(options, "view", settings.view, usual.view);
  if (settings.grid != usual.grid)
    options.push_back({"grid", settings.grid.empty() ? "none" : fmt::format("{}", fmt::join(settings.grid, ","))});
  add_display(options, settings.display);
  add_difference(options, settings.difference);
  return options;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-.,:=@%+").find(c) != std::string_view::npos;
}

std::string quoted(const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, [](char c) { return is_plain(c) || c == '/'; })) return word;
  return fmt::format("'{}'", replaced(word, "'", "'\\''"));
}

std::string escaped(const std::string& value) {
  std::string text;
  for (const char c : value)
    text +=
        is_plain(c) && c != '%' && c != '+' ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return text;
}

// Nothing: a percent sign without two hexadecimal digits.
std::optional<std::string> unescaped(std::string_view text) {
  std::string value;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      value += text[i];
      continue;
    }
    int code = 0;
    const char* digits = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(digits, digits + 2, code, 16).ptr != digits + 2) return std::nullopt;
    value += static_cast<char>(code);
    i += 2;
  }
  return value;
}

// A pattern, or a picture that comes with the program. False: it is the user's own, or a camera's.
bool add_shared_source(OptionList& options, const SourceSettings& source) {
  const std::string name = sample_name(source.path);
  if (!source.camera.empty() || (!source.path.empty() && name.empty())) return false;
  if (name.empty()) {
    add_pattern(options, source);
  } else {
    options.push_back({"picture", name});
    add_changed(options, "percent", source.percent, 100);
  }
  return true;
}

std::string result_name(const std::string& path) {
  if (is_sequence(path)) return "results";
  return is_video(path) ? "result.mp4" : "result.png";
}

}  // namespace

Result<std::string> command_text(const Settings& settings) {
  const SourceSettings& source = settings.source;
  if (!source.camera.empty())
    return failure("A command cannot repeat a camera's picture. Export the result instead, or open a file");
  std::vector<std::string> words{"convoscope", "convolve"};
  OptionList options;
  if (!add_shared_source(options, source)) {
    words.push_back(source.path);
    add_changed(options, "percent", source.percent, 100);
  }
  words.push_back(result_name(source.path));
  for (Option& option : convolution_of(settings)) options.push_back(std::move(option));
  for (const auto& [name, value] : options) {
    if (value.size() > max_argument)
      return failure("The matrix is too long for a command line. Save a session, and use convolve --session");
    words.push_back(fmt::format("--{}={}", name, value));
  }
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

// All that a link or a scene says.
// names_file: also a picture of the user's.
static OptionList options_of(const Settings& settings, const std::vector<std::string>& panels, bool names_file) {
  OptionList options;
  if (!add_shared_source(options, settings.source) && names_file) {
    options.push_back({"file", settings.source.path});
    add_changed(options, "percent", settings.source.percent, 100);
  }
  for (Option& option : convolution_of(settings)) options.push_back(std::move(option));
  for (Option& option : view_of(settings)) options.push_back(std::move(option));
  if (!panels.empty()) options.push_back({"panel", fmt::format("{}", fmt::join(panels, ","))});
  return options;
}

bool fits_scene(const SourceSettings& source) {
  OptionList options;
  if (add_shared_source(options, source)) return true;
  const bool plays = !source.camera.empty() || source.moves() || is_generator(source.path);
  return !plays && std::filesystem::path(source.path).is_absolute();  // otherwise it was pasted
}

std::string scene_text(const Settings& settings, const std::vector<std::string>& panels) {
  std::string text;
  for (const auto& [name, value] : options_of(settings, panels, true))
    text += fmt::format("{}--{} {}", text.empty() ? "" : " ", name, quoted(value));
  return text;
}

std::string link_text(const Settings& settings, const std::vector<std::string>& panels) {
  std::string text;
  for (const auto& [name, value] : options_of(settings, panels, false))
    text += fmt::format("{}{}={}", text.empty() ? link_prefix : "/", name, escaped(value));
  return text;
}

bool is_link(std::string_view text) {
  return text.starts_with(link_prefix);
}

Result<Scene> parse_link(std::string_view text) {
  if (text.size() > max_link) return failure("the link is too long");
  std::vector<std::string> options;
  for (std::string_view left = text.substr(link_prefix.size()); !left.empty();) {
    const std::size_t end = std::min(left.find('/'), left.size());
    const auto option = unescaped(left.substr(0, end));
    if (!option || option->find('=') == std::string::npos)
      return failure(fmt::format("{} is not NAME=VALUE", left.substr(0, end)));
    options.push_back("--" + *option);
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return parse_scene(std::move(options));
}

}  // namespace conv
