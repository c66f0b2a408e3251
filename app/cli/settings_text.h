// What the window shows, as text: as a command that filters the same picture, and as a link that opens the same state.
#pragma once
#include "app/cli/options.h"

namespace conv {

// "convoscope convolve IN OUT --variant=...": gives lane A's result bit for bit, quoted for a POSIX shell. Options that
// say what is usual are left out. The error says why there is no such command: the picture comes from a camera, or the
// matrix is longer than an argument can be.
Result<std::string> command_text(const Settings& settings);

// "convoscope:variant=global/radius=7": the options of a scene, as parse_scene knows them, without their dashes. No
// character of it means anything to a shell. A picture of the user's own is not part of it.
std::string link_text(const Settings& settings, const std::vector<std::string>& panels);
// Whether a scene can show the same source: a pattern, a picture of the program, or a still picture in a file.
bool fits_scene(const SourceSettings& source);
// The scene of a lesson that shows the same, in one line.
std::string scene_text(const Settings& settings, const std::vector<std::string>& panels);
bool is_link(std::string_view text);
// Somebody else may have written the link: it can do what a scene can do.
Result<Scene> parse_link(std::string_view text);

}  // namespace conv
