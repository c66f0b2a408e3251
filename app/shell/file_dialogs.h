// The desktop's file dialogs. They run beside the program; what the user has chosen comes back as a command.
#pragma once
#include <memory>
#include <optional>

#include "app/model/commands.h"

namespace conv {

class FileDialogs {
 public:
  FileDialogs();
  ~FileDialogs();
  FileDialogs(const FileDialogs&) = delete;  // owns the dialogs that are open
  FileDialogs& operator=(const FileDialogs&) = delete;

  // The errors say how to do without a dialog.
  Result<void> choose_file();
  Result<void> choose_save_file(command::What what);
  // What was chosen since the last call; at most one.
  std::optional<Command> poll();

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

}  // namespace conv
