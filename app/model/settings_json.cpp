#include "app/model/settings_json.h"

#include "kernels/core/registry.h"

using nlohmann::json;

namespace {

constexpr int deepest = 64;  // levels; our own files have less than ten

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

json json_of(Size2 size) {
  return {size.width, size.height};
}

void read_size(const json& from, const char* key, Size2& size) {
  std::array<int, 2> sides{size.width, size.height};
  read(from, key, sides);
  if (sides[0] >= 1 && sides[1] >= 1) size = {sides[0], sides[1]};
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

void read_path(const json& from, const char* key, std::string& path) {
  if (from.contains(key)) take_path(from[key], path);
}

json json_of(const FilterSpec& filter) {
  return {{"kind", info(filter.kind).id},
          {"sigma", filter.sigma},
          {"radius", filter.radius},
          {"angle", filter.angle},
          {"seed", filter.seed},
          {"strength", filter.strength},
          {"matrix", to_text(filter.matrix)},
          {"divisor", filter.divisor},
          {"offset", filter.offset},
          {"correlation", filter.mode == FilterMode::correlation}};
}

void read_filter(const json& from, FilterSpec& filter) {
  FilterSpec f = filter;
  read_id(from, "kind", filters, f.kind, [](const FilterInfo& row) { return row.kind; });
  read(from, "sigma", f.sigma);
  read(from, "radius", f.radius);
  read(from, "angle", f.angle);
  read(from, "seed", f.seed);
  read(from, "strength", f.strength);
  std::string matrix;
  read(from, "matrix", matrix);
  if (auto parsed = parse_matrix(matrix)) f.matrix = std::move(*parsed);
  read(from, "divisor", f.divisor);
  read(from, "offset", f.offset);
  bool correlation = f.mode == FilterMode::correlation;
  read(from, "correlation", correlation);
  f.mode = correlation ? FilterMode::correlation : FilterMode::convolution;
  filter = f;
}

json json_of(const LaneSettings& lane) {
  return {{"variant", lane.variant},
          {"switches", lane.switches.changed()},
          {"format", info(lane.format).id},
          {"block", json_of(lane.block)}};
}

void read_lane(const json& from, LaneSettings& lane) {
  std::string variant;
  read(from, "variant", variant);
  if (find_variant(variant)) lane.variant = variant;
  read_id(from, "format", pixel_types, lane.format, [](const PixelTypeInfo& row) { return row.type; });
  read_size(from, "block", lane.block);
  std::map<std::string, int> values;
  read(from, "switches", values);
  for (const auto& [id, value] : values)
    if (find_switch(id)) lane.switches.set(id, value);
}

json json_of(Border border) {
  return info(border).id;
}

void read_border(const json& from, const char* key, Border& border) {
  read_id(from, key, borders, border, [](const BorderInfo& row) { return row.border; });
}
