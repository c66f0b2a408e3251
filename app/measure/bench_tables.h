// The rows of a sweep as text: for a spreadsheet, for a page, and in words.
#pragma once
#include "app/measure/bench_rows.h"

namespace conv {

// "faster than global", "tie with constant, less exact", "1.044 copies (1.039 to 1.046), GPU throttling: power limit",
// with the interval of the ratio. Empty if there is nothing to say.
std::string verdict_text(const BenchRow& row);

// One row per configuration under one header; names include units. `time`, in ms, and its neighbouring columns are
// those of S2's program.
std::string csv_header();
std::string csv_line(const BenchRow& row, const BenchEnvironment& environment);
std::string markdown_table(std::span<const BenchRow> rows, const BenchEnvironment& environment, BenchClock clock);

}  // namespace conv
