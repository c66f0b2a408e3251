// Pictures to and from the desktop's clipboard, by its own programs: the window library hands over text alone.
#pragma once
#include <memory>
#include <string>

#include "app/sources/picture.h"

namespace conv {

// The picture that was in the clipboard, or why there is none. ticket: which question this answers.
struct Pasted {
  int ticket = 0;
  std::shared_ptr<const Picture> picture;
  std::string error;
};
// Waits for the program that owns the clipboard, at most two seconds.
Pasted paste_from_desktop(int ticket);
// The error says what to install.
Result<void> copy_to_desktop(const Picture& picture);

}  // namespace conv
