// The inner loops of the host variants, with every instruction set that this processor has.
#include "kernels/variants/support/cpu_simd.h"

#include <cmath>
#include <limits>
#include <random>

#include "support.h"

namespace conv {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

class Simd : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { cpu_rows::use_instruction_set(GetParam()); }
  void TearDown() override { cpu_rows::use_instruction_set(""); }

  std::vector<float> random(int count) {
    std::vector<float> values(count);
    for (float& value : values) value = std::uniform_real_distribution<float>(-1, 1)(engine_);
    return values;
  }
  std::mt19937 engine_{7};
};

// Beside the vectors, in the rest of a row, and where there is less than one vector.
constexpr int counts[] = {0, 1, 3, 7, 15, 16, 31, 64, 77, 200};

TEST_P(Simd, SumsAlongRows) {
  for (const int count : counts)
    for (const int step : {1, 3, 4})
      for (const int terms : {1, 3, 11}) {
        const std::vector<float> row = random(count + terms * step), taps = random(terms), before = random(count);
        for (const bool add : {false, true}) {
          std::vector<float> sums = before;
          cpu_rows::row_sums(row.data(), step, taps.data(), terms, sums.data(), count, add);
          for (int i = 0; i < count; ++i) {
            double sum = add ? before[i] : 0;
            for (int k = 0; k < terms; ++k) sum += static_cast<double>(taps[k]) * row[i + k * step];
            ASSERT_NEAR(sums[i], sum, 1e-6 * terms) << count << " " << step << " " << terms << " at " << i;
          }
        }
      }
}

TEST_P(Simd, SumsAlongColumns) {
  for (const int count : counts)
    for (const int terms : {1, 3, 5, 11})
      for (int results = 1; results <= cpu_rows::column_results; ++results) {
        const std::vector<float> taps = random(terms);
        std::vector<std::vector<float>> image, sums(results, std::vector<float>(count));
        std::vector<const float*> rows;
        std::vector<float*> to;
        for (int y = 0; y < terms + results - 1; ++y) image.push_back(random(count));
        for (const auto& row : image) rows.push_back(row.data());
        for (auto& row : sums) to.push_back(row.data());
        cpu_rows::column_sums(rows.data(), taps.data(), terms, to.data(), results, count);
        for (int j = 0; j < results; ++j)
          for (int i = 0; i < count; ++i) {
            double sum = 0;
            for (int k = 0; k < terms; ++k) sum += static_cast<double>(taps[k]) * image[j + k][i];
            ASSERT_NEAR(sums[j][i], sum, 1e-6 * terms) << count << " " << terms << " row " << j << " at " << i;
          }
      }
}

TEST_P(Simd, SumsByDoubling) {
  for (const int count : counts)
    for (const int step : {1, 3, 4})
      for (const int terms : {1, 3, 5, 11, 65}) {
        const std::vector<float> row = random(count + (terms - 1) * step);
        std::vector<float> scratch(row.size()), sums(count);
        cpu_rows::doubling_row(row.data(), step, terms, 0.5f, scratch.data(), sums.data(), count);
        for (int i = 0; i < count; ++i) {
          double sum = 0;
          for (int k = 0; k < terms; ++k) sum += row[i + k * step];
          ASSERT_NEAR(sums[i], 0.5 * sum, 1e-6 * terms) << count << " " << step << " " << terms << " at " << i;
        }
      }
  for (const int count : counts) {
    const std::vector<float> row = random(count), one = random(count), two = random(count), part = random(count);
    std::vector<float> sums(count), of_two(count), of_four(count);
    const cpu_rows::DoublingStep steps[] = {{one.data(), nullptr, of_two.data()},
                                            {two.data(), part.data(), of_four.data()}};
    cpu_rows::doubling_columns(row.data(), steps, sums.data(), count);
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(of_two[i], row[i] + one[i]);
      ASSERT_EQ(of_four[i], of_two[i] + two[i]);
      ASSERT_EQ(sums[i], row[i] + part[i]);
    }
  }
}

TEST_P(Simd, SumsThatMove) {
  for (const int step : {1, 3, 4})
    for (const int pixels : counts) {
      const int terms = 7, count = pixels * step, wide = count + (terms - 1) * step;
      std::vector<float> entering(wide), leaving(wide), windows(count);
      std::vector<int> sums(wide, 1000);
      for (int i = 0; i < wide; ++i) {
        entering[i] = static_cast<float>(engine_() % 256);
        leaving[i] = static_cast<float>(engine_() % 256);
      }
      cpu_rows::move_sums(entering.data(), leaving.data(), sums.data(), wide);
      for (int i = 0; i < wide; ++i) ASSERT_EQ(sums[i], static_cast<int>(1000 + entering[i] - leaving[i]));
      cpu_rows::moving_row(sums.data(), step, terms, 0.5f, windows.data(), count);
      for (int i = 0; i < count; ++i) {
        int sum = 0;
        for (int k = 0; k < terms; ++k) sum += sums[i + k * step];
        ASSERT_EQ(windows[i], 0.5f * static_cast<float>(sum)) << step << " at " << i;
      }
    }
}

// A sum has the same bits in a vector and in the rest of a row.
TEST_P(Simd, BitsDoNotDependOnThePlace) {
  constexpr int most = 77, terms = 7;
  const std::vector<float> row = random(most + terms), taps = random(terms);
  std::vector<float> all(most), part(most);
  cpu_rows::row_sums(row.data(), 1, taps.data(), terms, all.data(), most);
  std::vector<const float*> rows;
  for (int k = 0; k < terms + cpu_rows::column_results - 1; ++k) rows.push_back(row.data() + k % terms);
  std::vector<std::vector<float>> columns(cpu_rows::column_results, std::vector<float>(most)), fewer = columns;
  std::vector<float*> to, to_fewer;
  for (auto& line : columns) to.push_back(line.data());
  for (auto& line : fewer) to_fewer.push_back(line.data());
  cpu_rows::column_sums(rows.data(), taps.data(), terms, to.data(), cpu_rows::column_results, most);
  for (int count = 1; count < most; ++count) {
    cpu_rows::row_sums(row.data(), 1, taps.data(), terms, part.data(), count);
    cpu_rows::column_sums(rows.data(), taps.data(), terms, to_fewer.data(), cpu_rows::column_results, count);
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(part[i], all[i]) << count << " at " << i;
      for (int j = 0; j < cpu_rows::column_results; ++j) ASSERT_EQ(fewer[j][i], columns[j][i]) << count << " at " << i;
    }
  }
}

// An infinity is in the sums whose window has it, and does not make others NaN.
TEST_P(Simd, InfinitiesStayInTheirWindow) {
  constexpr int count = 40, terms = 3, rows_of_results = cpu_rows::column_results;
  std::vector<std::vector<float>> image(terms + rows_of_results - 1, std::vector<float>(count, 1.0f));
  image[0][5] = infinity;
  std::vector<std::vector<float>> sums(rows_of_results, std::vector<float>(count));
  std::vector<const float*> rows;
  std::vector<float*> to;
  for (const auto& row : image) rows.push_back(row.data());
  for (auto& row : sums) to.push_back(row.data());
  const float taps[] = {1, 1, 1};
  cpu_rows::column_sums(rows.data(), taps, terms, to.data(), rows_of_results, count);
  for (int j = 0; j < rows_of_results; ++j)
    for (int i = 0; i < count; ++i) EXPECT_EQ(sums[j][i], j == 0 && i == 5 ? infinity : 3.0f) << j << " " << i;
}

TEST_P(Simd, LevelsAreExact) {
  std::vector<float> values{0,   0.5f,  0.49999997f, 1.5f,  254.5f,   254.49998f, 255,
                            256, 1e30f, -1,          -0.5f, infinity, -infinity,  nan};
  for (int level = 0; level < 256; ++level)
    for (const float at : {-0.5f, -0.25f, 0.0f, 0.25f, 0.5f}) values.push_back(static_cast<float>(level) + at);
  const int count = static_cast<int>(values.size());
  const auto expected = [](float value) { return narrowed<unsigned char>(value); };
  std::vector<unsigned char> levels(count), rgba(count), alpha(count);
  for (int i = 0; i < count; ++i) alpha[i] = static_cast<unsigned char>(i * 7);
  for (const float offset : {0.0f, 3.25f}) {
    cpu_rows::floats_to_levels(values.data(), offset, levels.data(), count);
    cpu_rows::floats_to_rgba(values.data(), offset, alpha.data(), rgba.data(), count);
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(levels[i], expected(values[i] + offset)) << values[i];
      EXPECT_EQ(rgba[i], i % 4 == 3 ? alpha[i] : levels[i]) << values[i];
    }
  }
  std::vector<float> back(count);
  cpu_rows::levels_to_floats(alpha.data(), back.data(), count);
  for (int i = 0; i < count; ++i) EXPECT_EQ(back[i], static_cast<float>(alpha[i]));
}

INSTANTIATE_TEST_SUITE_P(EveryInstructionSet, Simd, testing::ValuesIn(cpu_rows::instruction_sets()),
                         [](const auto& name) { return name.param; });

}  // namespace

}  // namespace conv
