// Exercises in writing kernels: each has a text, a kernel to start from, checks, hints and a solution.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/live/kernel_check.h"

namespace conv {

struct Puzzle {
  int number;                           // from 1
  std::string_view id;                  // its files are kernels/puzzles/ID.md, ID.cu and ID_solution.cu
  Variant launch;                       // how its kernel is launched; its kernel file is declared_kernel_file
  FilterSpec filter;                    // with which its work is counted
  std::vector<FilterSpec> others = {};  // with which it is checked, too
  std::vector<Border> paddings = {Border::replicate, Border::zero, Border::mirror};
  std::vector<Size2> blocks = {{16, 16}, {8, 8}, {32, 8}, {13, 7}};
  std::string_view begins_with = {};  // the puzzle whose solution is the kernel to begin with; then there is no ID.cu
  std::vector<Allowance> allowed = {};
};

std::span<const Puzzle> puzzles();
// Null if there is none.
const Puzzle* find_puzzle(int number);
// The name of its checks for check_kernel.
std::string check_name(const Puzzle& puzzle);

std::string title_of(const Puzzle& puzzle);
// Markdown, with the title, without the hints and the picture.
std::string text_of(const Puzzle& puzzle);
// The picture of its idea, as in a lesson.
std::string picture_of(const Puzzle& puzzle);
std::string starting_kernel(const Puzzle& puzzle);
std::string solution_of(const Puzzle& puzzle);
// From the first, which names the symptom, to the last, which names the place.
std::vector<std::string> hints_for(const Puzzle& puzzle, const FoundFlaw& flaw);

}  // namespace conv
