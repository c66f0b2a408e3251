#include <fmt/format.h>

#include <filesystem>

#include "app/cli/commands.h"
#include "app/live/kernel_check.h"
#include "kernels/core/file.h"
#include "kernels/core/registry.h"
#include "kernels/gpu/kernel_sources.h"

namespace conv {

namespace {

// The kernel file of this name as the program would compile it now, edits included.
std::string own_text(std::string_view variant) {
  const std::shared_ptr<const KernelTexts> texts = KernelSources().texts();
  for (const auto& [path, text] : texts->files)
    if (std::filesystem::path(path).stem() == variant && path.ends_with(".cu")) return text;
  return {};
}

Result<int> check(const std::string& name) {
  const bool is_variant = find_variant(name) != nullptr;
  const std::string variant = is_variant ? name : std::filesystem::path(name).stem().string();
  if (!find_variant(variant))
    return failure(fmt::format(
        "{}: there is no variant {}. Name the file like the variant whose plan it uses: global.cu", name, variant));
  if (!find_variant(variant)->exhibit.empty())
    return failure(fmt::format("{} is a demonstration: {}", variant, find_variant(variant)->exhibit));
  if (own_text(variant).empty())
    return failure(fmt::format("{} has no kernel file of its own; `list` names the variants", variant));
  const std::string text = is_variant ? own_text(variant) : CONV_TRY(read_file(name, most_kernel_bytes));
  const KernelReport report = CONV_TRY(check_kernel(variant, text));
  if (report.passed()) {
    fmt::print("passed: {} cases by {}, with every access watched\n", report.checked, variant);
    return 0;
  }
  if (!report.errors.empty()) {
    fmt::print("does not compile\n{}", printable(report.errors));
    return 1;
  }
  for (const FoundFlaw& found : report.flaws) {
    const FlawInfo& flaw = flaws[static_cast<std::size_t>(found.flaw)];
    fmt::print("{}: {}\n  {}\n  seen with {}", flaw.id, printable(found.text), flaw.hint, printable(found.where));
    if (found.cases > 1) fmt::print(" and in {} more cases", found.cases - 1);
    fmt::print("\n");
  }
  if (report.flaws.empty()) return failure(fmt::format("{} refuses every case: nothing was checked", variant));
  return 1;
}

}  // namespace

int run_check(const Options& options) {
  return status_of(check(options.in));
}

}  // namespace conv
