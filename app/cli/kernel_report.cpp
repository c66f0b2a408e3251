#include "app/cli/kernel_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "kernels/gpu/kernel_sources.h"
#include "kernels/variants/support/declared.h"

namespace conv {

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return printable(std::move(text));
}

std::string named(std::string text, const CheckedKernel& kernel) {
  if (!kernel.file.empty())
    for (std::size_t at = 0; (at = text.find(declared_kernel_file, at)) != std::string::npos; at += kernel.file.size())
      text.replace(at, declared_kernel_file.size(), kernel.file);
  return printable(std::move(text));
}

void print_errors(const KernelReport& report, const CheckedKernel& kernel) {
  if (!report.errors.empty()) fmt::print("does not compile\n{}", named(report.errors, kernel));
}

void print_json(const KernelReport& report, const CheckedKernel& kernel) {
  nlohmann::json found = nlohmann::json::array();
  for (const FoundFlaw& flaw : report.flaws)
    found.push_back({{"flaw", info(flaw.flaw).id},
                     {"text", named(flaw.text, kernel)},
                     {"where", on_one_line(flaw.where)},
                     {"cases", flaw.cases}});
  nlohmann::json whole{{"kernel", kernel.shown},
                       {"plan", kernel.task},
                       {"hash", hash_of(kernel.text)},
                       {"convoscope", CONV_VERSION},
                       {"passed", report.passed()},
                       {"cases", report.checked},
                       {"errors", named(report.errors, kernel)},
                       {"flaws", found}};
  if (report.work)
    for (const WorkInfo& work : works) whole["work"][work.id] = (*report.work)[static_cast<std::size_t>(work.work)];
  fmt::print("{}\n", whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace conv
