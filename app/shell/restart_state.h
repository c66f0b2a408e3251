// What a process that restarts itself hands over: text in a memory file that no other program can replace.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace conv {

// The arguments for the new process, which inherits the text and no other open file. If there are no memory files, the
// new process starts with these arguments alone.
std::vector<std::string> with_restart_state(std::vector<std::string> arguments, const std::string& text);
// The text of the option --restart-state; can be read once. Nothing if it is not ours.
std::optional<std::string> take_restart_state(int descriptor);

}  // namespace conv
