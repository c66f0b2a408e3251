// What a check of a kernel runs: with which plan, over which pictures, and how much work it allows.
#pragma once
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/check/check_cases.h"

namespace conv {

// Work of a kernel on memory, counted in the block in the middle of a picture, over all passes.
enum class Work { global_reads, reads_of_a_thread, sectors, taps_in_global_memory, shared_reads, wavefronts };
struct WorkInfo {
  Work work;
  std::string_view id, title;
};
// In the order of Work.
inline constexpr std::array kinds_of_work{
    WorkInfo{Work::global_reads, "global_reads", "pixels read from global memory, per pixel of the result"},
    WorkInfo{Work::reads_of_a_thread, "reads_of_a_thread", "pixels read from global memory, by the busiest thread"},
    WorkInfo{Work::sectors, "sectors", "sectors of 32 bytes per request of global memory"},
    WorkInfo{Work::taps_in_global_memory, "taps_in_global_memory",
             "taps read from global memory, per pixel of the result"},
    WorkInfo{Work::shared_reads, "shared_reads", "pixels read from shared memory, per pixel of the result"},
    WorkInfo{Work::wavefronts, "wavefronts", "wavefronts of shared memory, 1 without bank conflicts"},
};
using WorkDone = std::array<double, kinds_of_work.size()>;
WorkDone work_done(const LaunchPlan& plan);

struct Allowance {
  Work work;
  double most;
};

struct CheckTask {
  const Variant* variant;
  std::vector<CheckCase> cases;
  CheckCase counted;  // the case whose work is counted
  std::vector<Allowance> allowed = {};
};

// id: of a variant or of a declared plan: "direct", "tiled", "two-pass"; or check_name of a puzzle. None if there is
// no such.
std::optional<CheckTask> check_task(std::string_view id);

// The kernel instances that its cases need, and these.
std::set<std::string> instances_of(const CheckTask& task, std::set<std::string> more);

}  // namespace conv
