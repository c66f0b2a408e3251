// What the variant "auto" goes by: its candidates, measured against each other.
#pragma once
#include <memory>

#include "app/measure/bench.h"
#include "kernels/core/plan.h"

namespace conv {

inline constexpr std::string_view auto_id = "auto";  // of the variant, and of the jobs that measure for it

// All that could be chosen for this point, and at the end what is chosen before they are measured. No groups for a
// filter of several passes.
BenchJob auto_job(const BenchPoint& point, bool on_gpu);
// The same for images, formats and filters that between them are near to most.
std::vector<BenchGroup> auto_table(bool on_gpu);
// Of rows of such jobs.
std::shared_ptr<const std::vector<Ranking>> rankings_of(std::span<const BenchRow> rows);

}  // namespace conv
