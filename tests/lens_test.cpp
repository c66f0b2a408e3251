// What panels show of recorded blocks and threads: the sums, the words, and the heat over the picture.
#include <gmock/gmock.h>

#include <algorithm>

#include "app/check/block_shapes.h"
#include "app/check/followed_thread.h"
#include "app/check/memory_heat.h"
#include "app/check/traced_block.h"
#include "kernels/cpu/cpu_executor.h"
#include "traced_plans.h"

namespace conv {

namespace {

class EveryKernel : public testing::TestWithParam<const Variant*> {};

// What the panel shows at the last request of each warp adds up to the totals of the block.
TEST(TracedBlock, TheLastRequestsHaveTheTotals) {
  for (const std::string_view variant : {"tile_linear", "separable_stream"}) {
    const auto plan = std::make_shared<const LaunchPlan>(plan_of(variant, {16, 16}, 3));
    const TracedBlock block = traced_block({plan, &last_kernel(*plan), {2, 0}});
    EXPECT_EQ(block.question.block, (Point2{2, 0}));
    for (const MemoryRules& rules : memory_rules) {
      MemoryTotals phases, warps;
      for (const TracedPhase& phase : block.by(rules.generation).phases) phases.add(phase.totals);
      for (int warp = 0; warp < block.recording.warps(); ++warp)
        warps.add(totals_until(block, warp, block.requests_of(warp), rules.generation));
      for (const auto kind : {&MemoryTotals::shared_read, &MemoryTotals::shared_write, &MemoryTotals::global_read,
                              &MemoryTotals::global_write, &MemoryTotals::taps}) {
        EXPECT_EQ((phases.*kind).requests, (warps.*kind).requests);
        EXPECT_EQ((phases.*kind).wavefronts, (warps.*kind).wavefronts);
        EXPECT_EQ((phases.*kind).sectors, (warps.*kind).sectors);
        EXPECT_EQ((phases.*kind).idle_lanes, (warps.*kind).idle_lanes);
      }
      EXPECT_GT(phases.global_write.requests, 0);
    }
  }
}

FollowedThread follow(const LaunchPlan& plan, Point2 block, Point2 pixel) {
  const auto shared = std::make_shared<const LaunchPlan>(plan);
  return followed_thread({{shared, &last_kernel(*shared), block}, pixel});
}

// 1080 is no multiple of 16: the blocks have 1088 rows, and the test of the coordinates switches off 8 rows of 1920
// threads.
TEST(FollowedThread, ComesFromTheGridAndItsBlock) {
  const FollowedThread thread = follow(plan_of("tile_linear", {16, 16}, 2), {60, 33}, {963, 540});
  EXPECT_EQ(thread.recording.thread, (Point2{3, 12}));
  EXPECT_THAT(origin_of(thread), testing::ElementsAre("thread (3, 12) of block (60, 33)",
                                                      "grid: ceil(1920 / 16) = 120 by ceil(1080 / 16) = 68 blocks",
                                                      "x = 60·16 + 3 = 963, y = 33·16 + 12 = 540",
                                                      "15360 of 2088960 threads write no pixel"));
}

// 20x20 pixels are loaded by 256 threads, so thread 0 loads number 0 and 256: row 12, column 16.
TEST(FollowedThread, GoesFromPositionToTileToMemory) {
  const FollowedThread thread = follow(plan_of("tile_linear", {16, 16}, 2), {0, 0}, {0, 0});
  const std::vector<ThreadStep>& steps = thread.recording.steps;
  ASSERT_EQ(steps.size(), 2u + 2 + 25 + 1 + 1);
  EXPECT_THAT(text_of(thread, steps[0]),
              testing::ElementsAre("reads pixel (-2, -2)", "outside the image: Replicate padding takes (0, 0)",
                                   "column -2 + 2 = 0, row -2 + 2 = 0 of the tile with its apron",
                                   "memory index 0·1920 + 0 = 0", "byte 4·0 = 0"));
  EXPECT_THAT(
      text_of(thread, steps[2]),
      testing::ElementsAre("reads pixel (14, 10)", "column 14 + 2 = 16, row 10 + 2 = 12 of the tile with its apron",
                           "memory index 10·1920 + 14 = 19214", "byte 4·19214 = 76856"));
  const auto last_tap = std::ranges::find_if(steps, [](const ThreadStep& step) { return step.tap == 24; });
  const std::vector<std::string> text = text_of(thread, *last_tap);
  EXPECT_TRUE(text[0].starts_with("reads shared memory, times tap 24 = 0.0"));
  EXPECT_TRUE(text[0].ends_with("(row 4, column 4)"));
  EXPECT_THAT(std::vector(text.begin() + 1, text.end()),
              testing::ElementsAre("source pixel (2, 2)", "column 2 + 2 = 4, row 2 + 2 = 4 of the tile with its apron",
                                   "byte 336, word 84, bank 20"));  // 4 · (4 · 20 + 4)
  EXPECT_THAT(text_of(thread, steps.back()),
              testing::ElementsAre("writes pixel (0, 0)", "memory index 0·1920 + 0 = 0", "byte 4·0 = 0"));
}

TEST(FollowedThread, FindsAPlane) {
  const LaunchPlan plan = *plan_of(*find_variant("global"), PixelType::rgb32f_soa, {16, 16}, 1, Border::zero);
  const FollowedThread thread = follow(plan, {0, 0}, {0, 5});
  const std::vector<ThreadStep>& steps = thread.recording.steps;
  EXPECT_THAT(text_of(thread, steps[0])[1], "outside the image: the value of the padding, Zero");
  EXPECT_THAT(text_of(thread, steps[1]),
              testing::ElementsAre(
                  testing::StartsWith("reads pixel (0, 4), times tap 1 = 0."), "memory index 4·1920 + 0 = 7680",
                  "SoA: in each of 3 planes, plane c begins 2073600·c pixels later", "byte 4·7680 = 30720 of a plane"));
}

// The slide's tile: 20x20 pixels are loaded by 256 threads, which begin again with thread 0 after number 255.
TEST(BlockRecording, NumbersTheLoadsOfATile) {
  const LaunchPlan plan = plan_of("tile_linear", {16, 16}, 2);
  const BlockRecording block = CpuExecutor::record(plan, last_kernel(plan), {20, 20});
  ASSERT_GE(block.phases.size(), 2u);
  for (int thread = 0; thread < 256; ++thread) {
    EXPECT_EQ(block.phases[0].cell[thread], thread);
    EXPECT_EQ(block.phases[1].cell[thread], thread < 400 - 256 ? 256 + thread : -1);
  }
}

// The whitepaper's figure 8: a thread of the row pass writes several pixels of one row.
TEST(BlockRecording, KnowsThePixelsOfAThread) {
  const LaunchPlan plan = plan_of("separable_whitepaper", {16, 16}, 5);
  const auto& rows = std::get<KernelStep>(plan.steps.front());
  const BlockRecording block = CpuExecutor::record(plan, rows, {3, 20});
  const auto thread = std::ranges::find_if(block.written, [](const auto& pixels) { return !pixels.empty(); });
  EXPECT_EQ(static_cast<int>(thread->size()), rows.results);
  for (const Point2 pixel : *thread) EXPECT_EQ(pixel.y, thread->front().y);
}

TEST(TracedBlock, SaysHowARowOfTheTileIsLaidOut) {
  const auto text = [](std::string_view variant) {
    const LaunchPlan plan = plan_of(variant, {16, 16}, 5);
    return tile_row_text(std::get<KernelStep>(plan.steps.front()));
  };
  EXPECT_EQ(text("tile_linear"), "5 | 16 | 5 = 26 pixels = 104 bytes");
  EXPECT_EQ(text("global"), "0 | 16 | 0 = 16 pixels");
}

ShapesQuestion question_of(const char* a, const char* b, int radius) {
  const FilterSpec filter{.radius = radius};
  const auto inputs = [&](const char* variant) {
    return PlanInputs{
        .lane = {.variant = variant, .format = PixelType::f32}, .filter = filter, .border = Border::replicate};
  };
  return {{inputs(a), inputs(b)}, {1920, 1080}, std::make_shared<const Taps>(*taps_of(filter))};
}

// 121 taps and the pixel itself are read by 8 warps. Two rows of 16 lanes conflict, a row of 32 does not.
TEST(BlockShapes, CountWhatEachShapeMovesForAPixel) {
  const BlockShapes shapes = *block_shapes(question_of("tile_linear", "global", 5), {});
  const auto cost = [&](int lane, Size2 block) {
    return *std::ranges::find(shapes.lanes[static_cast<std::size_t>(lane)], block, &ShapeCost::block);
  };
  EXPECT_EQ(shapes.lanes[0].size(), std::size(block_presets));
  EXPECT_EQ(cost(0, {16, 16}).written, 256);
  EXPECT_EQ(cost(0, {16, 16}).totals.shared_read.wavefronts, 122 * 8 * 2);
  EXPECT_EQ(cost(0, {32, 8}).totals.shared_read.wavefronts, 122 * 8);
  const ShapeCost square = cost(0, {16, 16});
  EXPECT_DOUBLE_EQ(square.wavefronts(), (122 * 8 * 2 + square.totals.shared_write.wavefronts) / 256.0);
  EXPECT_EQ(cost(1, {32, 8}).wavefronts(), 0);
  EXPECT_LT(cost(1, {32, 8}).sectors(), cost(1, {8, 8}).sectors());
  EXPECT_GT(cost(1, {32, 8}).sectors(), 10 * cost(0, {32, 8}).sectors());
}

TEST(BlockShapes, LeaveOutWhatIsRefusedAndStop) {
  // One thread per load: 32x32 pixels and their apron need 36x36 threads, more than a block may have.
  const ShapesQuestion question = question_of("tile_thread_per_load", "cpu_separable", 2);
  const BlockShapes shapes = *block_shapes(question, {});
  EXPECT_LT(shapes.lanes[0].size(), std::size(block_presets));
  EXPECT_FALSE(shapes.lanes[0].empty());
  EXPECT_TRUE(shapes.lanes[1].empty());  // no kernel
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(block_shapes(question, stopped.get_token()));
}

MemoryHeat heat_of(const LaunchPlan& plan, Point2 block) {
  const auto shared = std::make_shared<const LaunchPlan>(plan);
  return *memory_heat({shared, &last_kernel(*shared), block}, {});
}
int at(const std::vector<int>& counts, const MemoryHeat& heat, int x, int y) {
  return counts[static_cast<std::size_t>(y - heat.area.top) * static_cast<std::size_t>(heat.area.width) +
                static_cast<std::size_t>(x - heat.area.left)];
}

// 3x3 taps: a pixel is read for each of the 9 around it, and once more as the thread's own. A block of 16 pixels begins
// at a sector of 8 pixels, so the columns at its sides are in sectors of their own.
TEST(MemoryHeat, CountsReadsOfPixelsAndOfTheirSectors) {
  const MemoryHeat direct = heat_of(plan_of("global", {16, 16}, 1), {20, 20});
  EXPECT_EQ(direct.blocks, 9);
  EXPECT_TRUE(direct.complete);
  EXPECT_EQ(direct.area, (PixelRect{19 * 16 - 8, 19 * 16 - 1, 48 + 16, 48 + 2}));
  EXPECT_EQ(at(direct.loads, direct, 325, 325), 10);
  EXPECT_EQ(at(direct.loads, direct, 19 * 16 - 1, 325), 3);  // by threads of one side alone
  EXPECT_EQ(at(direct.loads, direct, 19 * 16 - 2, 325), 0);  // moved in the same sector, but not read
  // A warp has two rows, so it reads three columns of taps in each of four rows.
  EXPECT_EQ(at(direct.sectors, direct, 19 * 16 - 2, 325), at(direct.sectors, direct, 19 * 16 - 1, 325));
  EXPECT_GT(at(direct.sectors, direct, 19 * 16 - 2, 325), 0);
  // In the tile's middle once; at its edge by two blocks, at its corner by four.
  const MemoryHeat tiled = heat_of(plan_of("tile_linear", {16, 16}, 1), {20, 20});
  EXPECT_EQ(at(tiled.loads, tiled, 325, 325), 1);
  EXPECT_EQ(at(tiled.loads, tiled, 320, 325), 2);
  EXPECT_EQ(at(tiled.loads, tiled, 320, 320), 4);
  // With the image's border read as a copy of the border pixels, and with fewer blocks.
  const MemoryHeat corner = heat_of(plan_of("tile_linear", {16, 16}, 1), {0, 0});
  EXPECT_EQ(corner.blocks, 4);
  EXPECT_EQ(corner.area.left, 0);
  EXPECT_EQ(at(corner.loads, corner, 0, 0), 4);
}

TEST(MemoryHeat, StopsWhenAsked) {
  std::stop_source stopped;
  stopped.request_stop();
  const auto plan = std::make_shared<const LaunchPlan>(plan_of("global", {16, 16}, 1));
  EXPECT_FALSE(memory_heat({plan, &last_kernel(*plan), {0, 0}}, stopped.get_token()));
}

// Sectors add up to those of the traced blocks, and what is read lies where the plan has tile and apron.
TEST_P(EveryKernel, IsReadWhereItsBlocksLie) {
  for (const std::string_view boundary : {"boundary=auto", "boundary=pre_pad"}) {
    SwitchValues values;
    ASSERT_TRUE(set_from_text(values, boundary));
    const Result<LaunchPlan> made = plan_of(*GetParam(), PixelType::f32, {16, 16}, 3, Border::zero, values);
    if (!made || GetParam()->id == "fft") continue;
    const auto plan = std::make_shared<const LaunchPlan>(*made);
    for (const Step& any_step : plan->steps) {
      const auto* step = std::get_if<KernelStep>(&any_step);
      // The fast kernels read a few pixels more, from an aligned one on.
      if (!step || step->kernel.file.find("/fast/") != std::string_view::npos) continue;
      const Point2 middle = middle_block(*step);
      const MemoryHeat heat = *memory_heat({plan, step, middle}, {});
      long long sectors = 0, moved = 0;
      // The plan of a kernel without a tile has no apron.
      const Size2 radius = plan->tables[static_cast<std::size_t>(step->taps)].radius;
      const PixelRect tile = tile_of(*plan, *step, middle);
      const Size2 around{step->tile.width + std::max(radius.width, step->apron.width),
                         step->tile.height + std::max(radius.height, step->apron.height)};
      const PixelRect read{tile.left - around.width, tile.top - around.height, step->tile.width + 2 * around.width,
                           step->tile.height + 2 * around.height};
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) {
          const Point2 block{middle.x + x, middle.y + y};
          if (block.x < 0 || block.y < 0 || block.x >= step->grid.width || block.y >= step->grid.height) continue;
          sectors += sum_of(CpuExecutor::record_warps(*plan, *step, block), Generation::today).global_read.sectors;
        }
      std::optional<Point2> stray;
      for (int y = heat.area.top; y < heat.area.top + heat.area.height; ++y)
        for (int x = heat.area.left; x < heat.area.left + heat.area.width; ++x) {
          moved += at(heat.sectors, heat, x, y);
          if (at(heat.loads, heat, x, y) > 0 && !read.contains({x, y})) stray = Point2{x, y};
        }
      EXPECT_FALSE(stray) << step->title << " reads " << stray->x << ", " << stray->y << ", not in " << read.left
                          << ", " << read.top << " + " << read.width << ", " << read.height;
      EXPECT_EQ(moved, 8 * sectors) << step->title;  // a sector has 8 pixels
      EXPECT_GT(sectors, 0) << step->title;
    }
  }
}

TEST_P(EveryKernel, IsFollowedInWords) {
  const Variant& variant = *GetParam();
  const Result<LaunchPlan> made = plan_of(variant, PixelType::rgba8, {16, 16}, 2, Border::mirror);
  if (!made) GTEST_SKIP() << made.error().text;
  const auto plan = std::make_shared<const LaunchPlan>(*made);
  for (const Step& any_step : plan->steps) {
    const auto* step = std::get_if<KernelStep>(&any_step);
    if (!step) continue;
    const FollowedThread thread = followed_thread({{plan, step, {0, 0}}, Point2{3, 5}});
    EXPECT_GE(origin_of(thread).size(), 1u);
    ASSERT_FALSE(thread.recording.steps.empty());
    for (const ThreadStep& s : thread.recording.steps) EXPECT_GE(text_of(thread, s).size(), 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryKernel, testing::ValuesIn(variants_with_kernels()),
                         [](const auto& param) { return test_name(param.param->id); });

}  // namespace

}  // namespace conv
