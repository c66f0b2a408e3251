#include <cstdio>

#include "app/cli/commands.h"

namespace conv {

std::string printable(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_c1 = byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f) text[i] = '?';
    if (is_c1) text.replace(i, 2, "?");
  }
  return text;
}

int complain(const std::string& text) {
  const std::string line = "convoscope: " + printable(text.substr(0, text.find('\n'))) + '\n';
  std::fputs(line.c_str(), stderr);  // does not throw: nobody would catch it here
  return 2;
}

int status_of(const Result<int>& result) {
  return result ? *result : complain(result.error().text);
}

}  // namespace conv
