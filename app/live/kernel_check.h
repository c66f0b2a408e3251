// Checks a kernel file that was edited after the program was built, maybe by somebody else: it is compiled for the CPU
// by the system's compiler and run in a confined process of its own, against the reference and with every access
// watched.
#pragma once
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/live/check_task.h"
#include "app/live/kernel_process.h"
#include "app/live/kernel_worker.h"
#include "kernels/core/error.h"

namespace conv {

// What can be wrong with a kernel, the most serious first: what comes later is often a consequence. Of a wrong result,
// the most special of wrong, moved, block_edges, edge that fits all pictures.
enum class Flaw { memory, endless, barrier, race, written, wrong, moved, block_edges, edge, work };
struct FlawInfo {
  Flaw flaw;
  std::string_view id, hint;
};
// In the order of Flaw.
inline constexpr FlawInfo flaws[]{
    {Flaw::memory, "memory", "The kernel accesses memory that is not its own."},
    {Flaw::endless, "endless", "The kernel does not end."},
    {Flaw::barrier, "barrier", "Only some threads of the block reach a barrier."},
    {Flaw::race, "race", "Threads exchange values through shared memory without a barrier in between."},
    {Flaw::written, "written", "Each pixel of the result has to be written exactly once."},
    {Flaw::wrong, "wrong", "The result differs from the reference."},
    {Flaw::moved, "moved", "Away from the edge, each pixel has the right value of its neighbour."},
    {Flaw::block_edges, "block edges", "Only pixels near the edge of a block are wrong."},
    {Flaw::edge, "edge", "Only pixels near the edge of the picture are wrong."},
    {Flaw::work, "work", "The result is right, but the kernel does more than is allowed here."},
};
constexpr const FlawInfo& info(Flaw flaw) {
  return flaws[static_cast<std::size_t>(flaw)];
}

struct FoundFlaw {
  Flaw flaw;
  std::string text;   // with the line of the kernel, the block and the thread or the pixel
  std::string where;  // the case in which it was seen first: size, format, padding, filter, block
  int cases = 1;      // in which it was seen
};

struct KernelReport {
  std::string errors;            // the compiler's; then nothing was checked
  int checked = 0;               // cases
  std::vector<FoundFlaw> flaws;  // ranked; at most one of each kind
  std::optional<WorkDone> work;  // none if a case had to be stopped, or the variant refuses the counted case
  bool passed() const { return errors.empty() && flaws.empty() && checked > 0; }
};

constexpr std::size_t most_kernel_bytes = std::size_t{1} << 20;

// task: the id of a check_task. text: of a file that takes the place of its variant's kernel file. Takes about two
// seconds, and at most a minute. Fails if there is no compiler, if the process cannot be confined, if it ended without
// a report, or if nothing was checked: a report that is returned names errors or flaws, or the kernel has passed.
Result<KernelReport> check_kernel(std::string_view task, const std::string& text, const std::stop_token& stop = {});

struct RunningKernel {
  KernelReport report;
  std::shared_ptr<const KernelProcess> process;  // null unless it passed
};
// The same; a kernel that passes stays in its process, ready to run. instances: that are needed, besides those of the
// check.
Result<RunningKernel> check_and_start(std::string_view task, const std::string& text,
                                      const std::set<std::string>& instances, const std::stop_token& stop);

}  // namespace conv
