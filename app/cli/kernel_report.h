// Prints what was found in a kernel file. A report can hold somebody else's text: it must not control the terminal, and
// must not look like a line of ours.
#pragma once
#include <string>

#include "app/live/kernel_report.h"

namespace conv {

// On one line.
std::string one_line(const std::string& text, const CheckedKernel& kernel);
// The errors of the compiler, if there are any.
void print_errors(const KernelReport& report, const CheckedKernel& kernel);

}  // namespace conv
