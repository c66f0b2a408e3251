// Other programs, run without a shell: no word of an argument is ever read as a command.
#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"

namespace conv {

struct ProcessRequest {
  std::vector<std::string> arguments;  // the program's name first; looked for in PATH unless it has a slash
  std::string_view input;              // its standard input, as a file that it may also seek in
  bool captures_output = true;         // false: its standard output is dropped, and may stay open behind it
  std::chrono::milliseconds limit{2000};
};

// What it printed on its standard output. The error: it is not installed, took longer than `limit` (then it was ended),
// or ended with a status other than 0.
Result<std::string> run_process(const ProcessRequest& request);

}  // namespace conv
