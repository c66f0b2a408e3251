// Filters as the user chooses them, and their taps.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/corrections.h"
#include "kernels/core/error.h"
#include "kernels/core/geometry.h"

namespace conv {

enum class FilterKind {
  gaussian,
  gaussian_integer,
  box,
  sobel_x,
  sobel_y,
  edges,
  laplacian,
  edge,
  sharpen,
  unsharp,
  emboss,
  motion,
  random,
  identity,
  custom
};

// The radii that a filter has. any: 0 to max_radius; small: 1 to 4; fixed: one matrix, no radius.
enum class FilterSize { any, small, fixed };

struct FilterInfo {
  FilterKind kind;
  std::string_view id, title;
  std::string_view matrix;  // rows separated by semicolons, before the divisor; empty if a formula gives it
  double divisor = 1;
  FilterSize size = FilterSize::fixed;
  std::string_view source;  // the document, or the formula
  std::string_view notice;  // what to look at
};
inline constexpr std::array filters{
    FilterInfo{FilterKind::gaussian, "gaussian", "Gaussian", "", 1, FilterSize::any,
               "exp(-x\u00b2 / 2\u03c3\u00b2), divided by its sum",
               "Noise disappears first, edges last. Twice the sigma costs four times as much without separation."},
    FilterInfo{FilterKind::gaussian_integer, "gaussian_integer", "Gaussian, integers", "", 1, FilterSize::small,
               "rows of Pascal's triangle: 1 2 1 / 4, 1 4 6 4 1 / 16, ...",
               "Integer taps divided by a power of two: exact in every format."},
    FilterInfo{FilterKind::box, "box", "Box", "", 1, FilterSize::any, "1 / (2R+1)\u00b2",
               "Squares around every light show the shape of the window."},
    FilterInfo{FilterKind::sobel_x, "sobel_x", "Sobel X", "-1 0 1; -2 0 2; -1 0 1", 1, FilterSize::fixed,
               "[1 2 1] down times [-1 0 1] across; convolution has the opposite sign of scipy.ndimage.sobel",
               "Vertical edges; convolution and correlation differ in sign."},
    FilterInfo{FilterKind::sobel_y, "sobel_y", "Sobel Y", "-1 -2 -1; 0 0 0; 1 2 1", 1, FilterSize::fixed,
               "[-1 0 1] down times [1 2 1] across; convolution has the opposite sign of scipy.ndimage.sobel",
               "Horizontal edges: the horizon stays, the mast disappears."},
    FilterInfo{FilterKind::edges, "edges", "Edges (Sobel magnitude)", "", 1, FilterSize::any,
               "Gaussian, then sqrt(Sobel X\u00b2 + Sobel Y\u00b2)",
               "Four launches in most variants, one in fused_blur_sobel."},
    FilterInfo{FilterKind::laplacian, "laplacian", "Laplacian", "0 1 0; 1 -4 1; 0 1 0", 1, FilterSize::fixed,
               "second derivative in x plus in y",
               "Zero on linear ramps. Each edge gives two results of opposite sign."},
    FilterInfo{FilterKind::edge, "edge", "Edge, 8 neighbours", "-1 -1 -1; -1 8 -1; -1 -1 -1", 8, FilterSize::fixed,
               "the pixel minus the mean of its 8 neighbours", "The sum is 0: uniform areas become black."},
    FilterInfo{FilterKind::sharpen, "sharpen", "Sharpen", "0 -1 0; -1 5 -1; 0 -1 0", 1, FilterSize::fixed,
               "identity minus Laplacian", "Bright and dark lines beside every edge; noise becomes stronger too."},
    FilterInfo{FilterKind::unsharp, "unsharp", "Unsharp mask",
               "-1 -4 -6 -4 -1; -4 -16 -24 -16 -4; -6 -24 476 -24 -6; -4 -16 -24 -16 -4; -1 -4 -6 -4 -1", 256,
               FilterSize::fixed, "twice the image minus its 5x5 Gaussian", "A softer sharpen; its rank is 2, not 1."},
    FilterInfo{FilterKind::emboss, "emboss", "Emboss", "-2 -1 0; -1 1 1; 0 1 2", 1, FilterSize::fixed,
               "a slope along the diagonal plus the pixel", "Looks like light from one corner."},
    FilterInfo{FilterKind::motion, "motion", "Motion blur", "", 1, FilterSize::any,
               "a line of length 2R+1 at an angle, each pixel weighted by its coverage",
               "Not separable unless the line is horizontal or vertical."},
    FilterInfo{FilterKind::random, "random", "Random", "", 1, FilterSize::any,
               "uniform in -1 to 1 by seed, divided by the sum of magnitudes",
               "Full rank, no symmetry: errors that other filters hide are visible here."},
    FilterInfo{FilterKind::identity, "identity", "Identity", "", 1, FilterSize::any, "1 in the centre",
               "Nothing changes, to the last bit, at any size."},
    FilterInfo{FilterKind::custom, "custom", "Custom matrix", "", 1, FilterSize::fixed, "yours",
               "The badge says whether it is the product of a column and a row."},
};
constexpr const FilterInfo& info(FilterKind kind) {
  return filters[static_cast<std::size_t>(kind)];
}

// Convolution rotates the matrix by 180 degrees, correlation does not.
enum class FilterMode { convolution, correlation };

constexpr int max_radius = 64;  // px
constexpr double max_strength = 10;
constexpr double min_sigma = 0.1, max_sigma = 20.0;
// Limits of a custom matrix: beyond them float sums overflow or vanish, and variants would differ.
constexpr double max_tap = 1e9, min_divisor = 1e-9, max_divisor = 1e9;
// The radius for a sigma: 99.7 % of a Gaussian are within three sigma. sigma: min_sigma to max_sigma.
inline int radius_for_sigma(double sigma) {
  return std::min(static_cast<int>(std::ceil(3 * sigma - 1e-9)), max_radius);
}
// The sigma for a radius in sweeps over the radius: at the edge the Gaussian has fallen to 4 % of its height.
constexpr double sigma_for(int radius) {
  return radius > 1 ? radius / 2.5 : 0.4;
}

// Row-major values; both sides are odd, at most 2*max_radius+1.
struct Matrix {
  Size2 size;
  std::vector<double> values;
  friend bool operator==(const Matrix&, const Matrix&) = default;
};

struct FilterSpec {
  FilterKind kind = FilterKind::gaussian;
  double sigma = 2.0;       // px, Gaussian only
  int radius = 5;           // px; the range depends on FilterSize
  double angle = 30;        // degrees counterclockwise from the x axis, motion only
  std::uint32_t seed = 42;  // random only
  double strength = 1.0;    // sharpen, unsharp and emboss: 0 leaves the image unchanged
  Matrix matrix{{3, 3}, {0, -1, 0, -1, 5, -1, 0, -1, 0}};
  double divisor = 1.0;  // custom only; not 0
  double offset = 0.0;   // 1 is full scale
  FilterMode mode = FilterMode::convolution;
  friend bool operator==(const FilterSpec&, const FilterSpec&) = default;
};

// Taps in correlation order, rounded to float once. `row` and `column` are set if the matrix has rank 1: taps(x, y) =
// column(y) * row(x).
struct Taps {
  Size2 size{1, 1};
  std::vector<float> values{1.0f};
  std::vector<float> row, column;
  int rank = 1;
  float offset = 0.0f;  // 1 is full scale
  // The r row-times-column passes whose sum is a matrix of rank r, largest first; empty if the rank is 1.
  struct Factors {
    std::vector<float> row, column;
  };
  std::vector<Factors> factors;
  // For "edges": the blur, Sobel X, Sobel Y. The result is the magnitude of the last two, applied to the blurred image.
  std::vector<Taps> chain;

  Size2 radius() const { return {size.width / 2, size.height / 2}; }
  bool separable() const { return !row.empty(); }
  bool equal() const;     // all taps are equal, as in a box
  bool negative() const;  // results can be below 0
};

constexpr bool has_sigma(FilterKind kind) {
  return kind == FilterKind::gaussian || kind == FilterKind::edges;
}
// The radii of a filter, px. A filter of a fixed size keeps any: it has no effect.
struct RadiusRange {
  int least, most;
};
constexpr RadiusRange radius_range(FilterKind kind) {
  return info(kind).size == FilterSize::small ? RadiusRange{1, 4} : RadiusRange{0, max_radius};
}
// Brings every value into its range, and the radius into the range of the kind. A matrix that cannot be used becomes
// the default matrix. This is for saved settings; why_invalid() refuses what somebody asks for now.
Corrections normalise(FilterSpec& filter);
// The first value that is outside its range, in words; empty if there is none.
std::string why_invalid(FilterSpec filter);
// Another filter with the same sliders; the radius is brought into its range.
void choose_kind(FilterSpec& filter, FilterKind kind);

// Filters of the form identity + strength * (matrix - identity).
constexpr bool has_strength(FilterKind kind) {
  return kind == FilterKind::sharpen || kind == FilterKind::unsharp || kind == FilterKind::emboss;
}

// exp(-x^2 / (2 sigma^2)) for x in -radius..radius, divided by its sum.
std::vector<double> gaussian_taps(double sigma, int radius);

// The matrix as defined, divided by the divisor, not rotated for convolution. "edges" has several: the stages before
// the magnitude, blur first.
std::vector<FilterSpec> stages_of(const FilterSpec& filter);
Result<Matrix> matrix_of(const FilterSpec& filter);
Result<Taps> taps_of(const FilterSpec& filter);

// "1 2 1; 2 4 2; 1 2 1": rows separated by semicolons or line breaks, numbers by spaces or commas.
Result<Matrix> parse_matrix(std::string_view text);
std::string to_text(const Matrix& matrix);

std::optional<FilterKind> filter_from_id(std::string_view id);

}  // namespace conv
