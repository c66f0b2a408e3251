// The files of the user's configuration folder: settings, and the layout of the panels.
#pragma once
#include <functional>
#include <string>

#include "app/model/settings.h"

namespace conv {

// Returns whether there were usable settings. An unusable file is kept under another name. say: receives what was
// corrected or could not be read.
bool read_user_settings(Settings& settings, Preferences& preferences,
                        const std::function<void(const std::string&)>& say);
// The layout of the last session; empty if there is none that can be used.
std::string read_user_layout();
// An error, such as a full disk, names the file.
Result<void> write_user_files(const Settings& settings, const Preferences& preferences, const std::string& layout);

}  // namespace conv
