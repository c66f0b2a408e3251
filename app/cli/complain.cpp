#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/cli/commands.h"

namespace conv {

std::string readable(const std::string& text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

std::string printable(std::string text) {
  constexpr std::string_view replaced = "\ufffd";
  text = readable(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_c1 = byte == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f) text[i] = '?';
    if (is_c1) text.replace(i, 2, "?");
    if (std::string_view(text).substr(i).starts_with(replaced)) text.replace(i, replaced.size(), "?");
  }
  return text;
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
