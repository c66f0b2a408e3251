// What the variant "auto" uses: its candidates, compared by measurement.
#pragma once
#include <memory>

#include "app/headless/processor.h"
#include "app/measure/bench_rows.h"
#include "kernels/core/plan.h"

namespace conv {

inline constexpr std::string_view auto_id = "auto";  // id of the variant, and of the jobs that measure for it

// All candidates for this point, and last the variant that is chosen without measurements. No groups for a filter of
// several passes.
BenchJob auto_job(const BenchPoint& point, bool on_gpu);
// The same for images, formats and filters that are near most others.
std::vector<BenchGroup> auto_table(bool on_gpu);
// The rankings of such jobs' rows.
std::shared_ptr<const std::vector<Ranking>> rankings_of(std::span<const BenchRow> rows);

// Gives the variant "auto" the rankings kept for this processor, driver and program version.
void use_kept_rankings(Processor& processor, const BenchEnvironment& environment);
// Keeps new rows of rankings together with the existing ones.
Result<void> keep_rankings(std::span<const BenchRow> rows, const BenchEnvironment& environment);

}  // namespace conv
