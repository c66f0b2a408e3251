#include "app/cli/kernel_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands.h"

namespace conv {

std::string one_line(const std::string& text, const CheckedKernel& kernel) {
  std::string line = named(text, kernel);
  std::ranges::replace(line, '\n', ' ');
  return printable(std::move(line));
}

void print_errors(const KernelReport& report, const CheckedKernel& kernel) {
  if (!report.errors.empty()) fmt::print("does not compile\n{}", printable(named(report.errors, kernel)));
}

}  // namespace conv
