// Pictures to and from the desktop's clipboard, by the desktop's own programs: the window library supports text only.
#pragma once
#include <memory>
#include <string>

#include "app/sources/picture.h"

namespace conv {

// The picture from the clipboard, or why there is none. ticket: the number of the request.
struct Pasted {
  int ticket = 0;
  std::shared_ptr<const Picture> picture;
  std::string error;
};
// Waits at most two seconds for the program that owns the clipboard.
Pasted paste_from_desktop(int ticket);
// The error says what to install.
Result<void> copy_to_desktop(const Picture& picture, const OnProgress& progress);

}  // namespace conv
