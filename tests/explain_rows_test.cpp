// Instructions counted from real machine code, and every shipped time of the five documents explained with them.
#include <gmock/gmock.h>

#include "app/jobs/explainer.h"
#include "app/measure/roofline.h"
#include "kernels/core/blocks.h"
#include "kernels/core/registry.h"
#include "kernels/cpu/cpu_executor.h"
#include "kernels/gpu/kernel_sources.h"
#include "kernels/variants/support/plan_job.h"
#include "support.h"

namespace conv {

namespace {

using testing::HasSubstr;

const std::shared_ptr<const ShippedResults>& shipped() {
  static const auto results = std::make_shared<const ShippedResults>(load_shipped_results());
  return results;
}

ExplainAnswer counted(const BenchPoint& point) {
  static const KernelSources sources;
  static Explainer explainer;
  const auto answer = explainer.count({.texts = sources.texts(),
                                       .architecture = "sm_90",
                                       .point = point,
                                       .rows = {shipped(), &shipped()->results},
                                       .limits = shipped()->limits,
                                       .multiprocessor = shipped()->multiprocessor},
                                      {});
  EXPECT_TRUE(answer);
  return answer ? *answer : ExplainAnswer{};
}

// What Nsight Compute counted on an NVIDIA H100 (driver 580.159.04, smsp__inst_executed, divided by the warps of the
// grid): 1920x1088, zero padding, block 16x16, a Gaussian of sigma 2.
TEST(IssuedInstructions, AgreesWithNsightCompute) {
  struct Case {
    const char* variant;
    PixelType format;
    int radius;
    std::vector<double> per_warp;  // of each step
  };
  for (const Case& c : {Case{"global", PixelType::f32, 1, {219}}, Case{"global", PixelType::f32, 5, {1687}},
                        Case{"global", PixelType::rgba8, 5, {3972}}, Case{"constant", PixelType::f32, 5, {1764}},
                        Case{"constant", PixelType::rgb8, 2, {919}}, Case{"tile_no_apron", PixelType::f32, 5, {1559}},
                        Case{"tile_linear", PixelType::f32, 5, {941}}, Case{"tile_unrolled", PixelType::f32, 5, {481}},
                        Case{"tile_nested", PixelType::f32, 5, {1028}}, Case{"tile_batched", PixelType::f32, 5, {1022}},
                        Case{"separable_tiles", PixelType::f32, 5, {125, 135}},
                        Case{"separable_texture", PixelType::f32, 5, {201, 191}},
                        Case{"separable_whitepaper", PixelType::f32, 16, {1130, 1373}}}) {
    const ExplainAnswer answer = counted({.image = {1920, 1088},
                                          .filter = {.sigma = 2, .radius = c.radius},
                                          .border = Border::zero,
                                          .lane = {.variant = c.variant, .format = c.format}});
    ASSERT_EQ(answer.steps.size(), c.per_warp.size()) << c.variant;
    for (std::size_t i = 0; i < c.per_warp.size(); ++i) {
      ASSERT_TRUE(answer.steps[i].issued) << c.variant;
      EXPECT_NEAR(answer.steps[i].issued->all / answer.steps[i].warps, c.per_warp[i], 0.12 * c.per_warp[i])
          << c.variant << " radius " << c.radius << " step " << i;
    }
  }
  // Its rows are loaded by functions that several variants share.
  EXPECT_FALSE(counted({.image = {1920, 1088},
                        .filter = {.radius = 5},
                        .lane = {.variant = "separable_stream", .format = PixelType::f32}})
                   .steps[0]
                   .issued);
}

// The times of h200.json: the parts that the verdict names take, together, the measured time within a quarter, or it
// says "unexplained". The conflicts of S4-C are never named: without them, with another block, the time is the same.
void expect_explained(std::string_view preset_begins, int at_least) {
  int explained = 0, unexplained = 0;
  for (const BenchRow& row : shipped()->results.rows) {
    const bool of_a_document = row.preset.size() > 1 && row.preset[0] == 's' && std::isdigit(row.preset[1]);
    // S0 has every radius to 16, each with its own machine code: some of them are enough.
    const int radius = row.point.filter.radius;
    if (row.preset == "s0" && radius != 1 && radius != 5 && radius != 8 && radius != 16) continue;
    if (!of_a_document || !row.preset.starts_with(preset_begins) || row.state != RowState::measured) continue;
    const std::string key = key_of(row.point);
    const ExplainAnswer answer = counted(row.point);
    if (answer.steps.empty()) {
      EXPECT_TRUE(row.transfers) << key << ": " << answer.why_not;
      continue;
    }
    const double ms = row.summary().median;
    const Explanation all = explain(answer.steps, shipped()->ceilings, ms, false, answer.others);
    ++(all.explains ? explained : unexplained);
    if (!all.explains) {
      EXPECT_THAT(all.verdict, testing::StartsWith("Unexplained")) << key;
      continue;
    }
    EXPECT_NEAR(all.counted_ms, ms, 0.25 * ms) << key;
    EXPECT_THAT(all.verdict, testing::StartsWith("Limited by ")) << key;
    if (row.preset != "s4-c") continue;
    EXPECT_THAT(all.verdict, testing::StartsWith("Limited by instructions")) << key;
    const auto conflicts = std::ranges::find_if(
        all.hints, [](const SpeedHint& hint) { return hint.counted.starts_with("Bank conflicts"); });
    const bool has = row.point.lane.variant == "tile_nested" && row.point.lane.block.width < 32;
    ASSERT_EQ(conflicts != all.hints.end(), has) << key;
    if (has) {
      EXPECT_THAT(conflicts->measured, HasSubstr("has 1.00 and takes 0.07")) << key;
    }
  }
  EXPECT_GE(explained, at_least);
  testing::Test::RecordProperty("unexplained", unexplained);
}

TEST(Explain, TimesOfS0) {
  expect_explained("s0", 6);
}
TEST(Explain, TimesOfTheOtherDocuments) {
  expect_explained("s1", 4);
  expect_explained("s2", 30);
  expect_explained("s3", 1);
  expect_explained("s4", 30);
}

}  // namespace

}  // namespace conv
