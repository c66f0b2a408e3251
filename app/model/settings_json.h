// Parts of the settings as JSON: for the settings file, sessions and the files of measured sweeps. What is missing or
// makes no sense leaves the value as it is.
#pragma once
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "app/model/settings.h"

// Enumerations are kept by their ids, so that reordering them changes nobody's settings.
template <class Infos, class Value, class Get>
std::string id_of(const Infos& infos, Value value, Get get) {
  for (const auto& info : infos)
    if (get(info) == value) return std::string(info.id);
  return {};
}

template <class Infos, class Value, class Get>
void read_id(const nlohmann::json& from, const char* key, const Infos& infos, Value& value, Get get) {
  if (!from.contains(key) || !from[key].is_string()) return;
  for (const auto& info : infos)
    if (from[key] == info.id) value = get(info);
}

// Text from outside as JSON; nothing when it is none, or nested deeper than any file of ours: code that walks such a
// value recursively would run out of stack.
std::optional<nlohmann::json> parse_json(std::string_view text);

// Sets the value if the JSON is of its kind and in the range of its type; numbers must be finite. False: unchanged.
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

// A value of another kind is as if it were missing.
template <class T>
void read(const nlohmann::json& from, const char* key, T& value) {
  if (from.contains(key)) take(from[key], value);
}
// An object within another; empty where there is none.
nlohmann::json object_in(const nlohmann::json& from, const char* key);

nlohmann::json json_of(Size2 size);
// Both sides from 1.
void read_size(const nlohmann::json& from, const char* key, Size2& size);
// A path is any bytes, JSON is UTF-8: other paths are kept as a list of their bytes.
nlohmann::json json_of_path(const std::string& path);
bool take_path(const nlohmann::json& from, std::string& path);
void read_path(const nlohmann::json& from, const char* key, std::string& path);
nlohmann::json json_of(const FilterSpec& filter);
void read_filter(const nlohmann::json& from, FilterSpec& filter);
nlohmann::json json_of(const LaneSettings& lane);
void read_lane(const nlohmann::json& from, LaneSettings& lane);
nlohmann::json json_of(Border border);
void read_border(const nlohmann::json& from, const char* key, Border& border);
