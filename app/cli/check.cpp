#include <fmt/format.h>

#include <filesystem>

#include "app/cli/commands.h"
#include "app/live/kernel_check.h"
#include "kernels/core/file.h"
#include "kernels/core/registry.h"
#include "kernels/gpu/kernel_sources.h"
#include "kernels/variants/support/declared.h"

namespace conv {

namespace {

// The kernel file of this name as the program would compile it now, edits included.
std::string own_text(std::string_view variant) {
  const std::shared_ptr<const KernelTexts> texts = KernelSources().texts();
  for (const auto& [path, text] : texts->files)
    if (std::filesystem::path(path).stem() == variant && path.ends_with(".cu")) return text;
  return {};
}

struct Kernel {
  std::string variant, text;
  std::string file;  // its name in messages; empty: as it is in the program
};

Result<Kernel> kernel_named(const std::string& name, const std::string& plan) {
  if (!plan.empty()) return Kernel{plan, CONV_TRY(read_file(name, most_kernel_bytes)), name};
  const bool is_variant = find_variant(name) != nullptr;
  const std::string id = is_variant ? name : std::filesystem::path(name).stem().string();
  const Variant* variant = find_variant(id);
  if (!variant)
    return failure(fmt::format(
        "{}: there is no variant {}. Name the file like the variant whose plan it uses, or choose one by --plan", name,
        id));
  if (!variant->exhibit.empty()) return failure(fmt::format("{} is a demonstration: {}", id, variant->exhibit));
  if (own_text(id).empty())
    return failure(fmt::format("{} has no kernel file of its own; `list` names the variants", id));
  return Kernel{id, is_variant ? own_text(id) : CONV_TRY(read_file(name, most_kernel_bytes)), {}};
}

// With the user's name of the file.
std::string named(std::string text, const Kernel& kernel) {
  if (!kernel.file.empty())
    for (std::size_t at = 0; (at = text.find(declared_kernel_file, at)) != std::string::npos; at += kernel.file.size())
      text.replace(at, declared_kernel_file.size(), kernel.file);
  return printable(std::move(text));
}

Result<int> check(const std::string& name, const std::string& plan) {
  const Kernel kernel = CONV_TRY(kernel_named(name, plan));
  const KernelReport report = CONV_TRY(check_kernel(kernel.variant, kernel.text));
  if (report.passed()) {
    fmt::print("passed: {} cases by {}, with every access watched\n", report.checked, kernel.variant);
    return 0;
  }
  if (!report.errors.empty()) {
    fmt::print("does not compile\n{}", named(report.errors, kernel));
    return 1;
  }
  for (const FoundFlaw& found : report.flaws) {
    const FlawInfo& flaw = flaws[static_cast<std::size_t>(found.flaw)];
    fmt::print("{}: {}\n  {}\n  seen with {}", flaw.id, named(found.text, kernel), flaw.hint, found.where);
    if (found.cases > 1) fmt::print(" and in {} more cases", found.cases - 1);
    fmt::print("\n");
  }
  if (report.flaws.empty()) return failure(fmt::format("{} refuses every case: nothing was checked", kernel.variant));
  return 1;
}

}  // namespace

int run_check(const Options& options) {
  return status_of(check(options.in, options.plan));
}

}  // namespace conv
