#include "kernels/core/factors.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace conv {

std::vector<Factor> factors_of(const Matrix& matrix) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor> a(matrix.values.data(), matrix.size.height, matrix.size.width);
  // Plain loops: Eigen's blocked products take five seconds longer to compile, and matrices have at most 129 rows.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(Eigen::MatrixXd(a.transpose().lazyProduct(a)));
  const Eigen::MatrixXd& rows = solver.eigenvectors();
  const Eigen::MatrixXd columns = a.lazyProduct(rows);
  std::vector<Factor> factors;
  for (Eigen::Index i = 0; i < rows.cols(); ++i) {
    const double value = columns.col(i).norm(), root = std::sqrt(value);
    Factor& factor = factors.emplace_back(Factor{.value = value});
    for (const double x : rows.col(i)) factor.row.push_back(x * root);
    for (const double y : columns.col(i)) factor.column.push_back(value > 0 ? y / root : 0);
  }
  std::ranges::stable_sort(factors, std::greater{}, &Factor::value);
  return factors;
}

int rank_of(const std::vector<Factor>& factors) {
  return static_cast<int>(
      std::ranges::count_if(factors, [&](const Factor& f) { return f.value > 1e-7 * factors.front().value; }));
}

int rank_of(const Matrix& matrix) {
  return rank_of(factors_of(matrix));
}

double rank_error(const Matrix& matrix, int terms) {
  const std::vector<Factor> factors = factors_of(matrix);
  double error = 0, largest = 1e-300;
  for (int y = 0; y < matrix.size.height; ++y)
    for (int x = 0; x < matrix.size.width; ++x) {
      const double value = matrix.values[y * matrix.size.width + x];
      double sum = 0;
      for (int i = 0; i < std::min(terms, static_cast<int>(factors.size())); ++i)
        sum += factors[i].column[y] * factors[i].row[x];
      error = std::max(error, std::fabs(value - sum));
      largest = std::max(largest, std::fabs(value));
    }
  return error / largest;
}

}  // namespace conv
