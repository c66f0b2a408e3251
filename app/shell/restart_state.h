// What a program that starts itself again hands to its successor: text in memory, no file that another could replace.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace conv {

// The arguments for the successor, which inherits the text and no other open file. On a machine without such memory the
// successor begins as these arguments say.
std::vector<std::string> with_restart_state(std::vector<std::string> arguments, const std::string& text);
// The text behind the number of the option --restart-state, once; nothing where that is none of ours.
std::optional<std::string> take_restart_state(int descriptor);

}  // namespace conv
