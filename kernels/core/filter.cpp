#include "kernels/core/filter.h"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace {

Matrix outer(const std::vector<double>& column, const std::vector<double>& row) {
  Matrix matrix{{static_cast<int>(row.size()), static_cast<int>(column.size())}, {}};
  for (double c : column)
    for (double r : row) matrix.values.push_back(c * r);
  return matrix;
}

Result<void> check(const FilterSpec& filter) {
  if (filter.kind == FilterKind::custom) {
    const auto [width, height] = filter.matrix.size;
    if (width % 2 == 0 || height % 2 == 0)
      return failure(
          fmt::format("the matrix is {}x{}; both sides must be odd, so that it has a centre", width, height));
    if (width > 2 * max_radius + 1 || height > 2 * max_radius + 1)
      return failure(fmt::format("the matrix is {}x{}; the largest is {}x{}", width, height, 2 * max_radius + 1,
                                 2 * max_radius + 1));
    if (filter.divisor == 0 || !std::isfinite(filter.divisor))
      return failure("the divisor must be a number other than 0");
    if (!std::isfinite(filter.offset)) return failure("the offset must be a finite number");
    return {};
  }
  if (filter.radius < 0 || filter.radius > max_radius)
    return failure(fmt::format("radius {} is outside 0 to {} px", filter.radius, max_radius));
  if (filter.kind == FilterKind::gaussian && !(filter.sigma >= min_sigma && filter.sigma <= max_sigma))
    return failure(fmt::format("sigma {} is outside {} to {} px", filter.sigma, min_sigma, max_sigma));
  return {};
}

// The factors of a matrix of rank 1, taken from the row and column of its largest value: exact where the matrix is, and
// [1 2 1] stays [1 2 1] up to a factor, where singular vectors would give irrational numbers.
void set_factors(Taps& taps, const Matrix& matrix) {
  const int width = matrix.size.width, height = matrix.size.height;
  const auto largest = std::max_element(matrix.values.begin(), matrix.values.end(),
                                        [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  const int at = static_cast<int>(largest - matrix.values.begin());
  const int pivot_x = at % width, pivot_y = at / width;
  const double pivot = *largest == 0 ? 1 : *largest;
  for (int x = 0; x < width; ++x) taps.row.push_back(static_cast<float>(matrix.values[pivot_y * width + x]));
  for (int y = 0; y < height; ++y)
    taps.column.push_back(static_cast<float>(matrix.values[y * width + pivot_x] / pivot));
}

}  // namespace

std::vector<double> gaussian_taps(double sigma, int radius) {
  std::vector<double> taps;
  for (int x = -radius; x <= radius; ++x) taps.push_back(std::exp(-0.5 * x * x / (sigma * sigma)));
  const double sum = std::accumulate(taps.begin(), taps.end(), 0.0);
  for (double& tap : taps) tap /= sum;
  return taps;
}

Result<Matrix> matrix_of(const FilterSpec& filter) {
  if (const auto checked = check(filter); !checked) return tl::unexpected(checked.error());
  const int side = 2 * filter.radius + 1;
  switch (filter.kind) {
    case FilterKind::gaussian: {
      const std::vector<double> taps = gaussian_taps(filter.sigma, filter.radius);
      return outer(taps, taps);
    }
    case FilterKind::box: {
      const std::vector<double> taps(side, 1.0 / side);
      return outer(taps, taps);
    }
    case FilterKind::identity: {
      std::vector<double> taps(side, 0.0);
      taps[filter.radius] = 1.0;
      return outer(taps, taps);
    }
    case FilterKind::custom: break;
  }
  Matrix matrix = filter.matrix;
  for (double& value : matrix.values) value /= filter.divisor;
  return matrix;
}

Result<Taps> taps_of(const FilterSpec& filter) {
  Result<Matrix> matrix = matrix_of(filter);
  if (!matrix) return tl::unexpected(matrix.error());
  if (filter.mode == FilterMode::convolution) std::reverse(matrix->values.begin(), matrix->values.end());

  Taps taps{.size = matrix->size, .values = {matrix->values.begin(), matrix->values.end()}};
  if (filter.kind == FilterKind::custom) {
    taps.offset = static_cast<float>(filter.offset);
    taps.rank = rank_of(*matrix);
  }
  if (filter.kind == FilterKind::gaussian) {  // both factors sum to 1, as the pivot's row and column would not
    const std::vector<double> factor = gaussian_taps(filter.sigma, filter.radius);
    taps.row.assign(factor.begin(), factor.end());
    taps.column = taps.row;
  } else if (taps.rank <= 1) {
    set_factors(taps, *matrix);
  }
  return taps;
}

int rank_of(const Matrix& matrix) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor> values(matrix.values.data(), matrix.size.height, matrix.size.width);
  const Eigen::VectorXd singular = Eigen::BDCSVD<RowMajor>(values).singularValues();
  return static_cast<int>((singular.array() > 1e-7 * singular[0]).count());
}

Result<Matrix> parse_matrix(std::string_view text) {
  Matrix matrix;
  int columns = 0;
  const auto end_row = [&]() -> Result<void> {
    if (columns == 0) return {};
    if (matrix.size.height > 0 && columns != matrix.size.width)
      return failure(fmt::format("row {} of the matrix has {} numbers, the rows before it have {}",
                                 matrix.size.height + 1, columns, matrix.size.width));
    matrix.size.width = columns;
    ++matrix.size.height;
    columns = 0;
    return {};
  };
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == ';' || c == '\n') {
      if (auto ended = end_row(); !ended) return tl::unexpected(ended.error());
      ++i;
    } else if (c == ' ' || c == ',' || c == '\t' || c == '\r') {
      ++i;
    } else {
      const std::size_t begin = c == '+' ? i + 1 : i;  // from_chars takes no plus sign
      double value = 0;
      const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), value);
      if (error != std::errc{} || !std::isfinite(value)) {
        const std::string_view word = text.substr(i, text.find_first_of(" ,;\t\r\n", i) - i);
        return failure(fmt::format("\"{}\" in the matrix is not a number", word));
      }
      matrix.values.push_back(value);
      ++columns;
      i = end - text.data();
    }
  }
  if (auto ended = end_row(); !ended) return tl::unexpected(ended.error());
  if (matrix.values.empty()) return failure("the matrix is empty; write it like \"1 2 1; 2 4 2; 1 2 1\"");
  return matrix;
}

std::string to_text(const Matrix& matrix) {
  std::string text;
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    if (i > 0) text += i % matrix.size.width == 0 ? "; " : " ";
    text += fmt::format("{:.6g}", matrix.values[i]);
  }
  return text;
}

std::optional<FilterKind> filter_from_id(std::string_view id) {
  for (const FilterInfo& filter : filters)
    if (filter.id == id) return filter.kind;
  return std::nullopt;
}
