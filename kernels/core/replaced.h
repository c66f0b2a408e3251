// Replaces words in a text.
#pragma once
#include <string>
#include <string_view>

namespace conv {

// The text with `by` in place of each `word`, which is not empty. What `by` brings in is not replaced again.
inline std::string replaced(std::string text, std::string_view word, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
  return text;
}

}  // namespace conv
