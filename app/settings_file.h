// Settings and preferences as JSON in the user's configuration folder.
#pragma once
#include <filesystem>
#include <string>

#include "app/settings.h"

std::filesystem::path config_folder();

// faults are written for a program that starts again after one.
std::string to_json(const Settings& settings, const Preferences& preferences, const Faults& faults = {});
// What the text does not hold, or holds wrongly, keeps its value.
void from_json(const std::string& text, Settings& settings, Preferences& preferences);
Faults faults_from_json(const std::string& text);
