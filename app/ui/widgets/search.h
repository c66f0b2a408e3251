// A list that is narrowed by typing, and walked through with the arrow keys.
#pragma once
#include <string>
#include <string_view>

namespace conv {

struct Search {
  std::string typed;
  int chosen = 0;      // of the rows that match
  bool moved = false;  // by a key, in this frame: the row should be scrolled to
  void clear() { *this = {}; }
};

// The field, which takes the keyboard when its popup appears; Escape closes the popup. hint: shown while it is empty.
void search_field(Search& search, const char* hint);
// Whether the text contains every word that was typed.
bool matches(const Search& search, std::string_view text);
// Moves by the arrow keys among `count` rows. Returns whether Enter takes the chosen one.
bool search_keys(Search& search, int count);

}  // namespace conv
