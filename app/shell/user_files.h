// The files of the user's configuration folder: settings and the places of the windows.
#pragma once
#include <functional>
#include <string>

#include "app/model/settings.h"

namespace conv {

// Whether there were settings that could be used. A file that could not is kept under another name. say: receives what
// was corrected or could not be read.
bool read_user_settings(Settings& settings, Preferences& preferences,
                        const std::function<void(const std::string&)>& say);
// Where the windows of the last session were; empty where there is nothing that could be used.
std::string read_user_layout();
// A disk that takes nothing loses the settings, not the program.
void write_user_files(const Settings& settings, const Preferences& preferences, const std::string& layout);

}  // namespace conv
