// Filters as the user chooses them, and the taps they become.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/geometry.h"

enum class FilterKind { gaussian, box, identity, custom };

struct FilterInfo {
  FilterKind kind;
  std::string_view id, title;
};
inline constexpr std::array filters{
    FilterInfo{FilterKind::gaussian, "gaussian", "Gaussian"},
    FilterInfo{FilterKind::box, "box", "Box"},
    FilterInfo{FilterKind::identity, "identity", "Identity"},
    FilterInfo{FilterKind::custom, "custom", "Custom matrix"},
};

// Convolution turns the matrix by 180 degrees before it meets the image, correlation does not.
enum class FilterMode { convolution, correlation };

constexpr int max_radius = 64;
constexpr double min_sigma = 0.1, max_sigma = 20.0;

// Row-major values; both sides odd, at most 2*max_radius+1.
struct Matrix {
  Size2 size;
  std::vector<double> values;
  friend bool operator==(const Matrix&, const Matrix&) = default;
};

struct FilterSpec {
  FilterKind kind = FilterKind::gaussian;
  double sigma = 2.0;  // px, Gaussian only
  int radius = 5;      // px, all kinds but custom
  Matrix matrix{{3, 3}, {0, -1, 0, -1, 5, -1, 0, -1, 0}};
  double divisor = 1.0;  // custom only; not 0
  double offset = 0.0;   // custom only; 1 is full scale
  FilterMode mode = FilterMode::convolution;
  friend bool operator==(const FilterSpec&, const FilterSpec&) = default;
};

// Taps in the order of correlation, rounded to float once. `row` and `column` are set for a matrix of rank 1:
// taps(x, y) = column(y) * row(x).
struct Taps {
  Size2 size{1, 1};
  std::vector<float> values{1.0f};
  std::vector<float> row, column;
  int rank = 1;
  float offset = 0.0f;  // 1 is full scale

  Size2 radius() const { return {size.width / 2, size.height / 2}; }
  bool separable() const { return !row.empty(); }
};

// exp(-x^2 / (2 sigma^2)) for x in -radius..radius, divided by its sum.
std::vector<double> gaussian_taps(double sigma, int radius);

// The matrix as written by its definition, before it is turned for convolution, divisor applied.
Result<Matrix> matrix_of(const FilterSpec& filter);
Result<Taps> taps_of(const FilterSpec& filter);

// Number of singular values above 1e-7 of the largest: at that size a factor no longer shows in float sums.
int rank_of(const Matrix& matrix);

// "1 2 1; 2 4 2; 1 2 1": rows parted by semicolons or line ends, numbers by blanks or commas.
Result<Matrix> parse_matrix(std::string_view text);
std::string to_text(const Matrix& matrix);

std::optional<FilterKind> filter_from_id(std::string_view id);
