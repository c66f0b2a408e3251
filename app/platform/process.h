// Runs other programs without a shell: no argument is ever interpreted as a command.
#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"

namespace conv {

struct ProcessRequest {
  std::vector<std::string> arguments;  // the program's name first; searched in PATH unless it has a slash
  std::string_view input;              // its standard input, as a seekable file
  bool captures_output = true;         // false: its standard output is dropped, and may remain open
  std::chrono::milliseconds limit{2000};
  std::size_t most_output_bytes = std::size_t{1} << 30;
};

// Its standard output. The error: it is not installed, took longer than `limit` (it was then ended), or ended with a
// status other than 0.
Result<std::string> run_process(const ProcessRequest& request);

}  // namespace conv
