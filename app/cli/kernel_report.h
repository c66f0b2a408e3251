// Prints what was found in a kernel file.
#pragma once
#include <string>

#include "app/live/kernel_check.h"

namespace conv {

struct CheckedKernel {
  std::string task, text;  // the id of its check_task
  std::string shown;       // as the user named it
  std::string file;        // its name in messages; empty: as it is in the program
};

// On one line, without control characters: a kernel's text must not look like a line of ours.
std::string on_one_line(std::string text);
// With the user's name of the file, without control characters.
std::string named(std::string text, const CheckedKernel& kernel);

// The errors of the compiler, if there are any.
void print_errors(const KernelReport& report, const CheckedKernel& kernel);
// For somebody who collects results: what was found, in which text.
void print_json(const KernelReport& report, const CheckedKernel& kernel);

}  // namespace conv
