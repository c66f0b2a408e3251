// Parts of the settings as JSON, for the settings file, sessions and results files. What is missing or invalid leaves
// the value unchanged.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "app/model/settings.h"

namespace conv {

// Enumerations are stored by the ids of their tables, so that reordering them changes nobody's settings.
template <class Enumeration>
struct IdTable;
template <>
struct IdTable<FilterKind> {
  static constexpr const auto& rows = filters;
  static constexpr auto value = &FilterInfo::kind;
};
template <>
struct IdTable<Border> {
  static constexpr const auto& rows = borders;
  static constexpr auto value = &BorderInfo::border;
};
template <>
struct IdTable<PixelType> {
  static constexpr const auto& rows = pixel_types;
  static constexpr auto value = &PixelTypeInfo::type;
};
template <>
struct IdTable<PatternKind> {
  static constexpr const auto& rows = patterns;
  static constexpr auto value = &PatternInfo::kind;
};
template <>
struct IdTable<DisplayRange> {
  static constexpr const auto& rows = display_ranges;
  static constexpr auto value = &DisplayRangeInfo::range;
};
template <>
struct IdTable<ValueUnit> {
  static constexpr const auto& rows = value_units;
  static constexpr auto value = &ValueUnitInfo::unit;
};
template <>
struct IdTable<ColourMap> {
  static constexpr const auto& rows = colour_maps;
  static constexpr auto value = &ColourMapInfo::map;
};
template <>
struct IdTable<ViewMode> {
  static constexpr const auto& rows = view_modes;
  static constexpr auto value = &ViewModeInfo::mode;
};
template <>
struct IdTable<Theme> {
  static constexpr const auto& rows = themes;
  static constexpr auto value = &ThemeInfo::theme;
};
template <>
struct IdTable<Language> {
  static constexpr const auto& rows = languages;
  static constexpr auto value = &LanguageInfo::language;
};

// JSON from outside; nothing if it is invalid, or nested deeper than any file of ours: code that walks such a value
// recursively would overflow the stack.
std::optional<nlohmann::json> parse_json(std::string_view text);

// Sets the value if the JSON has its kind and is in the range of its type; numbers must be finite. False: unchanged.
inline bool take(const nlohmann::json& from, std::string& value) {
  if (from.is_string()) value = from.get<std::string>();
  return from.is_string();
}
inline bool take(const nlohmann::json& from, nlohmann::json& value) {
  value = from;
  return true;
}
template <class Number>
requires std::is_arithmetic_v<Number>
bool take(const nlohmann::json& from, Number& value) {
  if constexpr (std::is_same_v<Number, bool>) {
    if (from.is_boolean()) value = from.get<bool>();
    return from.is_boolean();
  } else if constexpr (std::is_integral_v<Number>) {
    const bool fits = from.is_number_unsigned()
                          ? std::in_range<Number>(from.get<std::uint64_t>())
                          : from.is_number_integer() && std::in_range<Number>(from.get<std::int64_t>());
    if (fits) value = from.get<Number>();
    return fits;
  } else {
    const bool fits = from.is_number() && std::abs(from.get<double>()) <= std::numeric_limits<Number>::max();
    if (fits) value = static_cast<Number>(from.get<double>());
    return fits;
  }
}
template <class T, std::size_t count>
bool take(const nlohmann::json& from, std::array<T, count>& value) {
  std::array<T, count> all = value;
  if (!from.is_array() || from.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (!take(from[i], all[i])) return false;
  value = all;
  return true;
}
template <class T>
requires requires(T t) {
  t.insert(t.end(), typename T::value_type{});
} &&(!requires(T t) { typename T::mapped_type; }) bool take(const nlohmann::json& from, T& value) {
  if (!from.is_array()) return false;
  T all;
  for (const nlohmann::json& element : from) {
    typename T::value_type one{};
    if (!take(element, one)) return false;
    all.insert(all.end(), std::move(one));
  }
  value = std::move(all);
  return true;
}
template <class T>
bool take(const nlohmann::json& from, std::map<std::string, T>& value) {
  if (!from.is_object()) return false;
  std::map<std::string, T> all;
  for (const auto& [key, element] : from.items())
    if (!take(element, all[key])) return false;
  value = std::move(all);
  return true;
}

template <class Enumeration>
requires std::is_enum_v<Enumeration>
bool take(const nlohmann::json& from, Enumeration& value) {
  using Table = IdTable<Enumeration>;
  const auto row = std::find_if(Table::rows.begin(), Table::rows.end(),
                                [&](const auto& r) { return from.is_string() && from == r.id; });
  if (row == Table::rows.end()) return false;
  value = (*row).*Table::value;
  return true;
}
// Both sides at least 1.
bool take(const nlohmann::json& from, Size2& value);
bool take(const nlohmann::json& from, Point2& value);
bool take(const nlohmann::json& from, Matrix& value);
bool take(const nlohmann::json& from, FilterMode& value);
bool take(const nlohmann::json& from, FilterSpec& value);
bool take(const nlohmann::json& from, LaneSettings& value);
// As many values as there are.
bool take(const nlohmann::json& from, std::array<LaneSettings, 2>& value);
// A path can be any bytes, JSON is UTF-8: other paths are stored as a list of bytes.
bool take_path(const nlohmann::json& from, std::string& path);
nlohmann::json json_of_path(const std::string& path);

nlohmann::json json_of(Size2 value);
nlohmann::json json_of(Point2 value);
nlohmann::json json_of(const Matrix& value);
nlohmann::json json_of(FilterMode value);
nlohmann::json json_of(const FilterSpec& value);
nlohmann::json json_of(const LaneSettings& value);
template <class Enumeration>
requires std::is_enum_v<Enumeration> nlohmann::json json_of(Enumeration value) {
  using Table = IdTable<Enumeration>;
  for (const auto& row : Table::rows)
    if (row.*Table::value == value) return row.id;
  return "";
}
inline nlohmann::json json_of(const nlohmann::json& value) {
  return value;
}
template <class T>
requires(!std::is_enum_v<T>) nlohmann::json json_of(const T& value) {
  if constexpr (requires { json_of(*value.begin()); } && !std::is_convertible_v<T, std::string_view>) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& element : value) all.push_back(json_of(element));
    return all;
  } else {
    return value;
  }
}

// A value of another kind counts as missing.
template <class T>
void read(const nlohmann::json& from, const char* key, T& value) {
  if (from.contains(key)) take(from[key], value);
}
// An object within another; empty if there is none.
nlohmann::json object_in(const nlohmann::json& from, const char* key);

// Each setting is named once, for writing and for reading: a function visits every member with its key.
//   visit("sigma", filter.sigma);
//   visit.object("filter", [&](auto& in_filter) { ... });
struct JsonWriter {
  nlohmann::json to = nlohmann::json::object();
  template <class T>
  void operator()(const char* key, const T& value) {
    to[key] = json_of(value);
  }
  void path(const char* key, const std::string& value) { to[key] = json_of_path(value); }
  template <class Visit>
  void object(const char* key, Visit visit) {
    JsonWriter inner;
    visit(inner);
    to[key] = std::move(inner.to);
  }
};
struct JsonReader {
  nlohmann::json from;
  template <class T>
  void operator()(const char* key, T& value) {
    read(from, key, value);
  }
  void path(const char* key, std::string& value) {
    if (from.contains(key)) take_path(from[key], value);
  }
  template <class Visit>
  void object(const char* key, Visit visit) {
    JsonReader inner{object_in(from, key)};
    visit(inner);
  }
};
// Filter: FilterSpec, const for writing.
template <class Visitor, class Filter>
void visit_filter(Visitor& visit, Filter& filter) {
  visit("kind", filter.kind);
  visit("sigma", filter.sigma);
  visit("radius", filter.radius);
  visit("angle", filter.angle);
  visit("seed", filter.seed);
  visit("strength", filter.strength);
  visit("matrix", filter.matrix);
  visit("divisor", filter.divisor);
  visit("offset", filter.offset);
  visit("correlation", filter.mode);
}

}  // namespace conv
