// Settings and preferences as JSON in the user's configuration folder.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/model/settings.h"
#include "kernels/core/error.h"

namespace conv {

// faults are written for a program that starts again after one.
std::string to_json(const Settings& settings, const Preferences& preferences, const Faults& faults = {});
// What the text does not hold, or holds as another kind of value, is left as it is; what is out of range is corrected,
// and said. Nothing: the text is no JSON object of ours.
std::optional<Corrections> from_json(const std::string& text, Settings& settings, Preferences& preferences);
Faults faults_from_json(const std::string& text);

// What a session has besides the settings: where one looks.
struct SessionView {
  Point2 centre;  // of the view, in pixels of the image
  float zoom = 1;
  bool fitted = true;
  float wipe_at = 0.5f;
  bool wipe_level = false;
  std::vector<Point2> pins;
};
std::string session_to_json(const Settings& settings, const SessionView& view);
struct Session {
  Settings settings;
  SessionView view;
  Corrections corrections;  // values that were out of range
};
// The error says why the text is no session; a wrong value in one keeps its default.
Result<Session> session_from_json(const std::string& text);

}  // namespace conv
