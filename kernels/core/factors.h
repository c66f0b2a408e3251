// A matrix as a sum of columns times rows: its singular value decomposition.
#pragma once
#include <vector>

#include "kernels/core/filter.h"

namespace conv {

struct Factor {
  double value = 0;                 // singular value
  std::vector<double> row, column;  // each scaled by the root of the value: the term is column(y) * row(x)
};
// All terms, the largest value first. Their sum equals the matrix to 1e-12 of its largest value. Computed from the
// eigenvectors v of A^T A: a row is v, a column is A v. Values below 1e-8 of the largest are not exact.
std::vector<Factor> factors_of(const Matrix& matrix);

// The number of values above 1e-7 of the largest; smaller factors are lost in float sums.
int rank_of(const std::vector<Factor>& factors);
int rank_of(const Matrix& matrix);
// The largest difference between the matrix and the sum of its first `terms` terms, relative to its largest value.
double rank_error(const Matrix& matrix, int terms);

}  // namespace conv
