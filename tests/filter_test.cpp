#include <cmath>
#include <numeric>

#include "kernels/core/factors.h"
#include "support.h"

namespace conv {

namespace {

TEST(Filter, GaussianSumsToOneBeforeRounding) {
  for (const double sigma : {0.1, 0.5, 2.0, 20.0})
    for (const int radius : {0, 1, 5, 64}) {
      const std::vector<double> taps = gaussian_taps(sigma, radius);
      EXPECT_NEAR(std::accumulate(taps.begin(), taps.end(), 0.0), 1.0, 1e-15) << sigma << " " << radius;
    }
}

// The exact Gaussian of S3's "sigma 2, R 5" (checklist row 168), where the article prints nine values whose sum is
// 1.283.
TEST(Filter, GaussianHasTheTrueBell) {
  const std::vector<double> taps = gaussian_taps(2.0, 5);
  const double expected[] = {.0088, .0271, .0651, .1216, .1770, .2006};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(taps[i], expected[i], 5e-5);
}

TEST(Filter, ConvolutionTurnsTheMatrixAndCorrelationDoesNot) {
  FilterSpec filter{.kind = FilterKind::custom, .matrix = {{3, 1}, {1, 2, 3}}};
  EXPECT_EQ(taps_of(filter)->values, (std::vector<float>{3, 2, 1}));
  filter.mode = FilterMode::correlation;
  EXPECT_EQ(taps_of(filter)->values, (std::vector<float>{1, 2, 3}));
}

TEST(Filter, SobelIsSeparableIntoItsFactors) {
  const FilterSpec sobel{
      .kind = FilterKind::custom, .matrix = {{3, 3}, {-1, 0, 1, -2, 0, 2, -1, 0, 1}}, .mode = FilterMode::correlation};
  const Taps taps = *taps_of(sobel);
  EXPECT_EQ(taps.rank, 1);
  EXPECT_EQ(taps.row, (std::vector<float>{-2, 0, 2}));
  EXPECT_EQ(taps.column, (std::vector<float>{0.5, 1, 0.5}));
}

// Checklist rows 44 to 57: what the table says about each filter, and what each must preserve.
TEST(Filter, EveryRowOfTheTableIsWhatItSays) {
  for (const FilterInfo& row : filters) {
    SCOPED_TRACE(std::string(row.id));
    EXPECT_EQ(info(row.kind).id, row.id);
    EXPECT_FALSE(row.source.empty() || row.notice.empty());
    const Matrix matrix = *matrix_of({.kind = row.kind, .radius = 3});
    const double sum = std::accumulate(matrix.values.begin(), matrix.values.end(), 0.0);
    const bool derivative = row.kind == FilterKind::sobel_x || row.kind == FilterKind::sobel_y ||
                            row.kind == FilterKind::laplacian || row.kind == FilterKind::edge;
    EXPECT_TRUE(row.kind == FilterKind::random || std::fabs(sum - (derivative ? 0 : 1)) < 1e-12) << sum;
    EXPECT_TRUE(row.size != FilterSize::any || matrix.size == (Size2{7, 7}));
  }
  EXPECT_EQ(*matrix_of({.kind = FilterKind::gaussian_integer, .radius = 1}),
            (Matrix{{3, 3}, {1 / 16., 2 / 16., 1 / 16., 2 / 16., 4 / 16., 2 / 16., 1 / 16., 2 / 16., 1 / 16.}}));
  EXPECT_EQ(taps_of({.kind = FilterKind::unsharp})->rank, 2);
  EXPECT_EQ(taps_of({.kind = FilterKind::motion, .radius = 4, .angle = 0})->rank, 1);
  EXPECT_GT(taps_of({.kind = FilterKind::motion, .radius = 4, .angle = 30})->rank, 1);
  EXPECT_EQ(taps_of({.kind = FilterKind::random, .radius = 3})->rank, 7);
  EXPECT_EQ(matrix_of({.kind = FilterKind::sharpen, .strength = 0})->values,
            (std::vector<double>{0, 0, 0, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(taps_of({.kind = FilterKind::edges})->chain.size(), 3u);
}

// The best rank-1 approximation of a matrix of rank 2, and the complete sum.
TEST(Filter, RankErrorFallsToNothing) {
  const Matrix sharpen = *matrix_of({.kind = FilterKind::sharpen});
  EXPECT_GT(rank_error(sharpen, 1), 0.01);
  EXPECT_LT(rank_error(sharpen, 2), 1e-12);
}

// A large matrix of low rank, with terms a million times smaller than the first.
TEST(Filter, FactorsOfALargeMatrixSumUpToIt) {
  Matrix matrix{{129, 65}, std::vector<double>(129 * 65, 0.0)};
  for (int term = 0; term < 5; ++term)
    for (int y = 0; y < 65; ++y)
      for (int x = 0; x < 129; ++x)
        matrix.values[y * 129 + x] +=
            std::pow(10, -1.5 * term) * std::sin((term + 1) * 0.3 * y + term) * std::cos((term + 1) * 0.2 * x);
  EXPECT_EQ(rank_of(matrix), 5);
  EXPECT_LT(rank_error(matrix, 5), 1e-9);
  EXPECT_GT(rank_error(matrix, 4), 1e-7);
}

TEST(Filter, RankIsCounted) {
  EXPECT_EQ(rank_of({{3, 3}, {1, 2, 1, 2, 4, 2, 1, 2, 1}}), 1);
  EXPECT_EQ(rank_of({{3, 3}, {0, -1, 0, -1, 5, -1, 0, -1, 0}}), 2);
  EXPECT_EQ(rank_of({{3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}), 3);
  EXPECT_EQ(taps_of({.kind = FilterKind::custom, .matrix = {{3, 1}, {0, 0, 0}}})->row, (std::vector<float>{0, 0, 0}));
}

TEST(Filter, ChecksItsParameters) {
  const auto complaint = [](const FilterSpec& filter) { return taps_of(filter).error().text; };
  EXPECT_EQ(complaint({.radius = 65}), "radius 65 is outside 0 to 64 px");
  EXPECT_EQ(complaint({.sigma = 0.01}), "sigma 0.01 is outside 0.1 to 20 px");
  EXPECT_TRUE(taps_of({.kind = FilterKind::box, .sigma = sigma_for(64), .radius = 64})) << "a box has no sigma";
  EXPECT_EQ(complaint({.kind = FilterKind::custom, .matrix = {{2, 1}, {1, 1}}}),
            "the matrix is 2x1; both sides must be odd, so that it has a centre");
  EXPECT_EQ(complaint({.kind = FilterKind::custom, .divisor = 0}),
            "the divisor must be a number other than 0, its size from 1e-09 to 1000000000");
}

TEST(Matrix, IsReadFromText) {
  EXPECT_EQ(*parse_matrix("1 2 1; 2 4 2; 1 2 1"), (Matrix{{3, 3}, {1, 2, 1, 2, 4, 2, 1, 2, 1}}));
  EXPECT_EQ(*parse_matrix(" 1, -2.5 ,+3e1 "), (Matrix{{3, 1}, {1, -2.5, 30}}));
  EXPECT_EQ(*parse_matrix("1\n2\n3\n"), (Matrix{{1, 3}, {1, 2, 3}}));
  EXPECT_EQ(to_text(*parse_matrix("1 2;3 4.5")), "1 2; 3 4.5");
  EXPECT_EQ(parse_matrix("1 2; 3").error().text, "row 2 of the matrix has 1 numbers, the rows before it have 2");
  EXPECT_EQ(parse_matrix("1 x 3").error().text, "\"x\" in the matrix is not a number");
  EXPECT_EQ(parse_matrix(" ; ").error().text, "the matrix is empty; write it as \"1 2 1; 2 4 2; 1 2 1\"");
}

}  // namespace

}  // namespace conv
