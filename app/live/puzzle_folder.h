// The user's kernels for the puzzles: read and written in the folder for what the program remembers, and checked.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "app/live/puzzle.h"

namespace conv {

struct PuzzleKernel {
  int number = 0;  // of the puzzle
  std::string text;
  friend bool operator==(const PuzzleKernel&, const PuzzleKernel&) = default;
};

struct PuzzleFolder {
  std::map<int, std::string> texts;  // by number; of the puzzles that were begun
  std::set<int> passed;
};

struct CheckedPuzzle {
  PuzzleKernel kernel;
  KernelReport report;
  std::optional<WorkDone> before;  // of the kernel that the puzzle starts from; only if this one passed
  std::string result;              // to hand in: JSON
};

// folder: empty if there is none; then nothing is read or written.
Result<PuzzleFolder> read_puzzles(const std::filesystem::path& folder);
// Writes ID.cu there. Nothing is left of the text before: it is the user's own.
Result<void> write_puzzle(const std::filesystem::path& folder, const PuzzleKernel& kernel);
// If it passes, ID.json is written there, the result to hand in.
Result<CheckedPuzzle> check_puzzle(const std::filesystem::path& folder, const PuzzleKernel& kernel,
                                   const std::stop_token& stop);

}  // namespace conv
