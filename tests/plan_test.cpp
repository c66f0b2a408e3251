// What plans refuse, and in which words.
#include "kernels/core/cost.h"
#include "support.h"

namespace {

Result<LaunchPlan> plan(std::string_view id, FilterSpec filter, Size2 block = {16, 16},
                        PixelType format = PixelType::f32, DeviceLimits limits = {}) {
  const LaneSettings lane{.variant = std::string(id), .format = format, .block = block};
  return plan_of(lane, {.filter = filter}, std::make_shared<Taps>(*taps_of(filter)), {640, 480}, limits);
}

std::string refusal(const Result<LaunchPlan>& result) {
  return result ? "not refused" : result.error().text;
}

TEST(Plan, RefusesTooManyThreads) {
  EXPECT_EQ(refusal(plan("global", {}, {32, 64})), "32x64 = 2048 threads > 1024");
  EXPECT_TRUE(plan("global", {}, {13, 7}));
  EXPECT_TRUE(plan("global", {}, {1024, 1}));
}

TEST(Plan, RefusesTooMuchSharedMemoryAndSaysWhatFits) {
  const DeviceLimits limits{.name = "this GPU", .max_shared_bytes = 99 * 1024};
  const FilterSpec filter{.kind = FilterKind::box, .radius = 64};
  EXPECT_EQ(
      refusal(plan("tile_linear", filter, {32, 32}, PixelType::f32, limits)),
      "tile_linear at radius 64 needs 100 KB of shared memory per block; this GPU allows 99 KB. Use 8x8 or a separable "
      "variant");
  EXPECT_EQ(refusal(plan("tile_unrolled", filter, {16, 16}, PixelType::rgba32f, limits)),
            "tile_unrolled at radius 64 needs 324 KB of shared memory per block; this GPU allows 99 KB. Use a "
            "separable variant");
}

// UI.md's figures: 16x16 f32 fits 48 KB to radius 47 and 99 KB to radius 71 (beyond our slider).
TEST(Plan, SharedMemoryReachesTheKnownRadius) {
  const DeviceLimits limits{.max_shared_bytes = 48 * 1024};
  EXPECT_TRUE(plan("tile_linear", {.kind = FilterKind::box, .radius = 47}, {16, 16}, PixelType::f32, limits));
  EXPECT_FALSE(plan("tile_linear", {.kind = FilterKind::box, .radius = 48}, {16, 16}, PixelType::f32, limits));
}

TEST(Plan, RefusesTapsBeyondConstantMemory) {
  EXPECT_TRUE(plan("constant", {.kind = FilterKind::box, .radius = 63}));
  EXPECT_EQ(refusal(plan("constant", {.kind = FilterKind::box, .radius = 64})),
            "constant at 129x129 taps needs 66 KB of constant memory; there are 64 KB. Use radius 63 or less");
}

TEST(Plan, RefusesAMatrixThatIsNotSeparable) {
  const FilterSpec filter{.kind = FilterKind::custom};
  EXPECT_EQ(
      refusal(plan("separable_tiles", filter)),
      "separable_tiles needs a filter of rank 1, a row times a column; this matrix has rank 2. Use tile_unrolled");
  EXPECT_EQ(refusal(plan("cpu_separable", filter)),
            "cpu_separable needs a filter of rank 1, a row times a column; this matrix has rank 2. Use cpu_direct");
}

TEST(Plan, NamesTheInstanceForTheCompiler) {
  const auto tile = plan("tile_unrolled", {.radius = 5}, {16, 16}, PixelType::rgba8);
  const auto& kernel = std::get<KernelStep>(tile->steps[0]).kernel;
  EXPECT_EQ(kernel.file, "kernels/variants/tile_linear.cu");
  EXPECT_EQ(kernel.name,
            "gpu::tile_linear<gpu::SourceView<Rgba8, Border::replicate>, gpu::TargetView<Rgba8>, 5, 5, 16, 16, 1>");
  EXPECT_EQ(kernel.general,
            "gpu::tile_linear<gpu::SourceView<Rgba8, Border::any>, gpu::TargetView<Rgba8>, -1, -1, -1, -1, 0>");
}

TEST(Plan, SeparableScratchIsFloat) {
  EXPECT_EQ(plan("separable_tiles", {}, {16, 16}, PixelType::rgba8)->scratch[0].type, PixelType::rgba32f);
  EXPECT_EQ(plan("separable_tiles", {}, {16, 16}, PixelType::f32)->scratch[0].type, PixelType::f32);
}

// The whitepaper's claim as a formula (SEEDS 96): (2R+1)^2 taps become 2(2R+1); a 16x16 tile with R 1 loads 324 for
// 256.
TEST(Cost, CountsTapsAndLoads) {
  const Cost direct = cost_of(*plan("tile_linear", {.radius = 5}));
  const Cost separable = cost_of(*plan("separable_tiles", {.radius = 5}));
  EXPECT_EQ(direct.multiply_adds, 640 * 480 * 121ll);
  EXPECT_EQ(separable.multiply_adds, 640 * 480 * 22ll);
  EXPECT_EQ(direct.compulsory_bytes, 640 * 480 * 8ll);
  EXPECT_EQ(separable.compulsory_bytes, 640 * 480 * 16ll);
  EXPECT_DOUBLE_EQ(cost_of(*plan("tile_linear", {.radius = 1})).loads_per_pixel, 324.0 / 256.0);
}

}  // namespace
