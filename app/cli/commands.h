// The commands without a window; the window is run_window in app/shell. Each returns the program's exit status.
#pragma once
#include <string>

#include "app/cli/options.h"

namespace conv {

// Bytes that are not UTF-8 become the sign for that, U+FFFD, as in a browser.
std::string readable(const std::string& text);
// Replaces control characters, except line breaks and tabs, and what is not UTF-8 by question marks: names and results
// come from other people's files and must not control the terminal.
std::string printable(std::string text);
// Prints the text as one line to stderr, without control characters; returns 2.
int complain(const std::string& text);
// The exit status of a command: its value, or 2 after printing its error.
int status_of(const Result<int>& result);

int run_bench(const Options& options);
int run_check(const Options& options);
int run_convolve(const Options& options);
int run_lesson(const Options& options);
int run_list(const Options& options);
int run_new_variant(const Options& options);
int run_puzzle(const Options& options);
int run_selftest(const Options& options);
int run_trace(const Options& options);

}  // namespace conv
