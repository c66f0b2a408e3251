#include <fmt/format.h>

#include <chrono>

#include "app/check/check_cases.h"
#include "app/check/lab.h"
#include "app/cli/commands.h"

namespace conv {

// Checklist row 98: filter x variant on each lab image (float, replicate); a cell counts the images it computed
// correctly. Returns the failures and adds the number of runs to `total`.
static int print_matrix(Processor& processor, int& total) {
  const std::vector<FilterSpec> rows = lab_filters();
  const std::vector<const Variant*> columns = lab_variants();
  std::vector<int> passed(rows.size() * columns.size()), failed(passed);
  for (std::size_t image = 0; image + 1 < lab_images.size(); ++image) {  // the last one takes long; it is in the window
    Lab lab(processor, {.image = image});
    for (std::size_t i = 0; i < passed.size(); ++i) {
      const LabCell cell = lab.run(rows[i / columns.size()], *columns[i % columns.size()]);
      passed[i] += cell.state == CellState::passed;
      failed[i] += cell.state == CellState::failed;
      if (cell.state == CellState::failed) fmt::print("  {}\n", cell.text);
    }
  }
  fmt::print("\ncorrect images, of {}; - is refused. Columns:", lab_images.size() - 1);
  for (std::size_t c = 0; c < columns.size(); ++c) fmt::print(" {} {}", c + 1, columns[c]->id);
  fmt::print("\n{:18}", "filter");
  for (std::size_t c = 0; c < columns.size(); ++c) fmt::print("{:>5}", c + 1);
  int all_failed = 0;
  for (std::size_t i = 0; i < passed.size(); ++i) {
    if (i % columns.size() == 0) fmt::print("\n{:18}", info(rows[i / columns.size()].kind).id);
    fmt::print("{:>5}", failed[i] > 0 ? "FAIL" : passed[i] == 0 ? "-" : fmt::format("{}", passed[i]));
    all_failed += failed[i];
    total += passed[i] + failed[i];
  }
  fmt::print("\n\n");
  return all_failed;
}

// The counts of one variant.
struct VariantTally {
  int ran = 0, refused = 0, failed = 0;
  double max_error = 0;
  long long apart = 0;
  std::string first_fault;  // empty: none

  void add(const CheckOutcome& outcome, const CheckCase& c) {
    ++ran;
    refused += outcome.refused;
    if (outcome.refused) return;
    max_error = std::max(max_error, outcome.verdict.max_error);
    apart += outcome.verdict.rounded_apart;
    if (!outcome.verdict.pass) fail(outcome.text, c);
  }
  void fail(const std::string& text, const CheckCase& c) {
    ++failed;
    if (first_fault.empty()) first_fault = fmt::format("{}: {}", to_text(c), text);
  }
};

static VariantTally check_variant(Checker& checker, const Variant& variant, const Shard& shard, bool on_gpu) {
  static const std::vector<CheckCase> cases = check_cases(1);
  const auto start = std::chrono::steady_clock::now();
  VariantTally tally;
  constexpr int watched = 32;  // of so many cases, one is watched: that takes many times as long
  int number = 0;
  for (std::size_t i = shard.index - 1; i < cases.size(); i += shard.count) {
    tally.add(checker.check(variant, cases[i]), cases[i]);
    if (on_gpu || number++ % watched != 0) continue;
    if (const auto faults = checker.watch(variant, cases[i]); !faults.empty())
      tally.fail(faults.front().text, cases[i]);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{:18} {:>6} {:>8} {:>8} {:>12.3g} {:>12} {:>8.1f}\n", variant.id, tally.ran, tally.refused, tally.failed,
             tally.max_error, tally.apart, seconds);
  if (!tally.first_fault.empty()) fmt::print("  {}\n", tally.first_fault);
  return tally;
}

static Result<int> selftest(const Options& options) {
  Processor processor = CONV_TRY(Processor::create(options.device));
  fmt::print("selftest on {}\n", processor.name());
  if (!processor.on_gpu() && !processor.no_gpu_reason().empty()) fmt::print("no GPU: {}\n", processor.no_gpu_reason());
  fmt::print("{:18} {:>6} {:>8} {:>8} {:>12} {:>12} {:>8}\n", "variant", "cases", "refused", "failed", "max error",
             "ties apart", "seconds");

  Checker checker(processor);
  int failed = 0, total = 0;
  for (const Variant* variant : variants()) {
    const bool chosen = options.only.empty() || variant->id == options.only;
    if (!chosen || !variant->exhibit.empty()) continue;  // exhibits are deliberately wrong
    const VariantTally tally = check_variant(checker, *variant, options.shard, processor.on_gpu());
    failed += tally.failed;
    total += tally.ran - tally.refused;
  }
  if (options.shard.index == 1 && options.only.empty()) failed += print_matrix(processor, total);
  fmt::print("{} passed, {} failed\n", total - failed, failed);
  return failed == 0 ? 0 : 1;
}

int run_selftest(const Options& options) {
  return status_of(selftest(options));
}

}  // namespace conv
