// Settings and preferences as JSON in the user's configuration folder.
#pragma once
#include <filesystem>
#include <string>

#include "app/settings.h"

std::filesystem::path config_folder();

std::string to_json(const Settings& settings, const Preferences& preferences);
// What the text does not hold, or holds wrongly, keeps its value.
void from_json(const std::string& text, Settings& settings, Preferences& preferences);
