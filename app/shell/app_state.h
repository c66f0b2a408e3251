// What the parts of the application share: settings, what panels remember, and what is known in this frame.
#pragma once
#include <string>

#include "app/model/settings.h"
#include "app/model/status.h"
#include "app/shell/history.h"
#include "app/ui/window/ui_state.h"

namespace conv {

struct AppState {
  Settings settings;
  Preferences preferences;
  UiState ui;
  AppStatus status;
  History history;
  std::string unopened;  // as App::unopened

  // A message at the bottom for some seconds; the whole text goes to the log.
  void say(const std::string& text) { add_message(text, false); }
  // The same of something that failed, or that is not as requested.
  void warn(const std::string& text) { add_message(text, true); }
  // The same of a file that was to be opened.
  void say_unopened(const std::string& text) {
    warn(text);
    unopened = text;
  }
  // Only in the log.
  void keep(const std::string& text, bool is_error);
  // "Saved results.png", or why it was not saved.
  void say_saved(const std::string& path, const Result<void>& saved);

 private:
  void add_message(const std::string& text, bool is_error);
};

}  // namespace conv
