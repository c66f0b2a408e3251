#include <fmt/format.h>

#include "app/cli/commands.h"

int complain(const std::string& text) {
  fmt::print(stderr, "convoscope: {}\n", text.substr(0, text.find('\n')));
  return 2;
}
