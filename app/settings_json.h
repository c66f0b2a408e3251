// Parts of the settings as JSON: for the settings file, sessions and the files of measured sweeps. What is missing or
// makes no sense leaves the value as it is.
#pragma once
#include <nlohmann/json.hpp>

#include "app/settings.h"

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

template <class T>
void read(const nlohmann::json& from, const char* key, T& value) {
  if (!from.contains(key)) return;
  try {
    value = from[key].get<T>();
  } catch (const nlohmann::json::exception&) {  // of another type: as if it were missing
  }
}

nlohmann::json json_of(Size2 size);
// Both sides from 1.
void read_size(const nlohmann::json& from, const char* key, Size2& size);
nlohmann::json json_of(const FilterSpec& filter);
void read_filter(const nlohmann::json& from, FilterSpec& filter);
nlohmann::json json_of(const LaneSettings& lane);
void read_lane(const nlohmann::json& from, LaneSettings& lane);
nlohmann::json json_of(Border border);
void read_border(const nlohmann::json& from, const char* key, Border& border);
