// Settings and preferences as JSON in the user's configuration folder.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/model/settings.h"
#include "kernels/core/error.h"

namespace conv {

// faults are written for a process that restarts after a fault.
std::string to_json(const Settings& settings, const Preferences& preferences, const Faults& faults = {});
// Keys that are missing or of another type leave the value unchanged; values out of range are corrected and reported.
// Nothing: the text is not a settings object.
std::optional<Corrections> from_json(const std::string& text, Settings& settings, Preferences& preferences);
Faults faults_from_json(const std::string& text);
// How the settings differ, in a few words: "radius 5 to 9", "3 settings". Empty if they do not.
std::string change_text(const Settings& from, const Settings& to);

// What a session has besides the settings: the view.
struct SessionView {
  Point2 centre;  // of the view, in image pixels
  float zoom = 1;
  bool fitted = true;
  float wipe_at = 0.5f;
  bool wipe_level = false;
  std::vector<Point2> pins;
  std::vector<std::string> panels;  // open ones, of panel_ids
};
inline constexpr std::size_t max_session_bytes = std::size_t{16} << 20;  // of a file
std::string session_to_json(const Settings& settings, const SessionView& view);
struct Session {
  Settings settings;
  SessionView view;
  Corrections corrections;  // values that were out of range
};
// The error says why the text is not a session; a single wrong value keeps its default.
Result<Session> session_from_json(const std::string& text);

}  // namespace conv
