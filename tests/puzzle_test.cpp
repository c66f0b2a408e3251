// The puzzles: their solutions pass, and kernels with common mistakes get the right first hint, soon.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/lessons/diagram.h"
#include "app/live/puzzle.h"
#include "kernels/core/file.h"
#include "kernels/cpu/cpu_executor.h"
#include "program.h"
#include "support.h"

namespace conv {

namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The user's time of child processes that have ended, in s.
double time_of_children() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

class Puzzles : public testing::Test {
 protected:
  ProgramOutcome check(int number, const std::string& kernel, const std::string& options = "") const {
    const std::filesystem::path file = folder_ / "kernel.cu";
    EXPECT_TRUE(write_file(file, kernel));
    return run_program(fmt::format("puzzle {} '{}' {}", number, file.string(), options));
  }
  TemporaryFolder folder_;
};

// A solution with one text replaced. Both empty: the kernel that the puzzle starts from.
struct WrongKernel {
  int puzzle;
  std::string_view from, to, flaw;
};
constexpr std::string_view bounds = "if (!target.contains(x, y)) return;", barrier = "__syncthreads();",
                           pixel = "source.load(x + dx, y + dy)";
constexpr WrongKernel wrong_kernels[] = {
    {1, "", "", "memory"},
    {1, bounds, "", "memory"},
    {1, "source.load(x, y)", "source.load(x > 0 ? x - 1 : 0, y)", "moved"},
    {1, bounds, "if (!target.contains(x, y) || x >= 40) return;", "written"},
    {1, bounds, "if (!target.contains(x, y)) return;\n  target.copy(x, y, 0);", "written"},
    {2, "", "", "memory"},
    {2, "x > 0 ? x - 1 : 0", "x - 1", "memory"},
    {2, "x > 0 ? x - 1 : 0", "x > 0 ? x - 1 : last > 0", "edge"},
    {2, "source.load(x > 0 ? x - 1 : 0, y)", "x > 0 ? source.load(x - 1, y) : 0", "edge"},
    {2, "source.width - 1", "16", "memory"},
    {2, "/ 3", "/ 2", "wrong"},
    {3, "", "", "wrong"},
    {3, "dx <= args.radius_x", "dx < args.radius_x", "wrong"},
    {3, "dy = -args.radius_y; dy <= args.radius_y", "dy = -1; dy <= 1", "wrong"},
    {3, bounds, "", "memory"},
    {3, pixel, "source.load(clamped(x + dx, source.width), y + dy)", "edge"},
    {3, pixel, "(source.load(x + dx, y + dy) + source.load(x + dx, y + dy)) / 2", "work"},
    {4, "", "", "work"},
    {4, " + args.first_constant", "", "wrong"},
    {4, "args.first_constant", "3", "wrong"},
    {4, bounds, "", "memory"},
    {4, pixel, "(source.load(x + dx, y + dy) + source.load(x + dx, y + dy)) / 2", "work"},
    {5, "", "", "work"},
    {5, barrier, "", "race"},
    {5, barrier, "if (!target.contains(x, y)) return;\n  __syncthreads();", "barrier"},
    {5, ": source.load(x + dx, y + dy)", ": tile.load(threadIdx.x, threadIdx.y)", "block edges"},
    {5, "tile.store(threadIdx.x, threadIdx.y,", "tile.store(x, y,", "memory"},
    {6, "", "", "work"},
    {6, barrier, "", "race"},
    {6, barrier, "if (!target.contains(x, y)) return;\n  __syncthreads();", "barrier"},
    {6, "left + tx, top", "blockIdx.x * blockDim.x + clamped(tx - args.radius_x, blockDim.x), top", "block edges"},
    {6, "threadIdx.x + dx", "threadIdx.x + dx + 1", "memory"},
    {7, "", "", "work"},
    {7, barrier, "", "race"},
    {7, "i / tile_width,", "i / blockDim.x,", "memory"},
    {7, "i < pixels", "i < threads", "wrong"},
    {7, "i < pixels", "i < 2 * threads", "memory"},
    {8, "", "", "race"},
    {8, "  __syncthreads();\n\n  // Step 3", "\n  // Step 3", "race"},
    {8, "  __syncthreads();\n\n  // Step 4", "\n  // Step 4", "race"},
    {8, barrier, "if (target.contains(x, y)) __syncthreads();", "barrier"},
    {8, "first = 2 * args.radius_x + 1", "first = 5", "memory"},
    {9, "", "", "wrong"},
    {9, "source.load(x, y + dy)", "source.load(x + dy, y)", "wrong"},
    {9, "source.load(x, y + dy)", "source.load(x, clamped(y + dy, source.height))", "edge"},
    {9, "taps[dy + args.radius_y]", "taps[dy]", "memory"},
    {9, "source.load(x, y + dy)", "(source.load(x, y + dy) + source.load(x, y + dy)) / 2", "work"},
    {10, "", "", "work"},
    {10, "(tile_width + 15) / 32 * 32 + 16", "tile_width + 1", "work"},
    {10, "(tile_width + 15) / 32 * 32 + 16", "40", "race"},
    {10, "(tile_width + 15) / 32 * 32 + 16", "2 * tile_width + 32", "memory"},
    {10, barrier, "", "race"},
    {11, "", "", "work"},
    {11, "thread % blockDim.x", "thread % 16", "written"},
    {11, "thread / blockDim.x", "thread / blockDim.y", "written"},
    {11, bounds, "", "memory"},
    {11, pixel, "source.load(x + dx + 1, y + dy)", "moved"},
    {12, "", "", "work"},
    {12, barrier, "", "race"},
    {12, "  __syncthreads();\n  if (", "  if (", "race"},
    {12, "behind_tile = tile_width * tile_height * sizeof(float)", "behind_tile = 0", "race"},
    {12, "  __syncthreads();\n  if (!target.contains(x, y)) return;",
     "  if (!target.contains(x, y)) return;\n  __syncthreads();", "barrier"},
    {12, "taps[first + k]", "taps[k]", "wrong"},
};

class EachPuzzle : public Puzzles, public testing::WithParamInterface<int> {};

TEST_P(EachPuzzle, ItsSolutionPassesAndMistakesGetTheRightFirstHint) {
  const Puzzle& puzzle = *find_puzzle(GetParam());
  const std::string solution = solution_of(puzzle);
  EXPECT_THAT(check(puzzle.number, solution).out, StartsWith("passed: "));
  int count = 0;
  for (const auto& [number, from, to, flaw] : wrong_kernels) {
    if (number != puzzle.number) continue;
    ++count;
    std::string kernel = from.empty() ? starting_kernel(puzzle) : solution;
    if (!from.empty()) {
      const std::size_t at = kernel.find(from);
      ASSERT_NE(at, std::string::npos) << from;
      kernel.replace(at, from.size(), to);
    }
    const double before = time_of_children();
    const ProgramOutcome outcome = check(number, kernel);
    EXPECT_LT(time_of_children() - before, 3) << flaw;
    EXPECT_EQ(outcome.status, 1);
    const auto kind = std::ranges::find(flaws, flaw, &FlawInfo::id);
    const std::vector<std::string> hints = hints_for(puzzle, {.flaw = kind->flaw});
    EXPECT_THAT(outcome.out, StartsWith(fmt::format("{}: {}\n", flaw, hints.front()))) << from << " -> " << to;
    EXPECT_GE(hints.size(), 3u) << "the puzzle has no hints of its own for " << flaw;
  }
  EXPECT_GE(count, 5);
}
INSTANTIATE_TEST_SUITE_P(All, EachPuzzle, testing::Range(1, 13));

TEST_F(Puzzles, AreListed) {
  const ProgramOutcome outcome = run_program("puzzle --list");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 12);
  EXPECT_THAT(outcome.out, StartsWith(" 1  Copy a picture\n"));
  EXPECT_THAT(run_program("puzzle 10").out, StartsWith("# A pitch without conflicts\n"));
}

// The first hint names the symptom, the last one the line.
// With its own plan; the text says nothing of how it is drawn.
TEST_F(Puzzles, HaveAPicture) {
  for (const Puzzle& puzzle : puzzles()) {
    SCOPED_TRACE(puzzle.id);
    const Result<LessonPicture> picture = parse_picture(picture_of(puzzle));
    ASSERT_TRUE(picture) << picture.error().text;
    const CheckCase counted = check_task(check_name(puzzle))->counted;
    const Settings settings{.filter = puzzle.filter};
    LessonFacts facts{.settings = settings, .image = counted.image};
    facts.plans[0] = std::make_shared<const LaunchPlan>(*plan_case(puzzle.launch, counted, cpu_limits()));
    EXPECT_TRUE(diagram_of(*picture, facts));
    EXPECT_THAT(text_of(puzzle), HasSubstr("**Task:**"));
    EXPECT_THAT(text_of(puzzle), Not(HasSubstr("```picture")));
  }
}

TEST_F(Puzzles, ShowMoreHintsOnRequest) {
  std::string kernel = solution_of(*find_puzzle(6));
  kernel.erase(kernel.find(barrier), barrier.size());
  EXPECT_THAT(check(6, kernel).out, Not(HasSubstr("kernel.cu:")));
  const std::string all = check(6, kernel, "--hints 3").out;
  EXPECT_THAT(all, HasSubstr("hint 2: `__syncthreads()` stands between"));
  EXPECT_THAT(all, HasSubstr(fmt::format("hint 3: {}:", (folder_ / "kernel.cu").string())));
}

TEST_F(Puzzles, WriteNewFilesOnly) {
  const std::string file = (folder_ / "mine.cu").string();
  EXPECT_EQ(run_program("puzzle 3 --start " + file).status, 0);
  EXPECT_EQ(*read_file(file), starting_kernel(*find_puzzle(3)));
  EXPECT_EQ(run_program("puzzle 3 --start " + file).status, 2);
  EXPECT_EQ(run_program("puzzle 3 --solution " + file).status, 2);
  EXPECT_EQ(*read_file(file), starting_kernel(*find_puzzle(3)));
}

// For somebody who collects results.
TEST_F(Puzzles, PrintAResultToHandIn) {
  const auto result = nlohmann::json::parse(check(10, solution_of(*find_puzzle(10)), "--json").out);
  EXPECT_EQ(result["passed"], true);
  EXPECT_EQ(result["plan"], "puzzle 10");
  EXPECT_EQ(result["work"]["wavefronts"], 1);
  EXPECT_GT(result["hash"].get<std::string>().size(), 8u);
}

TEST_F(Puzzles, SayWhatCannotBeChecked) {
  for (const char* words : {"puzzle 13", "puzzle 0", "puzzle 1 /nowhere.cu", "puzzle", "puzzle --list 3"})
    EXPECT_EQ(run_program(words).status, 2) << words;
}

}  // namespace

}  // namespace conv
