#include "kernels/core/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <random>
#include <span>

#include "kernels/core/factors.h"

namespace conv {

namespace {

Matrix outer(const std::vector<double>& column, const std::vector<double>& row) {
  Matrix matrix{{static_cast<int>(row.size()), static_cast<int>(column.size())}, {}};
  for (double c : column)
    for (double r : row) matrix.values.push_back(c * r);
  return matrix;
}

// Why a matrix that the user wrote cannot be used; empty if it can.
std::string wrong_with(const Matrix& matrix, double divisor) {
  const auto [width, height] = matrix.size;
  if (width % 2 == 0 || height % 2 == 0)
    return fmt::format("the matrix is {}x{}; both sides must be odd, so that it has a centre", width, height);
  constexpr int most = 2 * max_radius + 1;
  if (width > most || height > most)
    return fmt::format("the matrix is {}x{}; the largest is {}x{}", width, height, most, most);
  const auto usable = [&](double value) { return std::fabs(value / divisor) <= max_tap; };
  if (!std::all_of(matrix.values.begin(), matrix.values.end(), usable))
    return fmt::format("the matrix divided by the divisor has a number beyond {}", max_tap);
  return {};
}

// The factors of a matrix of rank 1, from the row and column of its largest value. They are exact if the matrix is: [1
// 2 1] stays [1 2 1] up to a factor, where singular vectors would give irrational numbers.
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

// Row n of Pascal's triangle divided by 2^n.
std::vector<double> binomial_taps(int radius) {
  std::vector<double> taps{1.0};
  for (int n = 1; n <= 2 * radius; ++n) {
    taps.push_back(0.0);
    for (int i = n; i >= 0; --i) taps[i] = (taps[i] + (i > 0 ? taps[i - 1] : 0)) / 2;
  }
  return taps;
}

// A line through the centre, sampled every quarter pixel. Each sample is distributed to the four pixels around it.
Matrix motion_matrix(int radius, double angle) {
  const int side = 2 * radius + 1;
  Matrix matrix{{side, side}, std::vector<double>(static_cast<std::size_t>(side) * side, 0.0)};
  const double turn = angle * 3.14159265358979323846 / 180;
  // Horizontal and vertical lines hit whole pixels: the cosine of 90 degrees must be exactly 0.
  const auto crisp = [](double v) { return std::fabs(v) < 1e-12 ? 0.0 : v; };
  const double dx = crisp(std::cos(turn)), dy = crisp(-std::sin(turn));
  double total = 0;
  for (int i = -4 * radius; i <= 4 * radius; ++i) {
    const double x = radius + dx * i / 4, y = radius + dy * i / 4;
    const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
    for (int j = 0; j < 4; ++j) {
      const int px = left + j % 2, py = top + j / 2;
      const double share = (1 - std::fabs(x - px)) * (1 - std::fabs(y - py));
      if (share <= 0 || px >= side || py >= side) continue;
      matrix.values[static_cast<std::size_t>(py) * side + px] += share;
      total += share;
    }
  }
  for (double& value : matrix.values) value /= total;
  return matrix;
}

Matrix random_matrix(int radius, std::uint32_t seed) {
  const int side = 2 * radius + 1;
  std::mt19937 random(seed);
  Matrix matrix{{side, side}, {}};
  double total = 0;
  for (int i = 0; i < side * side; ++i) {
    matrix.values.push_back(static_cast<double>(random()) / 2147483648.0 - 1);
    total += std::fabs(matrix.values.back());
  }
  for (double& value : matrix.values) value /= total;
  return matrix;
}

// The table's matrix, interpolated from the identity by the strength.
Matrix table_matrix(const FilterInfo& row, double strength) {
  Matrix matrix = *parse_matrix(row.matrix);
  const std::size_t centre = matrix.values.size() / 2;
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    const double identity = i == centre ? 1 : 0, value = matrix.values[i] / row.divisor;
    matrix.values[i] = has_strength(row.kind) ? identity + strength * (value - identity) : value;
  }
  return matrix;
}

}  // namespace

bool Taps::equal() const {
  return chain.empty() && std::all_of(values.begin(), values.end(), [&](float tap) { return tap == values.front(); });
}
bool Taps::negative() const {
  return offset < 0 || std::any_of(values.begin(), values.end(), [](float tap) { return tap < 0; });
}

Corrections normalise(FilterSpec& filter) {
  const FilterSpec standard;
  Corrections corrections;
  Corrections of_sigma;
  bring_into_range(filter.sigma, min_sigma, max_sigma, standard.sigma, "sigma", "px", of_sigma);
  if (has_sigma(filter.kind))
    corrections = std::move(of_sigma);  // otherwise sigma has no effect and is not worth a message
  bring_into_range(filter.radius, 0, max_radius, standard.radius, "radius", "px", corrections);
  if (const auto [least, most] = radius_range(filter.kind); filter.radius < least || filter.radius > most) {
    corrections.push_back(fmt::format("{} has radius {} to {}, sides 3, 5, 7 and 9; not {}", info(filter.kind).id,
                                      least, most, filter.radius));
    choose_kind(filter, filter.kind);
  }
  bring_into_range(filter.angle, -360, 360, standard.angle, "angle", "degrees", corrections);
  bring_into_range(filter.strength, 0, max_strength, standard.strength, "strength", "", corrections);
  bring_into_range(filter.offset, -1000, 1000, standard.offset, "offset", "", corrections);
  if (!(std::fabs(filter.divisor) >= min_divisor && std::fabs(filter.divisor) <= max_divisor)) {
    corrections.push_back(
        fmt::format("the divisor must be a number other than 0, its size from {} to {}", min_divisor, max_divisor));
    filter.divisor = standard.divisor;
  }
  if (const std::string wrong = wrong_with(filter.matrix, filter.divisor); !wrong.empty()) {
    corrections.push_back(wrong);
    filter.matrix = standard.matrix;
  }
  return corrections;
}

void choose_kind(FilterSpec& filter, FilterKind kind) {
  filter.kind = kind;
  const auto [least, most] = radius_range(kind);
  filter.radius = std::clamp(filter.radius, least, most);
}

std::string why_invalid(FilterSpec filter) {
  const Corrections wrong = normalise(filter);
  return wrong.empty() ? "" : wrong.front();
}

std::vector<FilterSpec> stages_of(const FilterSpec& filter) {
  if (filter.kind != FilterKind::edges) return {filter};
  FilterSpec blur = filter, x = filter, y = filter;
  blur.kind = FilterKind::gaussian;
  x.kind = FilterKind::sobel_x;
  y.kind = FilterKind::sobel_y;
  blur.offset = x.offset = y.offset = 0;
  return {blur, x, y};
}

std::vector<double> gaussian_taps(double sigma, int radius) {
  std::vector<double> taps;
  for (int x = -radius; x <= radius; ++x) taps.push_back(std::exp(-0.5 * x * x / (sigma * sigma)));
  const double sum = std::accumulate(taps.begin(), taps.end(), 0.0);
  for (double& tap : taps) tap /= sum;
  return taps;
}

Result<Matrix> matrix_of(const FilterSpec& filter) {
  if (std::string wrong = why_invalid(filter); !wrong.empty()) return failure(std::move(wrong));
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
    case FilterKind::gaussian_integer: {
      const std::vector<double> taps = binomial_taps(filter.radius);
      return outer(taps, taps);
    }
    case FilterKind::motion: return motion_matrix(filter.radius, filter.angle);
    case FilterKind::random: return random_matrix(filter.radius, filter.seed);
    case FilterKind::edges:  // the radius of the blur stage
      return matrix_of(stages_of(filter).front());
    case FilterKind::custom: {
      Matrix matrix = filter.matrix;
      for (double& value : matrix.values) value /= filter.divisor;
      return matrix;
    }
    default: return table_matrix(info(filter.kind), filter.strength);
  }
}

Result<Taps> taps_of(const FilterSpec& filter) {
  Matrix matrix = CONV_TRY(matrix_of(filter));
  if (filter.mode == FilterMode::convolution) std::reverse(matrix.values.begin(), matrix.values.end());

  Taps taps{.size = matrix.size, .values = {matrix.values.begin(), matrix.values.end()}};
  taps.offset = static_cast<float>(filter.offset);
  if (filter.kind == FilterKind::edges) {
    for (const FilterSpec& stage : stages_of(filter)) taps.chain.push_back(*taps_of(stage));
    taps.row = taps.chain.front().row;
    taps.column = taps.chain.front().column;
    return taps;
  }
  // Known to be separable: large matrices are not decomposed while a slider is dragged.
  const bool product = filter.kind == FilterKind::gaussian || filter.kind == FilterKind::gaussian_integer ||
                       filter.kind == FilterKind::box || filter.kind == FilterKind::identity;
  if (filter.kind == FilterKind::gaussian) {  // both factors sum to 1, which the pivot's row and column would not
    const std::vector<double> factor = gaussian_taps(filter.sigma, filter.radius);
    taps.row.assign(factor.begin(), factor.end());
    taps.column = taps.row;
    return taps;
  }
  std::vector<Factor> factors;
  if (!product) {
    factors = factors_of(matrix);
    taps.rank = rank_of(factors);
  }
  if (taps.rank <= 1) {
    set_factors(taps, matrix);
  } else {
    for (const Factor& factor : std::span(factors).first(taps.rank))
      taps.factors.push_back({{factor.row.begin(), factor.row.end()}, {factor.column.begin(), factor.column.end()}});
  }
  return taps;
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
      CONV_TRY(end_row());
      ++i;
    } else if (c == ' ' || c == ',' || c == '\t' || c == '\r') {
      ++i;
    } else {
      const std::size_t begin = c == '+' ? i + 1 : i;  // from_chars does not accept a plus sign
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
  CONV_TRY(end_row());
  if (matrix.values.empty()) return failure("the matrix is empty; write it as \"1 2 1; 2 4 2; 1 2 1\"");
  return matrix;
}

std::string to_text(const Matrix& matrix) {
  std::string text;
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    if (i > 0) text += i % matrix.size.width == 0 ? "; " : " ";
    text += fmt::format("{}", matrix.values[i]);  // the fewest digits that give the same number again
  }
  return text;
}

std::optional<FilterKind> filter_from_id(std::string_view id) {
  for (const FilterInfo& filter : filters)
    if (filter.id == id) return filter.kind;
  return std::nullopt;
}

}  // namespace conv
