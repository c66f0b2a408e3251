// What a panel may ask the application to do. Panels change settings themselves.
#pragma once
#include <string>
#include <variant>

#include "app/cli/lab.h"

namespace command {
struct ChooseFile {};
struct OpenFile {
  std::string path;
  int percent = 100;
};
struct Reload {};
struct ChooseSaveFile {  // where to save the result of lane A, or the view as it is drawn
  bool view = false;
};
struct Undo {};
struct Redo {};
struct ResetLayout {};
struct ResetSettings {};
struct RetryInterop {};
struct SaveView {
  std::string path;
};
struct RunLab {
  LabJob job;
  bool only_failing = false;
};
struct CancelLab {};
struct CopyText {
  std::string text;
};
struct ToggleFullScreen {};
struct Quit {};
}  // namespace command

using Command =
    std::variant<command::ChooseFile, command::OpenFile, command::Reload, command::ChooseSaveFile, command::Undo,
                 command::Redo, command::ResetLayout, command::ResetSettings, command::RetryInterop, command::SaveView,
                 command::RunLab, command::CancelLab, command::CopyText, command::ToggleFullScreen, command::Quit>;
