#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/live/kernel_check.h"
#include "app/live/kernel_twin.h"
#include "kernels/core/file.h"
#include "kernels/core/registry.h"
#include "kernels/gpu/kernel_sources.h"
#include "kernels/variants/support/declared.h"

namespace conv {

namespace {

struct Kernel {
  std::string variant, text;
  std::string file;  // its name in messages; empty: as it is in the program
};

Result<Kernel> kernel_named(const std::string& name, const std::string& plan) {
  const auto read = [&] { return read_file(name, most_kernel_bytes); };
  if (!plan.empty()) return read().map([&](std::string text) { return Kernel{plan, std::move(text), name}; });
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
  if (is_variant) return Kernel{id, own->second, {}};  // as the program would compile it now, edits included
  return read().map([&](std::string text) { return Kernel{id, std::move(text), {}}; });
}

// On one line: a kernel's text must not look like a line of ours.
std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return printable(std::move(text));
}

// With the user's name of the file.
std::string named(std::string text, const Kernel& kernel) {
  if (!kernel.file.empty())
    for (std::size_t at = 0; (at = text.find(declared_kernel_file, at)) != std::string::npos; at += kernel.file.size())
      text.replace(at, declared_kernel_file.size(), kernel.file);
  return printable(std::move(text));
}

void print_report(const KernelReport& report, const Kernel& kernel) {
  if (report.passed())
    fmt::print("passed: {} cases by {}, with every access watched\n", report.checked, kernel.variant);
  else if (!report.errors.empty())
    fmt::print("does not compile\n{}", named(report.errors, kernel));
  for (const FoundFlaw& found : report.flaws) {
    const FlawInfo& flaw = flaws[static_cast<std::size_t>(found.flaw)];
    fmt::print("{}: {}\n  {}\n  seen with {}", flaw.id, on_one_line(named(found.text, kernel)), flaw.hint,
               on_one_line(found.where));
    if (found.cases > 1) fmt::print(" and in {} more cases", found.cases - 1);
    fmt::print("\n");
  }
}

// For somebody who collects results: what was found, in which text.
void print_json(const KernelReport& report, const Kernel& kernel, const std::string& name) {
  nlohmann::json found = nlohmann::json::array();
  for (const FoundFlaw& flaw : report.flaws)
    found.push_back({{"flaw", flaws[static_cast<std::size_t>(flaw.flaw)].id},
                     {"text", named(flaw.text, kernel)},
                     {"where", on_one_line(flaw.where)},
                     {"cases", flaw.cases}});
  const nlohmann::json whole{{"kernel", name},
                             {"plan", kernel.variant},
                             {"hash", hash_of(kernel.text)},
                             {"convoscope", CONV_VERSION},
                             {"passed", report.passed()},
                             {"cases", report.checked},
                             {"errors", named(report.errors, kernel)},
                             {"flaws", found}};
  fmt::print("{}\n", whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

Result<int> check(const Options& options) {
  const Kernel kernel = CONV_TRY(kernel_named(options.in, options.plan));
  const KernelReport report = CONV_TRY(check_kernel(kernel.variant, kernel.text));
  if (report.checked == 0 && report.errors.empty() && report.flaws.empty())
    return failure(fmt::format("{} refuses every case: nothing was checked", kernel.variant));
  if (options.json)
    print_json(report, kernel, options.in);
  else
    print_report(report, kernel);
  return report.passed() ? 0 : 1;
}

}  // namespace

int run_check(const Options& options) {
  return status_of(check(options));
}

}  // namespace conv
