#include <algorithm>
#include <cstdio>
#include <string_view>

#include "app/cli/commands.h"

namespace conv {

// Bytes of the UTF-8 character that begins the text; 0: none does (RFC 3629, section 4).
static std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  const auto follows = [&](std::size_t i, int least = 0x80, int most = 0xbf) {
    return byte(i) >= least && byte(i) <= most;
  };
  const int first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef)
    return follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf) && follows(2) ? 3 : 0;
  if (first >= 0xf0 && first <= 0xf4)
    return follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

std::string printable(std::string text) {
  std::string shown;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = character_length(rest);
    const auto first = static_cast<unsigned char>(rest[0]);
    const bool is_control = (first < ' ' && first != '\n' && first != '\t') || first == 0x7f ||
                            (first == 0xc2 && length == 2 && static_cast<unsigned char>(rest[1]) < 0xa0);
    shown += length == 0 || is_control ? "?" : rest.substr(0, length);
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

int complain(const std::string& text) {
  std::string line = "convoscope: " + printable(text);
  std::ranges::replace(line, '\n', ' ');  // a file's name may have one
  line += '\n';
  std::fputs(line.c_str(), stderr);  // does not throw: nobody would catch it here
  return 2;
}

int status_of(const Result<int>& result) {
  return result ? *result : complain(result.error().text);
}

}  // namespace conv
