// The inner loops of the host variants, in the widest vectors that the processor has: chosen when the program runs.
// Results must not overlap what is read.
#pragma once
#include <span>
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
// Sums of `terms` numbers by doubling: the sum of 2n numbers is one of n numbers plus another. The lengths that are
// binary digits of `terms` make up the result. `terms` is odd.
struct DoublingStep {
  const float* other;  // sums of half as many rows, which end where those of the rows before begin
  const float* part;   // sums of this length that are part of the result; null: none are
  float* sums;         // the sums of this length that end with the new row are stored here
};
// One more row: to[i] = row[i] + the parts of all steps, which have the lengths 2, 4, 8...
void doubling_columns(const float* row, std::span<const DoublingStep> steps, float* to, int count);
// to[i] = factor * the sum of row[i + k * step] over k, for i in [0, count). scratch: as long as the row.
void doubling_row(const float* row, int step, int terms, float factor, float* scratch, float* to, int count);
// The same for levels, whose sums are exact, so that they can move: sums[i] += entering[i] - leaving[i] ...
void move_sums(const float* entering, const float* leaving, int* sums, int count);
// ... and to[i] = factor * the sum of row[i + k * step] over k, for i in [0, count). step: 1, 3 or 4.
void moving_row(const int* row, int step, int terms, float factor, float* to, int count);
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
