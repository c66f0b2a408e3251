#include "app/live/puzzle_folder.h"

#include <fmt/format.h>

#include "app/live/kernel_report.h"
#include "kernels/core/file.h"

namespace conv {

static std::filesystem::path file_of(const std::filesystem::path& folder, int number, const char* ending) {
  return folder / fmt::format("{}{}", find_puzzle(number)->id, ending);
}

Result<PuzzleFolder> read_puzzles(const std::filesystem::path& folder) {
  PuzzleFolder puzzle_folder;
  if (folder.empty()) return puzzle_folder;
  for (const Puzzle& puzzle : puzzles()) {
    if (const auto text = read_file(file_of(folder, puzzle.number, ".cu"), most_kernel_bytes))
      puzzle_folder.texts[puzzle.number] = *text;
    if (file_exists(file_of(folder, puzzle.number, ".json"))) puzzle_folder.passed.insert(puzzle.number);
  }
  return puzzle_folder;
}

Result<void> write_puzzle(const std::filesystem::path& folder, const PuzzleKernel& kernel) {
  if (folder.empty()) return {};
  return write_file_and_folders(file_of(folder, kernel.number, ".cu"), kernel.text);
}

Result<CheckedPuzzle> check_puzzle(const std::filesystem::path& folder, const PuzzleKernel& kernel,
                                   const std::stop_token& stop) {
  const Puzzle& puzzle = *find_puzzle(kernel.number);
  const CheckedKernel checked{
      .task = check_name(puzzle), .text = kernel.text, .shown = fmt::format("{}.cu", puzzle.id)};
  KernelReport report = CONV_TRY(check_kernel(checked.task, kernel.text, stop));
  CheckedPuzzle answer{.kernel = kernel, .result = report_json(report, checked)};
  if (report.passed()) {
    answer.before = CONV_TRY(check_kernel(checked.task, starting_kernel(puzzle), stop)).work;
    if (!folder.empty()) CONV_TRY(write_file_and_folders(file_of(folder, kernel.number, ".json"), answer.result));
  }
  answer.report = std::move(report);
  return answer;
}

}  // namespace conv
