#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/kernel_report.h"
#include "app/live/kernel_check.h"
#include "app/live/kernel_twin.h"
#include "kernels/core/file.h"
#include "kernels/core/registry.h"
#include "kernels/gpu/kernel_sources.h"
#include "kernels/variants/support/declared.h"

namespace conv {

namespace {

Result<CheckedKernel> kernel_named(const std::string& name, const std::string& plan) {
  const auto read = [&] { return read_file(name, most_kernel_bytes); };
  if (!plan.empty())
    return read().map([&](std::string text) { return CheckedKernel{plan, std::move(text), name, name}; });
  const bool is_variant = find_variant(name) != nullptr;
  const std::string id = is_variant ? name : std::filesystem::path(name).stem().string();
  const Variant* variant = find_variant(id);
  if (!variant)
    return failure(fmt::format(
        "{}: there is no variant {}. Name the file like the variant whose plan it uses, or choose one by --plan", name,
        id));
  if (!variant->exhibit.empty()) return failure(fmt::format("{} is a demonstration: {}", id, variant->exhibit));
  const std::shared_ptr<const KernelTexts> texts = KernelSources().texts();
  const auto own = texts->files.find(kernel_file_of(*variant));
  if (own == texts->files.end())
    return failure(fmt::format("{} has no kernel file of its own; `list` names the variants", id));
  if (is_variant)
    return CheckedKernel{id, own->second, name, {}};  // as the program would compile it now, edits included
  return read().map([&](std::string text) { return CheckedKernel{id, std::move(text), name, {}}; });
}

void print_report(const KernelReport& report, const CheckedKernel& kernel) {
  if (report.passed()) fmt::print("passed: {} cases by {}, with every access watched\n", report.checked, kernel.task);
  print_errors(report, kernel);
  for (const FoundFlaw& found : report.flaws) {
    const FlawInfo& flaw = info(found.flaw);
    fmt::print("{}: {}\n  {}\n  seen with {}", flaw.id, one_line(found.text, kernel), flaw.hint,
               one_line(found.where, kernel));
    if (found.cases > 1) fmt::print(" and in {} more cases", found.cases - 1);
    fmt::print("\n");
  }
}

Result<int> check(const Options& options) {
  const CheckedKernel kernel = CONV_TRY(kernel_named(options.in, options.plan));
  const KernelReport report = CONV_TRY(checked(kernel.task, kernel.text, options));
  if (options.json)
    fmt::print("{}", report_json(report, kernel));
  else
    print_report(report, kernel);
  return report.passed() ? 0 : 1;
}

}  // namespace

int run_check(const Options& options) {
  return status_of(check(options));
}

}  // namespace conv
