#include "app/live/puzzle.h"

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/kernel_report.h"
#include "kernels/core/file.h"

namespace conv {

namespace {

// What the work was, and what it is now.
void print_work(const Puzzle& puzzle, const WorkDone& before, const WorkDone& now) {
  fmt::print("In one block of 16x16 threads, with a filter of {}x{} taps:\n", taps_of(puzzle.filter)->size.width,
             taps_of(puzzle.filter)->size.height);
  for (const WorkInfo& work : kinds_of_work) {
    const auto at = static_cast<std::size_t>(work.work);
    if (before[at] > 0 || now[at] > 0) fmt::print("  {:>6.2f} -> {:>6.2f}  {}\n", before[at], now[at], work.title);
  }
}

Result<int> list() {
  for (const Puzzle& puzzle : puzzles()) fmt::print("{:2}  {}\n", puzzle.number, title_of(puzzle));
  return 0;
}

Result<int> start(const Puzzle& puzzle, const std::string& file, bool with_solution) {
  if (!check_output(file, {}, false)) return failure(file + ": exists already. Choose another name");
  CONV_TRY(write_file(file, with_solution ? solution_of(puzzle) : starting_kernel(puzzle), Existing::keep));
  fmt::print("{}\n", printable(file));
  return 0;
}

Result<int> check(const Puzzle& puzzle, const Options& options) {
  std::string text = CONV_TRY(read_file(options.in, most_kernel_bytes));
  const CheckedKernel kernel{
      .task = check_name(puzzle), .text = std::move(text), .shown = options.in, .file = options.in};
  const KernelReport report = CONV_TRY(checked(kernel.task, kernel.text, options));
  if (options.json) {
    fmt::print("{}", report_json(report, kernel));
  } else if (report.passed()) {
    fmt::print("passed: puzzle {}, {} cases, with every access watched\n", puzzle.number, report.checked);
    const KernelReport before = CONV_TRY(checked(kernel.task, starting_kernel(puzzle), options));
    if (before.work && report.work) print_work(puzzle, *before.work, *report.work);
  } else if (!report.errors.empty()) {
    print_errors(report, kernel);
  } else {
    const FoundFlaw& flaw = report.flaws.front();
    const std::vector<std::string> hints = hints_for(puzzle, flaw);
    const int shown = std::min(options.puzzle.hints, static_cast<int>(hints.size()));
    fmt::print("{}: {}\n", info(flaw.flaw).id, hints.front());
    for (int i = 1; i < shown; ++i) fmt::print("  hint {}: {}\n", i + 1, one_line(hints[i], kernel));
    fmt::print("  seen with {}\n", one_line(flaw.where, kernel));
    if (shown < static_cast<int>(hints.size()))
      fmt::print("  --hints {} shows {} of {} hints\n", shown + 1, shown + 1, hints.size());
  }
  return report.passed() ? 0 : 1;
}

Result<int> puzzle(const Options& options) {
  if (options.puzzle.list) return list();
  const Puzzle* chosen = find_puzzle(options.puzzle.number);
  if (!chosen) return failure(fmt::format("there are puzzles 1 to {}; puzzle --list names them", puzzles().size()));
  if (!options.puzzle.start.empty()) return start(*chosen, options.puzzle.start, false);
  if (!options.puzzle.solution.empty()) return start(*chosen, options.puzzle.solution, true);
  if (!options.in.empty()) return check(*chosen, options);
  fmt::print("{}\n", text_of(*chosen));
  return 0;
}

}  // namespace

int run_puzzle(const Options& options) {
  return status_of(puzzle(options));
}

}  // namespace conv
