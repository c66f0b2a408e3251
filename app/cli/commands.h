// The commands that need no window. Each returns the program's exit status.
#pragma once
#include <string>

#include "app/cli/options.h"

namespace conv {

// Without control characters but line ends and tabs: names and results come from files of others, and must not steer
// the terminal.
std::string printable(std::string text);
// One line on stderr, the first of the text, without control characters; returns 2.
int complain(const std::string& text);
// The exit status of a command: its value, or that of complaining of its error.
int status_of(const Result<int>& result);

int run_bench(const Options& options);
int run_convolve(const Options& options);
int run_list(const Options& options);
int run_selftest(const Options& options);

}  // namespace conv
