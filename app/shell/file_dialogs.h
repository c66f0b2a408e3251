// The desktop's file dialogs. They run in their own processes; the user's choice returns as a command.
#pragma once
#include <memory>
#include <optional>

#include "app/model/commands.h"

namespace conv {

class FileDialogs {
 public:
  FileDialogs();
  ~FileDialogs();
  FileDialogs(const FileDialogs&) = delete;  // owns the open dialogs
  FileDialogs& operator=(const FileDialogs&) = delete;

  // Whether the desktop has a program for dialogs: zenity, kdialog and others.
  static bool available();
  // One dialog is open at a time; it is closed with this object.
  Result<void> choose_file(bool results);  // as command::ChooseFile
  Result<void> choose_save_file(command::What what);
  bool is_open() const;
  // What was chosen since the last call; at most one.
  std::optional<Command> poll();

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

}  // namespace conv
