// What plans refuse, and with which text.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "kernels/core/blocks.h"
#include "kernels/core/cost.h"
#include "kernels/core/occupancy.h"
#include "kernels/variants/support/cpu_rows.h"
#include "support.h"

namespace conv {

namespace {

Result<LaunchPlan> plan(std::string_view id, FilterSpec filter, Size2 block = {16, 16},
                        PixelType format = PixelType::f32, DeviceLimits limits = {}, Size2 image = {640, 480}) {
  const LaneSettings lane{.variant = std::string(id), .format = format, .block = block};
  return plan_of(lane, {.filter = filter}, std::make_shared<Taps>(*taps_of(filter)), image, limits);
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
  EXPECT_EQ(refusal(plan("tile_linear", filter, {32, 32}, PixelType::f32, limits)),
            "tile_linear at radius 64 needs 100 KiB of shared memory per block; this GPU allows 99 KiB. Use 8x8 or a "
            "separable "
            "variant");
  EXPECT_EQ(refusal(plan("tile_unrolled", filter, {16, 16}, PixelType::rgba32f, limits)),
            "tile_unrolled at radius 64 needs 324 KiB of shared memory per block; this GPU allows 99 KiB. Use a "
            "separable variant");
}

// For every variant: a launch with too many pixels fails late, or wraps around.
TEST(Plan, RefusesPicturesThatKernelsCannotCount) {
  const FilterSpec filter{.kind = FilterKind::box, .radius = 1};
  for (const Variant* variant : variants()) {
    if (variant->fuses_edges) continue;  // has only its own filter
    const auto tall = plan(variant->id, filter, {16, 16}, PixelType::f32, {}, {1, 67'108'865});
    if (tall)
      EXPECT_TRUE(tall->on_host()) << variant->id;
    else
      EXPECT_THAT(tall.error().text, testing::HasSubstr("parts")) << variant->id;
  }
  EXPECT_EQ(refusal(plan("global", filter, {16, 16}, PixelType::f32, {}, {1, 1'100'000})),
            "1x1100000 pixels need 68750 rows of blocks; a GPU has at most 65535. Use a block with more rows, or cut "
            "the picture into parts");
  EXPECT_TRUE(plan("global", filter, {16, 32}, PixelType::f32, {}, {1, 1'100'000}));
}

// The advice must not be a variant that refuses the same radius.
TEST(Plan, AdvisesAVariantWithALargerRadius) {
  for (const Variant* variant : variants()) {
    const Variant* advised = find_variant(variant->instead);
    if (variant->beyond_radius.empty() || !advised) continue;
    EXPECT_GT(advised->max_radius, variant->max_radius) << variant->id << ": " << advised->id;
  }
}

TEST(Plan, RefusesTensorCoresWhereThereAreNone) {
  EXPECT_EQ(refusal(plan("separable_tensor", {}, {16, 16}, PixelType::f32, {.compute_capability = 70})),
            "separable_tensor needs tensor cores, sm_75 or newer; this GPU is sm_70. Use separable_stream");
}

// Without measurements, by a fixed order that depends on which variants can use the matrix.
TEST(Auto, GoesByAStandingOrder) {
  const DeviceLimits gpu{.compute_capability = 90};
  const auto chosen = [&](const FilterSpec& filter, const DeviceLimits& limits) {
    const auto made = plan("auto", filter, {16, 16}, PixelType::f32, limits);
    EXPECT_TRUE(made) << made.error().text;
    return made ? made->chosen : "";
  };
  EXPECT_EQ(chosen({.radius = 8}, gpu), "separable_shuffle");
  EXPECT_EQ(chosen({.radius = 9}, gpu), "separable_tensor");
  EXPECT_EQ(chosen({.radius = 9}, {.compute_capability = 70}), "separable_stream");
  EXPECT_EQ(plan("auto", {.radius = 8}, {16, 16}, PixelType::rgba8, {.compute_capability = 70})->chosen,
            "separable_shuffle");
  const auto of_colours = [&](int radius, Size2 image) {
    return plan("auto", {.radius = radius}, {16, 16}, PixelType::rgba8, gpu, image)->chosen;
  };
  EXPECT_EQ(of_colours(4, {3840, 2160}), "separable_shuffle");
  EXPECT_EQ(of_colours(4, {7680, 4320}), "separable_tensor");
  EXPECT_EQ(of_colours(6, {1280, 720}), "separable_shuffle");
  EXPECT_EQ(of_colours(6, {1920, 1080}), "separable_tensor");
  EXPECT_EQ(chosen({.radius = 40}, gpu), "separable_tiles");
  EXPECT_EQ(chosen({.kind = FilterKind::box, .radius = 40}, gpu), "box_running");
  EXPECT_EQ(chosen({.kind = FilterKind::random, .radius = 2}, gpu), "direct_shuffle");
  EXPECT_EQ(chosen({.kind = FilterKind::random, .radius = 8}, gpu), "direct_paired");
  const auto of_matrix = [&](int radius, PixelType format, Size2 image) {
    return plan("auto", {.kind = FilterKind::random, .radius = radius}, {16, 16}, format, gpu, image)->chosen;
  };
  EXPECT_EQ(of_matrix(5, PixelType::f32, {1920, 1080}), "direct_shuffle");
  EXPECT_EQ(of_matrix(5, PixelType::f32, {3840, 2160}), "direct_paired");
  EXPECT_EQ(of_matrix(3, PixelType::gray8, {3840, 2160}), "direct_shuffle");
  EXPECT_EQ(of_matrix(3, PixelType::gray8, {7680, 4320}), "direct_paired");
  EXPECT_EQ(of_matrix(4, PixelType::rgba8, {1280, 720}), "direct_shuffle");
  EXPECT_EQ(of_matrix(4, PixelType::rgba8, {1920, 1080}), "direct_paired");
  EXPECT_EQ(of_matrix(10, PixelType::f32, {1280, 720}), "direct_paired");
  EXPECT_EQ(of_matrix(11, PixelType::f32, {1280, 720}), "fft");
  EXPECT_EQ(of_matrix(12, PixelType::f32, {1920, 1080}), "direct_paired");
  EXPECT_EQ(of_matrix(16, PixelType::gray8, {3840, 2160}), "direct_paired");
  EXPECT_EQ(of_matrix(17, PixelType::gray8, {3840, 2160}), "fft");
  EXPECT_EQ(of_matrix(10, PixelType::rgba8, {3840, 2160}), "direct_paired");
  EXPECT_EQ(of_matrix(11, PixelType::rgba8, {3840, 2160}), "fft");
  const DeviceLimits without_fft{.compute_capability = 90, .no_fft = "no cuFFT"};
  EXPECT_EQ(chosen({.kind = FilterKind::random, .radius = 12}, without_fft), "direct_paired");
  EXPECT_EQ(chosen({.kind = FilterKind::random, .radius = 17}, without_fft), "tile_unrolled");
  EXPECT_EQ(chosen({.kind = FilterKind::edges, .radius = 3}, gpu), "separable_shuffle");
  EXPECT_EQ(chosen({.radius = 8}, {}), "cpu_separable");
  EXPECT_EQ(chosen({.kind = FilterKind::random, .radius = 5}, {}), "cpu_direct");
  EXPECT_EQ(chosen({.kind = FilterKind::random, .radius = 30}, {}), "fft");
  EXPECT_EQ(chosen({.kind = FilterKind::box, .radius = 8}, {}), "cpu_separable");
  EXPECT_EQ(plan("auto", {.kind = FilterKind::box, .radius = 8}, {16, 16}, PixelType::gray8)->chosen, "cpu_box");
  const auto made = plan("auto", {.radius = 9}, {16, 16}, PixelType::f32, gpu);
  EXPECT_EQ(made->reason, "separable_tensor: ranked first on an NVIDIA H200. Nothing similar was measured here.");
}

// With measurements of a similar job, by those; and the plan is the chosen variant's own.
TEST(Auto, GoesByWhatWasMeasured) {
  DeviceLimits gpu{.compute_capability = 90};
  const auto ranked = [](Size2 image, int side, std::vector<Ranking::Lane> lanes) {
    return Ranking{PixelType::f32, image, {side, side}, FilterShape::separable, std::move(lanes)};
  };
  gpu.rankings = std::make_shared<const std::vector<Ranking>>(
      std::vector{ranked({640, 480}, 17,
                         {{"separable_tiles", 0.010f}, {"separable_shuffle", 0.015f}, {"separable_tensor", 0.016f}}),
                  ranked({640, 480}, 31,
                         {{"separable_stream", 0.020f}, {"separable_whitepaper", 0.021f}, {"separable_tensor", 0.03f}}),
                  ranked({640, 480}, 67, {{"separable_tiles", 0.03f}}),
                  ranked({480, 640}, 17, {{"separable_tensor", 0.01f}}), ranked({7680, 4320}, 5, {{"global", 1.0f}})});
  const auto of_radius = [&](int radius, PixelType format = PixelType::f32) {
    return plan("auto", {.radius = radius}, {16, 16}, format, gpu);
  };
  EXPECT_EQ(of_radius(8)->reason,
            "separable_tiles: 0.01 ms; separable_shuffle takes 1.50 times that. The fastest of 3 measured here.");
  EXPECT_EQ(of_radius(10)->reason,
            "separable_tiles: 0.01 ms; separable_shuffle takes 1.50 times that. The fastest of 3 measured at 640×480, "
            "17×17 taps, which is nearest.");
  EXPECT_EQ(
      of_radius(18)->reason,  // separable_stream supports only smaller radii
      "separable_whitepaper: 0.021 ms, because separable_stream cannot; separable_tensor takes 1.43 times that. The "
      "fastest of 3 measured at 640×480, 31×31 taps, which is nearest.");
  // Where separable_tensor was refused, nothing is known about where it can run.
  EXPECT_EQ(of_radius(32)->chosen, "separable_tensor");
  EXPECT_EQ(of_radius(33)->chosen, "separable_tiles");
  EXPECT_EQ(of_radius(2)->chosen, "separable_shuffle");  // the measured image is too different
  EXPECT_EQ(of_radius(8, PixelType::rgba8)->chosen, "separable_tensor");
  const auto itself = plan("separable_tiles", {.radius = 8}, {16, 16}, PixelType::f32, gpu);
  EXPECT_EQ(std::get<KernelStep>(of_radius(8)->steps[0]).kernel.exact.text(),
            std::get<KernelStep>(itself->steps[0]).kernel.exact.text());
}

// Known numbers: 16x16 f32 fits 48 KB to radius 47 and 99 KB to radius 71 (beyond our slider).
TEST(Plan, SharedMemoryReachesTheKnownRadius) {
  const DeviceLimits limits{.max_shared_bytes = 48 * 1024};
  EXPECT_TRUE(plan("tile_linear", {.kind = FilterKind::box, .radius = 47}, {16, 16}, PixelType::f32, limits));
  EXPECT_FALSE(plan("tile_linear", {.kind = FilterKind::box, .radius = 48}, {16, 16}, PixelType::f32, limits));
}

TEST(Plan, RefusesTapsBeyondConstantMemory) {
  EXPECT_TRUE(plan("constant", {.kind = FilterKind::box, .radius = 63}));
  EXPECT_TRUE(plan("constant", {.kind = FilterKind::custom, .matrix = {{129, 3}, std::vector<double>(129 * 3, 1)}}));
  EXPECT_EQ(refusal(plan("constant", {.kind = FilterKind::box, .radius = 64})),
            "constant needs 66 KiB of constant memory for the taps of all its steps; there are 64 KiB");
}

TEST(Plan, RefusesAMatrixThatIsNotSeparable) {
  const FilterSpec filter{.kind = FilterKind::custom};
  EXPECT_EQ(refusal(plan("separable_tiles", filter)),
            "separable_tiles needs a separable filter (rank 1: a row times a column), but this matrix has rank 2. Use "
            "tile_unrolled");
  EXPECT_EQ(refusal(plan("cpu_separable", filter)),
            "cpu_separable needs a separable filter (rank 1: a row times a column), but this matrix has rank 2. Use "
            "cpu_direct");
}

TEST(Plan, NamesTheInstanceForTheCompiler) {
  const auto tile = plan("tile_unrolled", {.radius = 5}, {16, 16}, PixelType::rgba8);
  const auto& kernel = std::get<KernelStep>(tile->steps[0]).kernel;
  EXPECT_EQ(kernel.file, "kernels/variants/tile_linear.cu");
  EXPECT_EQ(kernel.exact.text(),
            "gpu::tile_linear<gpu::SourceView<Rgba8, Border::replicate>, gpu::TargetView<Rgba8>, 5, 5, 16, 16, 1>");
  EXPECT_EQ(kernel.general.text(),
            "gpu::tile_linear<gpu::SourceView<Rgba8, Border::any>, gpu::TargetView<Rgba8>, -1, -1, -1, -1, 0>");
}

// 9x9 is in neither document's list, 11x11 only in the blog's.
TEST(Plan, FallsBackForSizesThatAreNotListed) {
  const auto kernel = [](int radius, int choice) {
    ConvSettings settings{.taps = std::make_shared<const Taps>(*taps_of({.radius = radius}))};
    settings.switches.set("fixed_size", choice);
    const Result<LaunchPlan> made = plan_job(*find_variant("tile_unrolled"), {64, 48}, settings, {});
    return std::get<KernelStep>(made->steps[0]);
  };
  const auto is_templated = [&](int radius, int choice) {
    const KernelStep step = kernel(radius, choice);
    EXPECT_EQ(step.kernel.exact.text().find(", -1, -1, ") == std::string::npos, *step.templated);
    return *step.templated;
  };
  constexpr int every = 0, published = 1, none = 2, report = 3;
  EXPECT_TRUE(is_templated(4, every));
  EXPECT_FALSE(is_templated(4, published));
  EXPECT_FALSE(is_templated(1, none));
  EXPECT_FALSE(is_templated(4, report));
  EXPECT_TRUE(is_templated(5, published));
  EXPECT_FALSE(is_templated(5, report));
  for (const int radius : {1, 2, 3}) EXPECT_TRUE(is_templated(radius, published) && is_templated(radius, report));
  const auto tile = plan("tile_linear", {.radius = 1});  // leaves no choice
  EXPECT_EQ(std::get<KernelStep>(tile->steps[0]).templated, std::nullopt);
}

TEST(Plan, SeparableScratchIsFloat) {
  EXPECT_EQ(plan("separable_tiles", {}, {16, 16}, PixelType::rgba8)->scratch[0].type, PixelType::rgba32f);
  EXPECT_EQ(plan("separable_tiles", {}, {16, 16}, PixelType::f32)->scratch[0].type, PixelType::f32);
}

// The whitepaper's claim as a formula (checklist row 96): (2R+1)^2 taps become 2(2R+1); a 16x16 tile with R 1 loads 324
// pixels for 256.
TEST(Cost, CountsTapsAndLoads) {
  const Cost direct = cost_of(*plan("tile_linear", {.radius = 5}));
  const Cost separable = cost_of(*plan("separable_tiles", {.radius = 5}));
  EXPECT_EQ(direct.multiply_adds, 640 * 480 * 121ll);
  EXPECT_EQ(separable.multiply_adds, 640 * 480 * 22ll);
  EXPECT_EQ(direct.compulsory_bytes, 640 * 480 * 8ll);
  EXPECT_EQ(separable.compulsory_bytes, 640 * 480 * 16ll);
  EXPECT_DOUBLE_EQ(cost_of(*plan("tile_linear", {.radius = 1})).loads_per_pixel, 324.0 / 256.0);
}

// The rows of an image that a step accesses.
struct Touch {
  ImageRef image;
  std::vector<bool> rows;
  bool writes;
};

std::vector<Touch> touched(const LaunchPlan& plan, const Step& any_step) {
  const StepBase& step = base_of(any_step);
  const RowRange written = step.rows.value_or(RowRange{0, plan.size_of(step.writes).height});
  Touch write{step.writes, std::vector<bool>(plan.size_of(step.writes).height), true};
  std::fill_n(write.rows.begin() + written.first, written.count, true);
  const int height = plan.size_of(step.reads).height;
  Touch read{step.reads, std::vector<bool>(height), false};
  if (const auto* copy = std::get_if<CopyStep>(&any_step)) {
    std::fill_n(read.rows.begin() + copy->from_row, written.count, true);
  } else {
    const auto& kernel = std::get<KernelStep>(any_step);
    const int end = step.origin.y + kernel.grid.height * kernel.tile.height + kernel.apron.height;
    for (int y = step.origin.y - kernel.apron.height; y < end; ++y)
      if (const int row = cpu_rows::source_index(y, height, step.border); row >= 0) read.rows[row] = true;
  }
  std::vector<Touch> touches{write, read};
  if (step.also_reads) touches.push_back({*step.also_reads, std::vector<bool>(height, true), false});
  return touches;
}

// Two steps that may run at the same time and access the same row, one of them writing; empty if there are none.
std::string first_conflict(const LaunchPlan& plan) {
  const int count = static_cast<int>(plan.steps.size());
  std::vector<std::vector<bool>> before(count, std::vector<bool>(count));  // before[i][j]: j ends before i begins
  std::map<std::pair<int, int>, int> last;
  std::vector<std::vector<Touch>> touches;
  for (int i = 0; i < count; ++i) {
    const StepBase& step = base_of(plan.steps[i]);
    std::vector<int> awaited = step.after;
    if (const auto found = last.find({step.device, step.stream}); found != last.end()) awaited.push_back(found->second);
    for (const int j : awaited)
      for (int k = 0; k < count; ++k) before[i][k] = before[i][k] || k == j || before[j][k];
    last[{step.device, step.stream}] = i;
    touches.push_back(touched(plan, plan.steps[i]));
    for (int j = 0; j < i; ++j) {
      if (before[i][j]) continue;
      for (const Touch& a : touches[i])
        for (const Touch& b : touches[j]) {
          if (a.image != b.image || !(a.writes || b.writes)) continue;
          for (std::size_t row = 0; row < a.rows.size(); ++row)
            if (a.rows[row] && b.rows[row])
              return fmt::format("{} and {} both touch row {}", plan.title_of(j), plan.title_of(i), row);
        }
    }
  }
  return {};
}

Result<LaunchPlan> spread_plan(std::string_view id, Size2 image, int radius, Border border, const char* set,
                               int devices) {
  LaneSettings lane{.variant = std::string(id), .format = PixelType::f32};
  EXPECT_TRUE(!*set || set_from_text(lane.switches, set));
  if (id == "streams") lane.switches.set("strips", 1 + (radius + devices) % 9);
  DeviceLimits limits;
  limits.devices = devices;
  const FilterSpec filter{.kind = FilterKind::box, .radius = radius};
  return plan_of(lane, {.filter = filter, .border = border}, std::make_shared<Taps>(*taps_of(filter)), image, limits);
}

// In a plan over several streams or devices no step conflicts with another that it does not wait for, and the picture
// is correct.
TEST(Plan, SpreadStepsNeverMeet) {
  CpuExecutor executor;
  for (const BorderInfo& border : borders)
    for (const int radius : {0, 2, 17})
      for (const int height : {1, 7, 64, 83})
        for (const auto& [id, set, devices] : {std::tuple{"streams", "streams=1", 1},
                                               {"streams", "streams=3", 2},
                                               {"streams", "streams=8", 4},
                                               {"multi_gpu", "", 1},
                                               {"multi_gpu", "", 2},
                                               {"multi_gpu", "", 5}}) {
          if (border.border == Border::valid && height <= 2 * radius) continue;
          const Size2 image{40, height};
          const auto plan = spread_plan(id, image, radius, border.border, set, devices);
          ASSERT_TRUE(plan) << plan.error().text;
          EXPECT_EQ(first_conflict(*plan), "") << id << " " << set << " " << border.id << " " << height;
          const HostImage source = noise_image(image, PixelType::f32);
          HostImage target(PixelType::f32, plan->image);
          ASSERT_TRUE(executor.run(*plan, source, target));
          EXPECT_TRUE(
              compare(target, reference_of(source, {.kind = FilterKind::box, .radius = radius}, border.border, 0)).pass)
              << id << " " << set << " " << devices << " " << border.id << " radius " << radius << " " << height;
        }
}

// Checklist row 175: every stream shifts the source and writes the whole output. Detected as a conflict, and wrong.
TEST(Plan, PublishedStreamsMeetAndAreWrong) {
  auto plan = spread_plan("streams", {40, 64}, 2, Border::replicate, "streams=4", 2);
  EXPECT_EQ(first_conflict(*plan), "");
  plan = spread_plan("streams", {40, 64}, 2, Border::replicate, "as_published=on", 2);
  EXPECT_NE(first_conflict(*plan).find("kernel"), std::string::npos) << first_conflict(*plan);
  const HostImage source = noise_image({40, 64}, PixelType::f32);
  HostImage target(PixelType::f32, {40, 64});
  ASSERT_TRUE(CpuExecutor().run(*plan, source, target));
  EXPECT_FALSE(
      compare(target, reference_of(source, {.kind = FilterKind::box, .radius = 2}, Border::replicate, 0)).pass);
}

// A combined plan waits for everything before it: the filters of a chain, and a filter applied to its own result.
TEST(Plan, JoinedPlansNeverMeet) {
  for (const int devices : {1, 3})
    for (const FilterKind kind : {FilterKind::edges, FilterKind::box}) {
      DeviceLimits limits;
      limits.devices = devices;
      const FilterSpec filter{.kind = kind, .radius = 2};
      const Settings settings{.filter = filter, .iterations = 3};
      const auto taps = std::make_shared<Taps>(*taps_of(filter));
      const auto planned = plan_of({.variant = "multi_gpu"}, settings, taps, {40, 64}, limits);
      ASSERT_TRUE(planned) << planned.error().text;
      EXPECT_EQ(first_conflict(*planned), "") << devices;
    }
}

// A 16x16 block of radius 5 on 40x20 pixels: the position of its tile and apron, also with valid padding, which removes
// the edge.
TEST(Plan, BlocksLieWhereTheirPixelsAre) {
  ConvSettings settings{.taps = std::make_shared<Taps>(*taps_of({.radius = 5}))};
  const auto whole = plan_job(*find_variant("tile_linear"), {40, 20}, settings, cpu_limits());
  const auto& step = std::get<KernelStep>(whole->steps.front());
  EXPECT_EQ(tile_of(*whole, step, {1, 0}), (PixelRect{16, 0, 16, 16}));
  EXPECT_EQ(tile_of(*whole, step, {2, 1}), (PixelRect{32, 16, 8, 4}));  // cut off
  EXPECT_EQ(staged_of(*whole, step, {1, 0}), (PixelRect{11, -5, 26, 26}));
  EXPECT_EQ(block_at(*whole, step, {39, 19}), (Point2{2, 1}));
  EXPECT_FALSE(block_at(*whole, step, {40, 0}));
  const LoadsPerPixel loads = loads_per_pixel(step);
  EXPECT_EQ(loads.least, 1);
  EXPECT_EQ(loads.most, 4);
  EXPECT_NEAR(loads.mean, 26.0 * 26 / 256, 1e-9);

  settings.border = Border::valid;
  const auto cropped = plan_job(*find_variant("tile_linear"), {40, 20}, settings, cpu_limits());
  const auto& inner = std::get<KernelStep>(cropped->steps.front());
  EXPECT_EQ(tile_of(*cropped, inner, {0, 0}), (PixelRect{5, 5, 16, 10}));
  EXPECT_FALSE(block_at(*cropped, inner, {4, 5}));
}

// Compared with NVIDIA's occupancy calculator for compute capability 9.0: with 40 registers and 256 threads 6 blocks
// fit.
TEST(Occupancy, SaysWhatLimitsIt) {
  const MultiprocessorLimits h200{.shared_bytes = 228 * 1024};
  Occupancy o = occupancy_of({.registers = 40, .block = {16, 16}}, h200);
  EXPECT_EQ(o.blocks, 6);
  EXPECT_DOUBLE_EQ(o.share(), 0.75);
  EXPECT_EQ(o.limiter, "registers: 40 per thread, 10240 per block of 65536: 6 blocks at once");
  o = occupancy_of({.registers = 16, .shared_bytes = 40'000, .block = {16, 16}}, h200);
  EXPECT_EQ(o.blocks, 5);
  EXPECT_TRUE(o.limiter.starts_with("shared memory")) << o.limiter;
  o = occupancy_of({.registers = 16, .block = {8, 4}}, h200);
  EXPECT_EQ(o.blocks, 32);
  EXPECT_DOUBLE_EQ(o.share(), 0.5);
  EXPECT_TRUE(o.limiter.starts_with("blocks")) << o.limiter;
}

TEST(Plan, StreamsRefuseChains) {
  EXPECT_EQ(refusal(plan("streams", {.kind = FilterKind::edges})),
            "streams cannot be part of a chain of launches. Use a filter of one matrix");
}

TEST(Plan, FftHasALengthThatSuitsTheLibrary) {
  EXPECT_EQ(refusal(plan("fft", {}, {16, 16}, PixelType::rgba8, {.compute_capability = 90, .no_fft = "no cuFFT"})),
            "fft: no cuFFT");
  const auto on_gpu = plan("fft", {.radius = 5}, {16, 16}, PixelType::rgba8, {.compute_capability = 90});
  ASSERT_TRUE(on_gpu);
  EXPECT_EQ(on_gpu->title_of(1), "FFT 672x490");  // 650 and 490, to the next even product of 2, 3, 5 and 7
  EXPECT_EQ(on_gpu->once.size(), 2u);
  EXPECT_EQ(plan("fft", {.radius = 5})->title_of(1), "FFT 720x500");  // the next multiple of 4 from 2, 3 and 5
}

}  // namespace

}  // namespace conv
