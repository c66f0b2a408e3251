// What the parts of the application share: what is set, what panels remember, what is known at this frame.
#pragma once
#include <string>

#include "app/model/settings.h"
#include "app/model/status.h"
#include "app/shell/history.h"
#include "app/ui/frame/ui_state.h"

namespace conv {

struct AppState {
  Settings settings;
  Preferences preferences;
  UiState ui;
  AppStatus status;
  History history;

  // A line at the bottom for some seconds, and the whole text in the log.
  void say(const std::string& text);
  // "Saved results.png", or why not.
  void say_saved(const std::string& path, const Result<void>& saved);
};

}  // namespace conv
