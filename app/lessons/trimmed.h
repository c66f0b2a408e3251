#pragma once
#include <string>
#include <string_view>

namespace conv {

// Without spaces and line ends around it.
inline std::string trimmed(std::string_view text) {
  constexpr std::string_view blank = " \n\r";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(blank) - first + 1));
}

}  // namespace conv
