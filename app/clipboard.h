// Pictures to and from the desktop's clipboard, by its own programs: the window library hands over text alone.
#pragma once
#include <string>

// A file with the picture that was in the clipboard, or why there is none. ticket: which question this answers.
struct Pasted {
  int ticket = 0;
  std::string path, error;
};
// Waits for the program that owns the clipboard, at most two seconds.
Pasted paste_from_desktop(int ticket);
// From a PNG file. False when no program for it is there.
bool copy_to_desktop(const std::string& png_file);
