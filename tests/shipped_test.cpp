// The results that come with the program.
#include "app/measure/shipped.h"

#include <gmock/gmock.h>

#include "app/measure/chart.h"
#include "app/measure/gpu_models.h"
#include "app/measure/presets.h"
#include "app/measure/published.h"
#include "app/measure/roofline.h"

namespace conv {

namespace {

using testing::EndsWith;
using testing::SizeIs;
using testing::StartsWith;

const ShippedResults& shipped() {
  static const ShippedResults results = load_shipped_results();
  return results;
}

TEST(Shipped, AreWholeAndOfTheGpuAlone) {
  EXPECT_EQ(shipped().results.environment.processor, "NVIDIA H200");
  EXPECT_EQ(shipped().ceilings.processor, "NVIDIA H200");
  EXPECT_GT(shipped().ceilings.gflop_per_s, 10'000);
  for (const BenchRow& row : shipped().results.rows) {
    EXPECT_EQ(row.processor, "NVIDIA H200");
    EXPECT_THAT(row.elsewhere, StartsWith("NVIDIA H200, 2026-"));
  }
  // Every preset but the one for `auto`, which depends on the processor, has rows.
  for (const BenchPreset& preset : bench_presets()) {
    if (!preset.groups) continue;
    EXPECT_GT(rows_of(shipped().results.rows, preset.id).size(), 0u) << preset.id;
  }
}

// A bound that a measured time contradicts is none. Peers have no plan.
TEST(Shipped, NoTimeIsShorterThanTheDataSheetAllows) {
  int compared = 0;
  double nearest = 0;
  for (const BenchRow& row : shipped().results.rows) {
    if (row.state != RowState::measured) continue;
    const std::vector<Cost> steps = costs_of(row.point, shipped().limits);
    if (steps.empty()) continue;
    const double least = least_time(steps, gpu_model_h200()).ms(), median = row.summary().median;
    EXPECT_GE(median, least) << row.preset << " " << row.point.lane.variant << " radius " << row.point.filter.radius
                             << " " << row.point.image.width << " " << info(row.point.lane.format).id;
    nearest = std::max(nearest, least / median);
    ++compared;
  }
  EXPECT_GT(compared, 600);
  EXPECT_GT(nearest, 0.5);  // it says something
}

TEST(GpuModels, HaveTheLimitsOfTheirArchitecture) {
  for (const GpuModel& gpu : gpu_models()) {
    EXPECT_EQ(std::ranges::count(gpu_models(), gpu.name, &GpuModel::name), 1) << gpu.name;
    const MultiprocessorLimits limits = multiprocessor_of(gpu);
    EXPECT_EQ(limits.shared_bytes - limits_of(gpu).max_shared_bytes, limits.reserved_shared_bytes) << gpu.name;
    // The boost clock that follows from the rate: 64 or 128 multiply-adds per multiprocessor and cycle.
    const int lanes = gpu.compute_capability <= 80 ? 64 : 128;
    const double mhz = gpu.gflop_per_s * 1000 / (2.0 * lanes * gpu.multiprocessors);
    EXPECT_GT(mhz, 1300) << gpu.name;
    EXPECT_LT(mhz, 2600) << gpu.name;
    EXPECT_FALSE(gpu.source.empty()) << gpu.name;
  }
}

TEST(GpuModels, TheLeastTimeIsTheLongerOfTwo) {
  const GpuModel gpu{.memory_gb_per_s = 1000, .gflop_per_s = 2000, .cache_bytes = 1'000'000};
  const Cost small{.compulsory_bytes = 900'000, .multiply_adds = 1'000'000};
  const LeastTime cached = least_time({{small, small}}, gpu);
  EXPECT_EQ(cached.memory_ms, 0);
  EXPECT_DOUBLE_EQ(cached.ms(), 0.002);
  EXPECT_EQ(
      least_time_text(cached, gpu),
      "At least 0.00200 ms: multiply-adds take 0.00200 ms, the images of each kernel fit into the L2 cache (977 KiB).");
  const Cost on_tensor_cores{
      .compulsory_bytes = 900'000, .multiply_adds = 1'000'000, .tensor_multiply_adds = 1'000'000};
  EXPECT_EQ(
      least_time_text(least_time({{on_tensor_cores}}, gpu), gpu),
      "No least time follows from the data sheet: the multiply-adds run on tensor cores, the images of each kernel "
      "fit into the L2 cache (977 KiB).");
  const Cost large{.compulsory_bytes = 11'000'000, .multiply_adds = 3'000'000, .tensor_multiply_adds = 2'000'000};
  const LeastTime from_memory = least_time({{large}}, gpu);
  EXPECT_DOUBLE_EQ(from_memory.memory_ms, 0.01);
  EXPECT_DOUBLE_EQ(from_memory.multiply_add_ms, 0.001);
  EXPECT_DOUBLE_EQ(from_memory.ms(), 0.01);
  EXPECT_EQ(
      least_time_text(from_memory, gpu),
      "At least 0.0100 ms: multiply-adds take 0.00100 ms, the bytes that do not fit into the L2 cache take 0.0100 ms.");
}

TEST(Shipped, TheNearestSettingIsNamed) {
  BenchPoint wanted{.image = {1920, 1080}, .filter = {.sigma = 2, .radius = 5}, .lane = {.format = PixelType::rgba8}};
  const NearestShipped same = nearest_shipped(shipped(), wanted, 1);
  EXPECT_TRUE(same.same);
  EXPECT_EQ(same.what, "NVIDIA H200, 2026-11-25, 1920×1080 RGBA8, Gaussian, radius 5, Replicate, block 16×16");
  EXPECT_THAT(same.rows, SizeIs(21));
  for (const BenchRow& row : same.rows) {
    EXPECT_EQ(row.point.filter.radius, 5);
    EXPECT_EQ(row.point.lane.format, PixelType::rgba8);
  }
  EXPECT_FALSE(nearest_shipped(shipped(), wanted, 2).same);
  BenchPoint mirrored = wanted;
  mirrored.border = Border::mirror;
  EXPECT_FALSE(nearest_shipped(shipped(), mirrored, 1).same);
  // Between two radii that are equally near: one of them, not both.
  for (const int radius : {4, 12}) {
    BenchPoint between = wanted;
    between.filter.radius = radius;
    EXPECT_THAT(nearest_shipped(shipped(), between, 1).rows, SizeIs(21));
  }
  wanted.filter.radius = 40;
  wanted.lane.format = PixelType::rgb8;
  const NearestShipped other = nearest_shipped(shipped(), wanted, 1);
  EXPECT_FALSE(other.same);
  EXPECT_EQ(other.what,
            "NVIDIA H200, 2026-11-25, 1920×1080 F32 luma, Gaussian, radius 16, Replicate, block 16×16 (the nearest "
            "setting that was measured)");
}

TEST(Shipped, TimesOfTwoLanesAreSaidIfTheyDifferInTheVariantAlone) {
  Settings settings;
  settings.view = ViewMode::side;
  settings.filter = {.sigma = 2, .radius = 5};
  settings.lanes[0] = {.variant = "global", .format = PixelType::rgba8};
  settings.lanes[1] = {.variant = "tile_linear", .format = PixelType::rgba8};
  const std::string both = shipped_times_text(shipped(), settings, {1920, 1080});
  EXPECT_THAT(both, testing::MatchesRegex("global 0.[0-9]+ ms · tile_linear 0.[0-9]+ ms\nNVIDIA H200, .*16×16"));
  settings.view = ViewMode::single;
  EXPECT_THAT(shipped_times_text(shipped(), settings, {480, 270}),
              testing::MatchesRegex("global 0.[0-9]+ ms\nNVIDIA H200, .* .the nearest setting that was measured."));
  settings.view = ViewMode::side;
  for (const char* unknown : {"cpu_direct", "no_such_variant"}) {
    settings.lanes[1].variant = unknown;
    EXPECT_EQ(shipped_times_text(shipped(), settings, {1920, 1080}), "");
  }
}

// A time below half of what the multiply-adds alone take would be a mistake in the files.
TEST(Shipped, TimesArePossible) {
  int compared = 0;
  for (const BenchRow& row : rows_of(shipped().results.rows, "variants")) {
    const std::vector<Cost> costs = costs_of(row.point, shipped().limits);
    if (row.state != RowState::measured || costs.empty()) continue;
    double least = 0;
    for (const Cost& cost : costs) least += least_ms(Roof::multiply_add, cost, shipped().ceilings);
    EXPECT_GT(row.summary().median, 0.5 * least) << row.point.lane.variant << " radius " << row.point.filter.radius;
    ++compared;
  }
  EXPECT_GT(compared, 150);
}

// Rows of this machine and shipped ones are in one chart, but each has the speedups of its own machine.
TEST(Shipped, MachinesAreNotMixed) {
  std::vector<BenchRow> rows;
  const auto add = [&](const char* variant, int radius, float ms, const char* from) {
    BenchRow row{.point = {.image = {64, 64}, .filter = {.radius = radius}, .lane = {.variant = variant}},
                 .state = RowState::measured,
                 .ms = std::vector<float>(16, ms),
                 .elsewhere = from};
    rows.push_back(row);
  };
  for (const char* from : {"", "NVIDIA H200, 2026-11-21"})
    for (const int radius : {1, 2}) {
      const float unit = *from ? 1.0f : 100.0f;
      add("global", radius, 4 * unit, from);
      add("constant", radius, 2 * unit, from);
    }
  const auto speedups = speedups_of(rows, BenchClock::median);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(speedups[i], i % 2 ? 2.0 : 1.0) << i;
  const Chart chart = chart_of(rows, {.processor = "CPU executor"}, "", BenchValue::ms, BenchClock::median);
  ASSERT_THAT(chart.series, SizeIs(4));
  EXPECT_EQ(chart.series[0].name, "global · this machine");
  EXPECT_EQ(chart.series[3].name, "constant · NVIDIA H200, 2026-11-21");
  EXPECT_THAT(chart.note, StartsWith("CPU executor and NVIDIA H200, 2026-11-21 · "));
  const auto only = std::span(rows).subspan(4);
  EXPECT_THAT(chart_of(only, {.processor = "CPU executor"}, "", BenchValue::ms, BenchClock::median).note,
              StartsWith("NVIDIA H200, 2026-11-21 · "));
}

// Rows 85 to 93, 134: the numbers of each table, and those of the H200 for the same points.
TEST(Published, EachTableIsPlottedBesideTheShippedNumbers) {
  const ShippedResults shipped = load_shipped_results();
  int with_shipped = 0;
  for (const PublishedTable& table : published().tables) {
    SCOPED_TRACE(table.title());
    const auto rows = rows_of(shipped.results.rows, table.preset);
    const Chart chart = chart_of(table, std::array{MachineRows{"H200", rows}}, BenchClock::median);
    const bool ladder = table.places.size() == 1;  // a bar for each series
    EXPECT_EQ(chart.ticks.size(), ladder ? table.series.size() : table.places.size());
    ASSERT_GE(chart.series.size(), ladder ? 1 : table.series.size());
    for (std::size_t s = 0; s < table.series.size(); ++s)
      for (std::size_t place = 0; place < table.places.size(); ++place)
        EXPECT_EQ(ladder ? chart.series[0].y[s] : chart.series[s].y[place], table.series[s].values[place]);
    for (const ChartSeries& series : chart.series) {
      const bool theirs = series.name.ends_with("published");
      EXPECT_TRUE(theirs || series.name.ends_with("H200")) << series.name;
      with_shipped += !theirs;
    }
    EXPECT_GT(chart.least, 0);
  }
  EXPECT_GE(with_shipped, 12);
}

TEST(Published, SpeedupsFollowFromTheTimes) {
  const auto& tables = published().tables;
  const auto table = [&](std::string_view name) -> const PublishedTable& {
    return *std::ranges::find(tables, name, &PublishedTable::table);
  };
  const PublishedTable& ladder = *std::ranges::find(tables, "S1", &PublishedTable::source);
  EXPECT_NEAR(ladder.relative(3, 0, 0).value(), 185.0 / 81, 1e-9);
  const PublishedTable& sizes = table("5.5");
  ASSERT_EQ(sizes.baselines(), (std::vector<std::size_t>{0, 1}));    // the CPU, and V1
  EXPECT_NEAR(sizes.relative(1, 4, 0).value(), 265.23 / 4.5, 1e-9);  // V1 at 4096x4096
  EXPECT_NEAR(sizes.relative(3, 4, 1).value(), 4.5 / 5.819, 1e-9);   // V2 against V1
  EXPECT_EQ(table("5.9").baselines(), std::vector<std::size_t>{0});
}

TEST(Published, EveryDocumentIsShownAndRightNumbersAreOurs) {
  EXPECT_EQ(published().without_table, std::vector<std::string_view>{"S0"});
  const auto wrong_taps = std::ranges::find(published().errata, 168, &Erratum::row);
  const Taps taps = *taps_of({.sigma = 2, .radius = 5});
  ASSERT_EQ(wrong_taps->right.size(), 6u);  // from the edge to the centre
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(wrong_taps->right[i], taps.row[i], 5e-5);
}

// Row 96: with the document's own numbers, a formula gives what the document says.
TEST(Published, ClaimsFollowTheSettings) {
  const auto said = [](std::string_view says, Size2 image, int radius, Size2 block) {
    const auto& claims = published().claims;
    const auto claim =
        std::ranges::find_if(claims, [&](const PublishedClaim& any) { return any.says.starts_with(says); });
    return text_for(*claim, {.image = image, .filter = {.radius = radius}, .lane = {.block = block}});
  };
  const Size2 hd{1920, 1080}, block{16, 16};
  EXPECT_THAT(said("60 frames a second", hd, 5, block), EndsWith("= 124 Mpx/s"));
  EXPECT_THAT(said("A radius of 5", hd, 5, block), EndsWith("= 251 million"));
  EXPECT_EQ(said("Separable: 22", hd, 5, block), "2 (2R+1) = 22 instead of 121");
  EXPECT_EQ(said("176 loads", hd, 5, block), "16 (2R+1) = 176 become 16 + 2R = 26");
  EXPECT_THAT(said("A 16x16 block", hd, 16, block), EndsWith("= 9216 bytes"));
  EXPECT_EQ(said("With radius 16, only one", hd, 16, block), "16384 / 9216: 1 tile fits");
  EXPECT_EQ(said("With radius 16, only one", hd, 1, block), "16384 / 1296: 12 tiles fit");
  EXPECT_EQ(said("With one thread for each", hd, 16, block), "256 / 2304 = 1/9");
  EXPECT_EQ(said("With columns of threads", hd, 16, block), "256 / 768 = 1/3");
  EXPECT_EQ(said("With one thread for each", hd, 5, block), "256 / 676 = 0.379");
  EXPECT_EQ(said("With an apron of 16", hd, 16, block), "2304 / 256 = 9");
  EXPECT_EQ(said("In two passes each", hd, 16, block), "48 / 16 + 48 / 16 = 6");
  EXPECT_THAT(said("Each value in the tile", hd, 1, block), EndsWith("= 7.11"));
  EXPECT_THAT(said("A 32x8 tile", hd, 2, {32, 8}), EndsWith("= 432"));
  EXPECT_EQ(said("Separable: 22", hd, 9, block), "2 (2R+1) = 38 instead of 361");
  EXPECT_EQ(said("More than twice", hd, 5, block), "");
  // No formula is missing, and none is unknown.
  for (const PublishedClaim& claim : published().claims)
    EXPECT_EQ(claim.formula.empty(), text_for(claim, {.image = hd}).empty()) << claim.says;
}

}  // namespace

}  // namespace conv
