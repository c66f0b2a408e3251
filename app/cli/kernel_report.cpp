#include "app/cli/kernel_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/live/kernel_worker.h"

namespace conv {

Result<KernelReport> checked(const std::string& task, const std::string& text, const Options& options) {
  if (options.without_sandbox)
    allow_kernels_without_sandbox();
  else if (are_kernels_refused())
    return failure(
        "this system has no sandbox for kernels: it needs Linux 5.13 or later, with Landlock. --without-sandbox runs "
        "the kernel all the same; it could then read your files");
  const Interrupt interrupt;  // what it makes is removed before the program ends
  return check_kernel(task, text, interrupt.token());
}

std::string one_line(const std::string& text, const CheckedKernel& kernel) {
  std::string line = named(text, kernel);
  std::ranges::replace(line, '\n', ' ');
  return printable(std::move(line));
}

void print_errors(const KernelReport& report, const CheckedKernel& kernel) {
  if (!report.errors.empty()) fmt::print("does not compile\n{}", printable(named(report.errors, kernel)));
}

}  // namespace conv
