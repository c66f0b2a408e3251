#include "app/model/settings_json.h"

#include "kernels/core/registry.h"

namespace conv {

using nlohmann::json;

namespace {

constexpr int deepest = 64;  // levels; our own files have fewer than ten

bool nested_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if ((c == '[' || c == '{') && ++depth > deepest) return true;
    if (c == ']' || c == '}') --depth;
  }
  return false;
}

}  // namespace

std::optional<json> parse_json(std::string_view text) {
  if (nested_too_deep(text)) return std::nullopt;
  json parsed = json::parse(text, nullptr, false);
  return parsed.is_discarded() ? std::nullopt : std::optional(std::move(parsed));
}

json object_in(const json& from, const char* key) {
  return from.contains(key) && from[key].is_object() ? from[key] : json::object();
}

json json_of(Size2 value) {
  return {value.width, value.height};
}
bool take(const json& from, Size2& value) {
  std::array<int, 2> sides{};
  if (!take(from, sides) || sides[0] < 1 || sides[1] < 1) return false;
  value = {sides[0], sides[1]};
  return true;
}

json json_of(Point2 value) {
  return {value.x, value.y};
}
bool take(const json& from, Point2& value) {
  std::array<int, 2> xy{};
  if (!take(from, xy)) return false;
  value = {xy[0], xy[1]};
  return true;
}

json json_of_path(const std::string& path) {
  try {
    static_cast<void>(json(path).dump());
    return path;
  } catch (const json::type_error&) {  // not UTF-8
    return std::vector<unsigned char>(path.begin(), path.end());
  }
}
bool take_path(const json& from, std::string& path) {
  std::vector<unsigned char> bytes;
  if (take(from, path)) return true;
  if (!take(from, bytes)) return false;
  path.assign(bytes.begin(), bytes.end());
  return true;
}

json json_of(const Matrix& value) {
  return to_text(value);
}
bool take(const json& from, Matrix& value) {
  std::string text;
  if (!take(from, text)) return false;
  Result<Matrix> matrix = parse_matrix(text);
  if (matrix) value = std::move(*matrix);
  return matrix.has_value();
}

json json_of(FilterMode value) {
  return value == FilterMode::correlation;
}
bool take(const json& from, FilterMode& value) {
  bool correlation = false;
  if (!take(from, correlation)) return false;
  value = correlation ? FilterMode::correlation : FilterMode::convolution;
  return true;
}

json json_of(const FilterSpec& value) {
  JsonWriter writer;
  visit_filter(writer, value);
  return writer.to;
}
bool take(const json& from, FilterSpec& value) {
  if (!from.is_object()) return false;
  JsonReader reader{from};
  visit_filter(reader, value);
  return true;
}

json json_of(const LaneSettings& lane) {
  return {{"variant", lane.variant},
          {"switches", lane.switches.changed()},
          {"format", json_of(lane.format)},
          {"block", json_of(lane.block)}};
}
// Variants and switches that this program does not have are skipped.
bool take(const json& from, LaneSettings& lane) {
  if (!from.is_object()) return false;
  std::string variant;
  read(from, "variant", variant);
  if (find_variant(variant)) lane.variant = variant;
  read(from, "format", lane.format);
  read(from, "block", lane.block);
  std::map<std::string, int> values;
  read(from, "switches", values);
  for (const auto& [id, value] : values)
    if (find_switch(id)) lane.switches.set(id, value);
  return true;
}
bool take(const json& from, std::array<LaneSettings, 2>& value) {
  if (!from.is_array()) return false;
  for (std::size_t i = 0; i < std::min(from.size(), value.size()); ++i) take(from[i], value[i]);
  return true;
}

}  // namespace conv
