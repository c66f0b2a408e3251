#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands.h"

int complain(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  // Names come from files and arguments: what they hold must not steer the terminal.
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  fmt::print(stderr, "convoscope: {}\n", line);
  return 2;
}
