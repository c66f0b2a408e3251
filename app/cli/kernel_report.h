// Checks a kernel file, and prints what was found. A report can hold somebody else's text: it must not control the
// terminal, and must not look like a line of ours.
#pragma once
#include <string>

#include "app/cli/options.h"
#include "app/live/kernel_report.h"

namespace conv {

// As check_kernel, with the option --without-sandbox.
Result<KernelReport> checked(const std::string& task, const std::string& text, const Options& options);

// On one line.
std::string one_line(const std::string& text, const CheckedKernel& kernel);
// The errors of the compiler, if there are any.
void print_errors(const KernelReport& report, const CheckedKernel& kernel);

}  // namespace conv
