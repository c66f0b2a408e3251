// The inner loops of the host variants, in the widest vectors that the processor has: chosen when the program runs.
// Results must not overlap what is read.
#pragma once
#include <string>
#include <vector>

namespace conv {

namespace cpu_rows {

// Sums along rows: to[i] = the sum of taps[k] * row[i + k * step] over k, for i in [0, count). add: to what is there.
void row_sums(const float* row, int step, const float* taps, int terms, float* to, int count, bool add = false);
// Sums along columns, for as many adjacent rows of results as column_results: to[j][i] = the sum of
// taps[k] * rows[j + k][i] over k. So each row that is loaded is used several times. Only the first `results` are
// written; there are results - 1 more rows than terms.
inline constexpr int column_results = 4;
void column_sums(const float* const* rows, const float* taps, int terms, float* const* to, int results, int count);
// Levels as floats, 0 to 255.
void levels_to_floats(const unsigned char* from, float* to, int count);
// Rounded as to_level() does: halves up, NaN becomes 0.
void floats_to_levels(const float* from, float offset, unsigned char* to, int count);
// The same for RGBA; every fourth level comes from `alpha`, which has the same layout.
void floats_to_rgba(const float* from, float offset, const unsigned char* alpha, unsigned char* to, int count);

// The names of those that this processor has, the widest first: "AVX2", "SSE4", "SSE2".
std::vector<std::string> instruction_sets();
// For tests: from now on this one is used; an empty name: the widest.
void use_instruction_set(const std::string& name);

}  // namespace cpu_rows

}  // namespace conv
