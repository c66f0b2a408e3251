// What a file dialog for saving says, whether it is the desktop's or the window's.
#pragma once
#include <string>

#include "app/model/commands.h"

namespace conv {

struct SaveChoice {
  const char *title, *name, *patterns;  // name: proposed; patterns: "*.png *.jpg"
};
// For each kind of file.
SaveChoice save_choice(command::What what);
// The command once the user has chosen the path, and has agreed that an existing file is replaced.
Command to_save(command::What what, const std::string& path);

}  // namespace conv
