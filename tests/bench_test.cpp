// Sweeps: measuring, checking, files, comparing and drawing.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "app/measure/bench_json.h"
#include "app/measure/bench_tables.h"
#include "app/measure/chart.h"
#include "app/measure/crossover.h"
#include "app/measure/engine.h"
#include "app/measure/presets.h"
#include "app/measure/rankings.h"
#include "app/measure/roofline.h"
#include "app/measure/tuning.h"
#include "kernels/core/cost.h"
#include "kernels/ops/peers.h"
#include "support.h"

namespace conv {

namespace {

using testing::HasSubstr;
using testing::SizeIs;

BenchPoint point_of(const std::string& variant, Size2 image = {40, 30}, int radius = 2) {
  return {
      .image = image, .filter = {.sigma = 1, .radius = radius}, .lane = {.variant = variant, .format = PixelType::f32}};
}

// A made-up row with times around `ms`.
BenchRow row_of(const BenchPoint& point, float ms, unsigned seed = 1) {
  std::mt19937 random(seed);
  BenchRow row{.preset = "sweep", .point = point, .state = RowState::measured, .processor = "Some GPU"};
  for (int i = 0; i < 32; ++i) row.ms.push_back(ms * (1 + 0.01f * static_cast<float>(random() % 100) / 100));
  row.other.mean_of_10_ms = 2 * ms;
  row.multiply_adds = 1000;
  row.date = "2026-01-02 03:04:05 UTC";
  return row;
}

const BenchEnvironment somewhere{.processor = "Some GPU", .driver = "580.1", .cuda = "13.0", .version = "0.1.0"};

TEST(Engine, MeasuresAndChecksOnTheHost) {
  Processor processor = *Processor::create(DeviceChoice::cpu);
  BenchEngine engine(processor, {.rounds = 16});
  const auto rows = *engine.measure(
      {point_of("cpu_sequential"), point_of("cpu_separable"), point_of("tile_linear"), point_of("box_running")});
  ASSERT_THAT(rows, SizeIs(4));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(rows[i].state, RowState::measured) << rows[i].text;
    EXPECT_THAT(rows[i].ms, SizeIs(16));
    EXPECT_GT(rows[i].summary().median, 0);
    EXPECT_EQ(rows[i].checked_share, 1);
    EXPECT_LT(rows[i].max_error, 1e-6);
    EXPECT_TRUE(rows[i].on_cpu());
  }
  EXPECT_EQ(rows[0].processor, "CPU, one thread");
  EXPECT_THAT(rows[2].processor, HasSubstr("CPU executor"));
  EXPECT_EQ(rows[0].multiply_adds, 40 * 30 * 25);
  EXPECT_EQ(rows[0].baseline, "");
  EXPECT_EQ(rows[1].baseline, "cpu_sequential");
  EXPECT_NE(rows[1].against.outcome, Comparison::Outcome::measuring);
  EXPECT_EQ(rows[3].state, RowState::refused);
  EXPECT_THAT(rows[3].text, HasSubstr("equal taps"));
}

TEST(Engine, AWrongResultHasNoTime) {
  Processor processor = *Processor::create(DeviceChoice::cpu);
  BenchEngine engine(processor, {.rounds = 3});
  const BenchRow row = engine.measure({point_of("tile_no_apron")})->front();
  EXPECT_EQ(row.state, RowState::wrong);
  EXPECT_THAT(row.ms, SizeIs(0));
  EXPECT_FALSE(row.time(BenchClock::median));
  EXPECT_THAT(row.text, HasSubstr("wrong by"));
}

TEST(Engine, RefusesWhatItCannotMeasureInWords) {
  Processor processor = *Processor::create(DeviceChoice::cpu);
  BenchEngine engine(processor);
  BenchPoint cold = point_of("global");
  cold.cold = true;
  EXPECT_THAT(engine.measure({cold})->front().text, HasSubstr("cold"));
  BenchPoint no_such_switch = point_of("global");
  no_such_switch.lane.switches.set("streams", 2);
  EXPECT_THAT(engine.measure({no_such_switch})->front().text, HasSubstr("streams"));
}

// The reference of some rows equals those rows of the whole reference, and finds an error in them.
TEST(Reference, OfSomeRowsIsPartOfTheWhole) {
  const HostImage source = noise_image({23, 19}, PixelType::rgba8);
  const FilterSpec filter{.sigma = 1.5, .radius = 3};
  const Reference whole = reference_of(source, filter, Border::mirror, 0);
  ThreadPool pool(2);
  const Reference some = reference_of(source, filter, Border::mirror, 0, {.pool = &pool, .rows = {0, 7, 18}});
  ASSERT_THAT(some.values, SizeIs(3 * 23 * 4));
  for (std::size_t i = 0; i < some.values.size(); ++i)
    EXPECT_EQ(some.values[i], whole.values[i % (23 * 4) + static_cast<std::size_t>(some.rows[i / (23 * 4)]) * 23 * 4]);
  HostImage result = convolved(*find_variant("cpu_direct"), source, filter, Border::mirror);
  EXPECT_TRUE(compare(result, some).pass);
  result.pixels<std::byte>()[(7 * 23 + 5) * 4] ^= std::byte{64};
  const Verdict verdict = compare(result, some);
  EXPECT_FALSE(verdict.pass);
  EXPECT_EQ(verdict.where, (Point2{5, 7}));
}

// NPP's rounding to 8 bits, and its filtered alpha, which others keep; two levels of difference are wrong there too.
TEST(Reference, ALevelApartIsToleratedWhereItMayBe) {
  const HostImage source = noise_image({23, 19}, PixelType::gray8);
  const FilterSpec filter{.sigma = 1.5, .radius = 3};
  const Reference exact = reference_of(source, filter, Border::replicate, 0);
  HostImage result = convolved(*find_variant("cpu_direct"), source, filter, Border::replicate);
  for (const bool tolerated : {true, false}) {
    for (std::size_t i = 0; i < result.bytes.size(); ++i) --result.pixels<unsigned char>()[i];
    EXPECT_FALSE(compare(result, exact).pass);
    EXPECT_EQ(compare(result, exact, a_level).pass, tolerated);
  }
}

TEST(Reference, AlphaIsNotLookedAtWhereItIsFiltered) {
  const HostImage source = noise_image({9, 7}, PixelType::rgba8);
  const Reference exact = reference_of(source, {.sigma = 1, .radius = 2}, Border::replicate, 0);
  HostImage result = convolved(*find_variant("cpu_direct"), source, {.sigma = 1, .radius = 2}, Border::replicate);
  result.bytes[4 * 11 + 3] ^= std::byte{64};
  EXPECT_FALSE(compare(result, exact).pass);
  EXPECT_TRUE(compare(result, exact, 1e-5f, false).pass);
  result.bytes[4 * 11 + 2] ^= std::byte{64};
  EXPECT_FALSE(compare(result, exact, 1e-5f, false).pass);
}

// Rows of the same exactness are compared with each other, and all with a copy of the image if it comes before them.
TEST(Baselines, AreAsExactAsWhatIsHeldAgainstThem) {
  BenchRow wrong = row_of(point_of("constant"), 1), one_product = row_of(point_of("separable_tensor"), 2),
           other_product = row_of(point_of("separable_stream"), 3);
  wrong.state = RowState::wrong;
  one_product.less_exact = other_product.less_exact = true;
  std::vector<BenchRow> rows{wrong, row_of(point_of("global"), 4), one_product, row_of(point_of("tile_linear"), 2),
                             other_product};
  compare_with_baselines(rows);
  const auto verdicts = [&] {
    std::vector<std::string> texts;
    for (const BenchRow& row : rows) texts.push_back(verdict_text(row));
    return texts;
  };
  EXPECT_EQ(verdicts(), (std::vector<std::string>{"", "", "less exact", "faster than global",
                                                  "slower than separable_tensor, less exact"}));
  rows.insert(rows.begin(), row_of(point_of("copy"), 1));
  compare_with_baselines(rows);
  EXPECT_EQ(rows[0].baseline, "");
  EXPECT_EQ(rows[1].baseline, "");
  for (const std::size_t row : {2, 3, 4, 5}) EXPECT_EQ(rows[row].baseline, "copy") << row;
  rows[0].sm_clock.throttled = "power limit";
  EXPECT_EQ(verdict_text(rows[0]), "GPU throttling: power limit");
  EXPECT_THAT(verdict_text(rows[3]), testing::MatchesRegex("2.* copies \\(.* to .*\\), less exact"));
}

// Each preset can be planned on a GPU as large as those of the documents, and measures what the checklist says.
TEST(Presets, PlanEverywhereAndAreTheDocuments) {
  std::map<std::string, std::size_t> points;
  for (const BenchPreset& preset : bench_presets()) {
    const BenchJob job = job_of(preset, true);
    for (const BenchGroup& group : preset.published ? job.groups : std::vector<BenchGroup>{})
      for (const BenchPoint& point : group) {
        ++points[job.id];
        const auto taps = std::make_shared<Taps>(*taps_of(point.filter));
        const auto plan = plan_job(*find_variant(point.lane.variant), point.image,
                                   conv_settings({.lane = point.lane, .border = point.border}, taps),
                                   {.name = "a GPU", .max_shared_bytes = 99 * 1024});
        EXPECT_TRUE(plan) << job.id << ": " << plan.error().text;
      }
    const BenchJob on_host = job_of(preset, false);
    EXPECT_FALSE(on_host.groups.empty());
    for (const BenchGroup& group : on_host.groups)
      for (const BenchPoint& point : group) {
        EXPECT_TRUE(point.lane.variant.starts_with("cpu_") || point.lane.variant == "auto");
      }
  }
  const std::map<std::string, std::size_t> expected{{"s4-a", 5 * 4}, {"s4-b", 3 * 4}, {"s4-c", 5 * 3}, {"s2-a", 5 * 4},
                                                    {"s2-b", 4 * 4}, {"s2-c", 3},     {"s2-d", 20},    {"s2-e", 15},
                                                    {"s1", 8},       {"s3", 4},       {"s0", 16 * 3}};
  EXPECT_EQ(points, expected);
  EXPECT_EQ(find_preset("s9"), nullptr);
}

// What "auto" uses of its measurements, in any order and in parts: correct results only, each with its better time.
TEST(Rankings, AreOfWhatWasMeasuredTogether) {
  BenchPoint point{.image = {64, 32}, .filter = {.radius = 2}, .lane = {.format = PixelType::f16}};
  const BenchJob job = auto_job(point, true);
  ASSERT_THAT(job.groups, SizeIs(1));
  EXPECT_EQ(job.groups[0].front().lane.variant, "separable_shuffle");
  EXPECT_EQ(job.groups[0].back().lane.variant, "auto");
  EXPECT_THAT(auto_job({.filter = {.kind = FilterKind::edges}}, true).groups, SizeIs(0));
  std::vector<BenchRow> rows;
  const auto measured = [&](const char* variant, float ms, RowState state = RowState::measured) {
    point.lane.variant = variant;
    rows.push_back({.preset = "auto", .point = point, .state = state, .ms = {ms}});
  };
  measured("separable_tiles", 3);
  measured("auto", 0.5f);
  measured("separable_tensor", 0.1f, RowState::wrong);
  point.border = Border::mirror;
  measured("separable_tiles", 1);
  measured("separable_stream", 2);
  rows.push_back({.preset = "sweep", .point = point, .state = RowState::measured, .ms = {0.01f}});
  const auto rankings = rankings_of(rows);
  ASSERT_THAT(*rankings, SizeIs(1));
  const Ranking& ranking = rankings->front();
  EXPECT_EQ(ranking.window, (Size2{5, 5}));
  EXPECT_EQ(ranking.shape, FilterShape::separable);
  ASSERT_THAT(ranking.lanes, SizeIs(2));
  EXPECT_EQ(ranking.lanes[0].variant, "separable_tiles");
  EXPECT_EQ(ranking.lanes[0].ms, 1);
  EXPECT_EQ(ranking.lanes[1].variant, "separable_stream");
}

// Copies and libraries are in the groups of the variants that they are compared with.
TEST(Peers, AreMeasuredBesideTheVariantsOrSayWhyNot) {
  for (const char* preset : {"peers", "peers-4k", "peers-hd", "peers-warm", "peers-rgba8", "peers-box"}) {
    const BenchJob job = job_of(*find_preset(preset), true);
    EXPECT_THAT(job.groups, SizeIs(std::string_view(preset) == "peers-box" ? 8 : 7));
    for (const BenchGroup& group : job.groups) {
      EXPECT_EQ(group.front().lane.variant, "copy");  // the baseline
      for (const BenchPoint& point : group) {
        EXPECT_NE(find_variant(point.lane.variant) != nullptr, find_peer(point.lane.variant) != nullptr);
        EXPECT_EQ(point.cold, std::string_view(preset) != "peers-warm");
      }
    }
  }
  DeviceLimits gpu{.name = "a GPU", .no_npp = ""};
  const auto plan = [&](const char* peer, const BenchPoint& point) {
    const auto taps = std::make_shared<Taps>(*taps_of(point.filter));
    return find_peer(peer)->plan(point.image, conv_settings({.lane = point.lane, .border = point.border}, taps), gpu);
  };
  const BenchPoint plain = point_of("global");
  for (const Peer& peer : peers()) EXPECT_EQ(plan(peer.id.data(), plain).has_value(), !peer.elsewhere);
  EXPECT_EQ(cost_of(*plan("copy", plain)).compulsory_bytes, 2LL * 4 * plain.image.area());
  EXPECT_EQ(cost_of(*plan("copy_kernel", plain)).compulsory_bytes, 2LL * 4 * plain.image.area());
  EXPECT_EQ(cost_of(*plan("npp_separable", plain)).multiply_adds, 10 * plain.image.area());
  EXPECT_EQ(cost_of(*plan("npp_direct", plain)).multiply_adds, 25 * plain.image.area());
  BenchPoint other = plain;
  other.border = Border::mirror;
  EXPECT_EQ(plan("npp_direct", other).error().text, "npp_direct: it supports only replicate padding");
  other = plain;
  other.lane.format = PixelType::f16;
  EXPECT_THAT(plan("npp_separable", other).error().text, HasSubstr("RGB8 and RGBA8; not in F16"));
  for (const PixelType format : {PixelType::rgba8, PixelType::rgba32f}) {
    other.lane.format = format;
    EXPECT_TRUE(plan("npp_separable", other)) << info(format).title;
  }
  other = plain;
  other.filter = {.kind = FilterKind::custom, .matrix = *parse_matrix("1 2 1; 0 0 0; 0 0 0")};
  EXPECT_EQ(plan("npp_separable", other).error().text, "npp_separable: it takes one row of taps for both directions");
  EXPECT_TRUE(plan("npp_direct", other));
  gpu.no_npp = "libnppif not found";
  EXPECT_EQ(plan("npp_direct", plain).error().text, "npp_direct: libnppif not found");

  Processor processor = *Processor::create(DeviceChoice::cpu);
  BenchEngine engine(processor, {.rounds = 16});
  const auto rows = *engine.measure({point_of("cpu_direct"), point_of("copy")});
  EXPECT_EQ(rows[0].state, RowState::measured);
  EXPECT_EQ(rows[1].state, RowState::refused);
  EXPECT_EQ(rows[1].text, "can only be measured on an NVIDIA GPU");
}

TEST(Peers, AreKeptInFiles) {
  const TemporaryFolder folder;
  const std::string file = folder / "peers.json";
  ASSERT_TRUE(BenchFile::create(file, somewhere, {row_of(point_of("npp_direct"), 1)}));
  const auto read = read_results(file);
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->rows.front().point.lane.variant, "npp_direct");
  nlohmann::json broken = nlohmann::json::parse(*read_file(file));
  for (const nlohmann::json& lane : {nlohmann::json(5), nlohmann::json{{"variant", 5}}}) {
    broken["rows"][0]["lane"] = lane;
    std::ofstream(file) << broken;
    const auto rest = read_results(file);
    EXPECT_TRUE(!rest || rest->rows.empty());
  }
  BenchRow copy = row_of(point_of("copy"), 1);
  copy.multiply_adds = 0;
  EXPECT_FALSE(copy.ns_per_multiply_add());
  EXPECT_THAT(csv_line(copy, somewhere), HasSubstr("copy"));
  EXPECT_THAT(markdown_table(std::span(&copy, 1), somewhere, BenchClock::median), HasSubstr("| – |"));
  copy.against = {.outcome = Comparison::Outcome::a_faster, .ratio = 1.044f, .low = 1.0391f, .high = 1.0462f};
  copy.baseline = "global";
  EXPECT_EQ(verdict_text(copy), "slower than global");
  copy.baseline = "torch_copy";  // all others are slower: the table says how many copies they take
  EXPECT_EQ(verdict_text(copy), "1.044 copies (1.039 to 1.046)");
  EXPECT_FALSE(predicted_ms(read->rows.front().point, cpu_limits(), {}));
}

TEST(Sweep, MeasuresACombinationOnce) {
  FreeSweep sweep{.variants = {"global", "streams"}, .blocks = {{8, 8}, {16, 16}}};
  sweep.switches.resize(3);
  for (int i = 0; i < 3; ++i) sweep.switches[i].set("streams", 1 + i);
  const BenchJob job = job_of(sweep);
  ASSERT_THAT(job.groups, SizeIs(1));
  EXPECT_THAT(job.groups[0], SizeIs(2 + 2 * 3));  // global does not have the switch `streams`
  sweep.blocks.clear();
  for (int height = 1; height <= 40; ++height) sweep.blocks.push_back({8, height});
  sweep.variants = {"global"};
  const BenchJob large = job_of(sweep);
  ASSERT_THAT(large.groups, SizeIs(2));
  EXPECT_EQ(large.groups[1].front(), large.groups[0].front());  // every part has the baseline
  EXPECT_EQ(large.groups[0].size() + large.groups[1].size(), 41U);
}

TEST(BenchFile, IsWholeAfterEveryRowAndWhereverItIsCut) {
  const TemporaryFolder folder;
  const std::string path = folder / "rows.json";
  BenchFile file = *BenchFile::open(path, somewhere, false);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(read_results(path)->rows.size(), static_cast<std::size_t>(i));
    ASSERT_TRUE(file.add(row_of(point_of("global", {64 + i, 64}), 1.0f + static_cast<float>(i))));
    ASSERT_FALSE(nlohmann::json::parse(*read_file(path), nullptr, false).is_discarded());
    sizes.push_back(read_file(path)->size());
  }
  const std::string whole = *read_file(path);
  const std::size_t head = whole.find('[');
  for (std::size_t cut = head + 1; cut < whole.size(); cut += 7) {
    std::ofstream(folder / "cut.json", std::ios::binary) << whole.substr(0, cut);
    const auto results = read_results(folder / "cut.json");
    ASSERT_TRUE(results) << cut << results.error().text;
    std::size_t complete = 0;
    while (complete < 4 && cut >= sizes[complete]) ++complete;
    EXPECT_GE(results->rows.size(), complete == 4 ? 4 : complete);
    for (std::size_t i = 0; i < results->rows.size(); ++i)
      EXPECT_EQ(results->rows[i].point.image.width, 64 + static_cast<int>(i));
  }
}

// A limit on the file size acts as a full disk.
TEST(BenchFile, AFullDiskLeavesTheRowsBeforeWhole) {
  const TemporaryFolder folder;
  const std::string path = folder / "rows.json";
  BenchFile file = *BenchFile::open(path, somewhere, false);
  ASSERT_TRUE(file.add(row_of(point_of("separable_tiles"), 0.5f)));
  const std::string before = *read_file(path);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  rlimit small = limit;
  small.rlim_cur = before.size() + 100;
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const Result<void> added = file.add(row_of(point_of("global"), 0.5f));
  setrlimit(RLIMIT_FSIZE, &limit);
  ASSERT_FALSE(added);
  // Also with a row that is shorter than a buffer.
  small.rlim_cur = before.size() + 10;
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_FALSE(file.add({.point = point_of("global"), .state = RowState::refused, .text = "no"}));
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_THAT(added.error().text, HasSubstr("the rows before are kept"));
  EXPECT_EQ(*read_file(path), before);
  EXPECT_TRUE(file.add(row_of(point_of("constant"), 0.5f))) << "there is room again";
  EXPECT_THAT(read_results(path)->rows, SizeIs(2));
}

TEST(BenchFile, KeepsRowsAndGoesOnWithTheSameMachineOnly) {
  const TemporaryFolder folder;
  const std::string path = folder / "rows.json";
  BenchRow row = row_of(point_of("separable_tiles"), 0.5f);
  row.point.filter = {.kind = FilterKind::motion, .radius = 7, .angle = 12.5};
  row.point.border = Border::mirror;
  row.point.lane.switches.set("unroll", 0);
  row.point.cold = true;
  row.baseline = "global";
  row.against = {.outcome = Comparison::Outcome::b_faster, .ratio = 0.5f, .low = 0.4f, .high = 0.6f};
  row.sm_clock.mhz_before = 1980;
  row.sm_clock.rounds_thrown_away = 3;
  row.less_exact = true;
  row.sm_clock.throttled = "power limit";
  ASSERT_TRUE(BenchFile::open(path, somewhere, false)->add(row));
  const BenchFile again = *BenchFile::open(path, somewhere, true);
  ASSERT_THAT(again.rows(), SizeIs(1));
  EXPECT_EQ(again.rows()[0].point, row.point);
  EXPECT_EQ(key_of(again.rows()[0].point), key_of(row.point));
  EXPECT_TRUE(again.rows()[0].less_exact);
  EXPECT_EQ(csv_line(again.rows()[0], somewhere), csv_line(row, somewhere));
  BenchEnvironment elsewhere = somewhere;
  elsewhere.driver = "600.0";
  EXPECT_THAT(BenchFile::open(path, elsewhere, true).error().text, HasSubstr("--resume needs the same"));
  EXPECT_THAT(read_results(path)->rows, SizeIs(1));  // refused, not lost
  // A configuration that this program does not know is not taken for another.
  std::string text = *read_file(path);
  text.replace(text.find("separable_tiles"), 15, "separable_tales");
  std::ofstream(folder / "renamed.json") << text;
  EXPECT_THAT(read_results(folder / "renamed.json")->rows, SizeIs(0));
  // No kernel takes no time.
  row.ms[3] = 0;
  ASSERT_TRUE(BenchFile::open((folder / "zero.json").string(), somewhere, false)->add(row));
  EXPECT_THAT(read_results(folder / "zero.json")->rows, SizeIs(0));
  std::string many = "{\"convoscope_bench\": 1, \"rows\": [0";
  for (int i = 0; i < 20'000; ++i) many += ",0";
  EXPECT_THAT(results_of("many.json", many + "]}").error().text, HasSubstr("many.json: has 20001 rows"));
  std::ofstream(folder / "other.json") << "{\"a\": 1}";
  EXPECT_THAT(read_results(folder / "other.json").error().text, HasSubstr("not a results file of convoscope bench"));
  EXPECT_FALSE(read_results(folder / "none.json"));
  EXPECT_TRUE(is_results_file(path));
  for (const char* none : {"other.json", "none.json"}) EXPECT_FALSE(is_results_file(folder / none));
}

TEST(Rows, OfAPresetStandTogetherInTheirPlaces) {
  std::vector<BenchRow> rows;
  const auto put = [&](const char* preset, const char* variant, float ms) {
    BenchRow row = row_of(point_of(variant), ms);
    row.preset = preset;
    put_row(rows, row);
  };
  put("a", "global", 1);
  put("b", "global", 1);
  put("a", "constant", 1);  // as a resumed run does
  put("a", "global", 2);    // measured again
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[0].point.lane.variant, "global");
  EXPECT_GT(rows[0].summary().median, 1.9f);
  EXPECT_EQ(rows[1].point.lane.variant, "constant");
  EXPECT_THAT(rows_of(rows, "a"), SizeIs(2));
  EXPECT_THAT(rows_of(rows, "c"), SizeIs(0));
  EXPECT_THAT(by_preset(rows), SizeIs(2));
}

// Sigma distinguishes rows if kernels have the same size, not if it just follows the radius.
TEST(Rows, DifferInSigmaWhereItWasSwept) {
  std::vector<BenchRow> by_radius, by_sigma;
  for (const int n : {1, 2, 3}) {
    BenchPoint point = point_of("global");
    point.filter.radius = n;
    point.filter.sigma = n / 2.5;
    by_radius.push_back(row_of(point, 1));
    point.filter.radius = 5;
    by_sigma.push_back(row_of(point, static_cast<float>(n)));
  }
  ASSERT_THAT(dimensions_of(by_radius), SizeIs(1));
  EXPECT_EQ(dimensions_of(by_radius)[0]->title, "kernel");
  ASSERT_THAT(dimensions_of(by_sigma), SizeIs(1));
  EXPECT_EQ(dimensions_of(by_sigma)[0]->title, "sigma");
  EXPECT_THAT(speedups_of(by_sigma, BenchClock::median), testing::Each(testing::Optional(1.0)));
}

TEST(Ceilings, AreKeptWholeOrNotAtAll) {
  const TemporaryFolder folder;
  const std::string path = folder / "ceilings.json";
  Ceilings ceilings{
      .copy_gb_per_s = 1, .cached_copy_gb_per_s = 2, .shared_gb_per_s = 3, .gflop_per_s = 4, .launch_us = 6};
  ceilings.cache_bytes = 5;
  ceilings.processor = "Some GPU";
  ASSERT_TRUE(write_ceilings(path, ceilings));
  const auto kept = read_ceilings(path);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->gflop_per_s, 4);
  EXPECT_EQ(kept->processor, "Some GPU");
  std::ofstream(path) << R"({"copy_gb_per_s": 1})";
  EXPECT_FALSE(read_ceilings(path));
  EXPECT_FALSE(read_ceilings(folder / "none.json"));
}

// A pass's cost is its share of the plan's cost.
TEST(Cost, OfThePassesIsThatOfThePlan) {
  const BenchPoint point = point_of("separable_whitepaper", {640, 480}, 5);
  const auto taps = std::make_shared<Taps>(*taps_of(point.filter));
  const LaunchPlan plan = *plan_job(*find_variant(point.lane.variant), point.image,
                                    conv_settings({.lane = point.lane, .border = point.border}, taps), cpu_limits());
  const std::vector<Cost> passes = step_costs(plan);
  ASSERT_THAT(passes, SizeIs(2));
  const Cost whole = cost_of(plan);
  EXPECT_EQ(passes[0].multiply_adds + passes[1].multiply_adds, whole.multiply_adds);
  EXPECT_EQ(passes[0].multiply_adds, 640LL * 480 * 11);
  EXPECT_EQ(passes[0].compulsory_bytes + passes[1].compulsory_bytes, whole.compulsory_bytes);
}

Ceilings some_ceilings() {
  return {.copy_gb_per_s = 1000,
          .cached_copy_gb_per_s = 4000,
          .shared_gb_per_s = 10000,
          .gflop_per_s = 20000,
          .launch_us = 2,
          .cache_bytes = 32'000'000};
}

// Computed by hand for 1000 x 1000 floats: the time of each roof, and the bottleneck.
TEST(Roofline, TheBindingRoofAsksForMost) {
  const Ceilings c = some_ceilings();
  Cost copy{.compulsory_bytes = 80'000'000, .multiply_adds = 1'000'000, .load_bytes = 4'000'000};
  EXPECT_EQ(binding_roof(copy, c), Roof::memory);
  EXPECT_DOUBLE_EQ(least_ms(Roof::memory, copy, c), 0.08);
  copy.compulsory_bytes = 8'000'000;  // stays in the cache
  EXPECT_EQ(binding_roof(copy, c), Roof::cache);
  EXPECT_DOUBLE_EQ(least_ms(Roof::cache, copy, c), 0.002);
  const Cost loads{.compulsory_bytes = 8'000'000, .multiply_adds = 121'000'000, .load_bytes = 484'000'000};
  EXPECT_EQ(binding_roof(loads, c), Roof::loads);
  EXPECT_DOUBLE_EQ(least_ms(Roof::loads, loads, c), 0.0484);
  const Cost sums{.compulsory_bytes = 8'000'000, .multiply_adds = 1'000'000'000, .load_bytes = 8'000'000};
  EXPECT_EQ(binding_roof(sums, c), Roof::multiply_add);
  EXPECT_DOUBLE_EQ(least_ms(Roof::multiply_add, sums, c), 0.1);
  const Cost both[] = {loads, sums};
  EXPECT_DOUBLE_EQ(predicted_ms(both, c), 0.0484 + 0.1 + 2 * 0.002);
  // The plot has the same roofs.
  const double intensity = 2.0 * 121 / 8, gflop_per_s = 2 * 0.121 / 0.0484 * 1000;
  EXPECT_DOUBLE_EQ(roof_at(Roof::loads, intensity, 4, c), gflop_per_s);
  EXPECT_DOUBLE_EQ(roof_at(Roof::cache, intensity, 4, c), 2 * 0.121 / 0.002 * 1000);
  EXPECT_EQ(prediction_text(0.08, 0.1), "0.08 ms, 20 % less");
}

// From the plan: 121 loads per pixel for `global`, 121 from a tile plus those that fill it for `tile_linear`.
TEST(Roofline, PredictsFromThePlan) {
  const Ceilings c = some_ceilings();
  const double pixels = 640 * 480;
  const auto global = predicted_ms(point_of("global", {640, 480}, 5), cpu_limits(), c);
  ASSERT_TRUE(global);
  EXPECT_NEAR(*global, 121 * 4 * pixels / 1e10 + 0.002, 1e-9);
  const auto tile = predicted_ms(point_of("tile_linear", {640, 480}, 5), cpu_limits(), c);
  ASSERT_TRUE(tile);
  EXPECT_NEAR(*tile, (121 + 2 * 26 * 26 / 256.0) * 4 * pixels / 1e10 + 0.002, 1e-9);
  EXPECT_FALSE(predicted_ms(point_of("cpu_sequential", {640, 480}), cpu_limits(), c));
  EXPECT_FALSE(predicted_ms(point_of("streams", {640, 480}), cpu_limits(), c));  // copies over the link
  BenchPoint refused = point_of("global");
  refused.lane.block = {64, 32};
  EXPECT_FALSE(predicted_ms(refused, cpu_limits(), c));
}

// Radius 1 and 4, two images: one is clearly faster, two tie, one has the only time.
TEST(Crossover, TellsTheFastestAndWhereItIsNoise) {
  std::vector<BenchRow> rows;
  const auto add = [&](const char* variant, Size2 image, int radius, float ms, RowState state = RowState::measured) {
    BenchPoint point = point_of(variant, image);
    point.filter.radius = radius;
    BenchRow row = row_of(point, ms);
    row.preset = "map-image";
    row.state = state;
    rows.push_back(std::move(row));
  };
  add("global", {256, 256}, 1, 1.0f);
  add("tile_linear", {256, 256}, 1, 2.0f);
  add("global", {256, 256}, 4, 3.0f);
  add("tile_linear", {256, 256}, 4, 2.0f);
  add("global", {512, 512}, 1, 1.0f, RowState::wrong);  // not ranked, however fast it is
  add("tile_linear", {512, 512}, 1, 5.0f);
  add("global", {512, 512}, 4, 5.0f);
  add("tile_linear", {512, 512}, 4, 5.0f);
  const CrossoverMap map = crossover_map(rows);
  EXPECT_THAT(map.radii, testing::ElementsAre(1, 4));
  EXPECT_THAT(map.rows, testing::ElementsAre("512×512", "256×256"));
  ASSERT_THAT(map.cells, SizeIs(4));
  const auto fastest = [&](int cell) { return map.cells[cell].ranked.front()->point.lane.variant; };
  EXPECT_EQ(fastest(0), "tile_linear");
  EXPECT_THAT(map.cells[0].ranked, SizeIs(1));
  EXPECT_TRUE(map.cells[0].clear());
  EXPECT_FALSE(map.cells[1].clear());
  EXPECT_EQ(fastest(2), "global");
  EXPECT_TRUE(map.cells[2].clear());
  EXPECT_NEAR(map.cells[2].margin.ratio, 2, 1e-3);
  EXPECT_EQ(fastest(3), "tile_linear");
  EXPECT_EQ(map.letter("global"), "a");
  EXPECT_EQ(map.letter("tile_linear"), "b");
  rows.resize(2);
  for (BenchRow& row : rows) row.ms.resize(3);
  const CrossoverMap few = crossover_map(rows);
  ASSERT_THAT(few.cells, SizeIs(1));
  EXPECT_FALSE(few.cells[0].clear());  // too few rounds to tell
  EXPECT_NEAR(few.cells[0].margin.ratio, 2, 0.05);
  rows.clear();
  EXPECT_TRUE(crossover_map(rows).cells.empty());
}

TEST(Crossover, JobsHoldEveryPlaceOnceTheCoarseOnesFirst) {
  const std::vector<std::string> ids{"global", "constant"};
  for (const CrossoverKind& kind : crossover_kinds) {
    const BenchJob job = crossover_job(kind, point_of("global"), ids, true);
    std::set<std::string> keys;
    std::size_t count = 0;
    for (const BenchGroup& group : job.groups) {
      EXPECT_THAT(group, SizeIs(2));
      for (const BenchPoint& point : group) count += keys.insert(key_of(point)).second;
    }
    EXPECT_EQ(count, 2 * job.groups.size());
    EXPECT_EQ(job.groups.size(), kind.id == "map-image" ? 72u : 84u);
    std::set<int> first;
    for (std::size_t i = 0; i < 6; ++i) first.insert(job.groups[i].front().filter.radius);
    EXPECT_THAT(first, testing::ElementsAre(1, 5, 12));
  }
  BenchPoint fixed = point_of("global");
  fixed.filter = {.kind = FilterKind::custom};
  EXPECT_TRUE(crossover_job(crossover_kinds[0], fixed, ids, true).groups.empty());
}

// 32x8 is clearly faster than 16x16; if 64x4 is as fast, there is no single best shape.
TEST(Tuning, NamesABestBlockOnlyOutsideTheNoise) {
  const BenchPoint point = point_of("tile_linear");
  const BenchJob job = tuning_job(point);
  ASSERT_THAT(job.groups, SizeIs(1));
  EXPECT_THAT(job.groups[0], SizeIs(std::size(block_presets)));
  EXPECT_TRUE(job.adds);
  std::vector<BenchRow> rows;
  const auto add = [&](Size2 block, float ms) {
    BenchPoint at = point;
    at.lane.block = block;
    rows.push_back(row_of(at, ms));
    rows.back().preset = job.id;
  };
  EXPECT_FALSE(tuning_of(rows, point));
  add({16, 16}, 1.0f);
  add({32, 8}, 0.8f);
  auto tuning = tuning_of(rows, point);
  ASSERT_TRUE(tuning);
  ASSERT_THAT(tuning->fastest, SizeIs(1));
  EXPECT_EQ(tuning->fastest[0], tuning->row_of({32, 8}));
  EXPECT_EQ(tuning_text(*tuning, {16, 16}), "32×8 is the fastest: 1.25× as fast as 16×16.");
  EXPECT_EQ(tuning_text(*tuning, {32, 8}), "32×8 is the fastest.");
  add({64, 4}, 0.8f);
  tuning = tuning_of(rows, point);
  EXPECT_THAT(tuning->fastest, SizeIs(2));
  EXPECT_EQ(tuning_text(*tuning, {32, 8}), "32×8, 64×4 tie as the fastest.");
  BenchPoint other = point;
  other.border = Border::wrap;
  EXPECT_FALSE(tuning_of(rows, other));
}

TEST(BenchFile, TellsWhatBecameSlower) {
  BenchResults before{somewhere, {}}, after{somewhere, {}};
  const char* ids[] = {"global", "constant", "tile_linear", "tile_unrolled"};
  const float now[] = {1.0f, 1.1f, 0.9f, 1.02f};
  for (int i = 0; i < 4; ++i) {
    before.rows.push_back(row_of(point_of(ids[i]), 1.0f, 1));
    after.rows.push_back(row_of(point_of(ids[i]), now[i], 2));
  }
  after.rows.push_back(row_of(point_of("fft"), 1));
  for (BenchResults* results : {&before, &after}) {  // three samples are too few
    results->rows.push_back(row_of(point_of("cpu_sequential"), results == &before ? 1.0f : 2.0f));
    results->rows.back().ms.resize(3);
  }
  before.rows.push_back(row_of(point_of("streams"), 1));
  after.rows.push_back({.preset = "sweep", .point = point_of("streams"), .state = RowState::wrong});
  using Outcome = BenchChange::Outcome;
  std::vector<Outcome> outcomes;
  for (const BenchChange& change : changes_between(before, after, 0.03)) outcomes.push_back(change.outcome);
  EXPECT_THAT(outcomes, testing::ElementsAre(Outcome::same, Outcome::slower, Outcome::faster, Outcome::same,
                                             Outcome::too_few, Outcome::lost));
}

TEST(Csv, HasTheSameFieldsInEveryRowAndThoseOfS2) {
  const auto fields = [](const std::string& line) {
    int count = 1;
    bool quoted = false;
    for (const char c : line) {
      quoted ^= c == '"';
      count += c == ',' && !quoted;
    }
    return count;
  };
  BenchRow refused{.preset = "sweep", .point = point_of("fft")};
  refused.text = "no, \"really\" not";
  for (const BenchRow& row : {row_of(point_of("global"), 1), refused})
    EXPECT_EQ(fields(csv_line(row, somewhere)), fields(csv_header()));
  EXPECT_THAT(csv_header(), HasSubstr("execution_type,width,height,channels,architecture,kw,kh,time,iterations"));
  EXPECT_THAT(csv_line(refused, somewhere), HasSubstr("\"no, \"\"really\"\" not\""));
}

// Replayed launches hide the launch overhead, which is longer than some kernels.
TEST(Markdown, TellsWhatOneLaunchAloneTakes) {
  BenchRow row = row_of(point_of("global"), 1);
  row.ms = {0.25f};
  row.other.single_ms = 0.3125f;
  const std::string table = markdown_table(std::span(&row, 1), somewhere, BenchClock::median);
  EXPECT_THAT(table, HasSubstr("| p10 to p90 | single launch, ms | Mpx/s |"));
  EXPECT_THAT(table, HasSubstr("| 0.25 to 0.25 | 0.3125 |"));
}

TEST(Chart, DrawsALineForEachVariantOverWhatDiffers) {
  std::vector<BenchRow> rows;
  for (const int side : {256, 512})
    for (const char* id : {"global", "constant"})
      rows.push_back(row_of(point_of(id, {side, side}), id[0] == 'g' ? 2 : 1));
  Chart chart = chart_of(rows, somewhere, "Title", BenchValue::ms, BenchClock::median);
  EXPECT_EQ(chart.x_title, "image");
  EXPECT_TRUE(chart.joined);
  EXPECT_THAT(chart.ticks, testing::ElementsAre("256×256", "512×512"));
  ASSERT_THAT(chart.series, SizeIs(2));
  EXPECT_EQ(chart.series[1].name, "constant");
  EXPECT_EQ(chart.series[1].rows, (std::vector<std::size_t>{1, 3}));
  EXPECT_NEAR(chart.series[0].y[0], 2, 0.05);
  EXPECT_THAT(chart.note, HasSubstr("Some GPU, driver 580.1, CUDA 13.0"));

  chart = chart_of(rows, somewhere, "Title", BenchValue::speedup, BenchClock::median);
  ASSERT_THAT(chart.series, SizeIs(1));  // the first would be a line at 1
  EXPECT_EQ(chart.y_title, "times as fast as global");
  EXPECT_NEAR(chart.series[0].y[0], 2, 0.05);
  EXPECT_LE(chart.series[0].low[0], chart.series[0].y[0]);
  EXPECT_GE(chart.series[0].high[0], chart.series[0].y[0]);
  EXPECT_NEAR(chart_of(rows, somewhere, "", BenchValue::ms, BenchClock::mean_of_10).series[0].y[0], 4, 1e-4);

  const TemporaryFolder folder;
  for (const char* name : {"plot.svg", "plot.png"}) {
    ASSERT_TRUE(save_plot(chart, folder / name));
    EXPECT_GT(read_file(folder / name)->size(), 1000U);
  }
  // Beside libraries and copies, the lines of variants are solid. The picture is as high as its legend needs.
  const auto parts_in = [](const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  for (const char* id : {"copy", "tile_nested", "tile_linear", "tile_batched", "tile_unrolled", "npp_direct"})
    for (const int side : {256, 512}) rows.push_back(row_of(point_of(id, {side, side}), 1));
  ASSERT_TRUE(save_plot(chart_of(rows, somewhere, "", BenchValue::ms, BenchClock::median), folder / "eight.svg"));
  const std::string eight = *read_file(folder / "eight.svg");
  EXPECT_EQ(parts_in(eight, "stroke-dasharray"), 2);  // copy, npp_direct
  chart.series.resize(30, chart.series[0]);
  ASSERT_TRUE(save_plot(chart, folder / "thirty.svg"));
  EXPECT_THAT(*read_file(folder / "plot.svg"), HasSubstr("height=\"550\""));
  EXPECT_THAT(*read_file(folder / "thirty.svg"), HasSubstr("height=\"604\""));
  EXPECT_THAT(save_plot(chart, folder / "plot.txt").error().text, HasSubstr(".svg or .png"));
  EXPECT_THAT(save_plot({}, folder / "plot.svg").error().text, HasSubstr("there are no measurements to plot"));
  EXPECT_FALSE(save_plot(chart, folder / "no" / "plot.svg"));
}

int run(const std::string& arguments) {
  return WEXITSTATUS(std::system(
      ("env -u DISPLAY " CONV_PROGRAM " bench --device cpu " + arguments + " >/dev/null 2>/dev/null").c_str()));
}

// The machine is switched off in the middle: what was measured can be read, and the rest is measured later.
TEST(BenchCommand, ResumesWhatWasKilled) {
  const TemporaryFolder folder;
  const std::string path = folder / "rows.json", csv = folder / "rows.csv";
  const std::string sweep = "--variant cpu_sequential,cpu_direct --size 320x200 --radius 1:12 --quick --json " + path +
                            " --resume --csv " + csv;
  const pid_t child = start(CONV_PROGRAM " bench --device cpu " + sweep + " >/dev/null 2>&1");
  std::size_t rows = 0;
  for (int i = 0; i < 10'000 && rows < 4; ++i) {
    usleep(2000);
    if (const auto results = read_results(path)) rows = results->rows.size();
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_GE(rows, 4U);
  const auto partial = read_results(path);
  ASSERT_TRUE(partial) << partial.error().text;
  ASSERT_LT(partial->rows.size(), 24U) << "too fast to be killed";
  EXPECT_EQ(run(sweep), 0);
  const auto whole = read_results(path);
  ASSERT_THAT(whole->rows, SizeIs(24));
  EXPECT_EQ(whole->rows[0].ms, partial->rows[0].ms);  // kept, not measured again
  const std::string text = *read_file(csv);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 25);
  EXPECT_EQ(run("--compare " + path + " " + path), 0);
  EXPECT_EQ(run("--from " + path + " --plot " + (folder / "plot.svg").string()), 0);
}

// A kernel that became wrong has no time any more; this is reported and not counted as success.
TEST(BenchCommand, ComparingNamesWhatLostItsTime) {
  const TemporaryFolder folder;
  const std::string before = folder / "before.json", after = folder / "after.json", said = folder / "said";
  BenchRow row = row_of(point_of("global"), 1);
  ASSERT_TRUE(BenchFile::create(before, somewhere, {row}));
  row.state = RowState::wrong;
  row.text = "wrong by 0.5";
  row.ms.clear();
  ASSERT_TRUE(BenchFile::create(after, somewhere, {row}));
  const int status =
      std::system(fmt::format("{} bench --compare {} {} >{}", CONV_PROGRAM, before, after, said).c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_THAT(*read_file(said), HasSubstr("LOST sweep global"));
  EXPECT_THAT(*read_file(said), HasSubstr("wrong by 0.5"));
}

TEST(BenchCommand, BadUseIsRefused) {
  for (const char* arguments :
       {"--preset s9", "--radius x", "--radius 5:1", "--size 3", "--variant none", "--resume", "--json",
        "--from none.json", "--compare a.json", "--set streams", "--radius 99",
        "--json /no/such/folder/rows.json --size 8x8 --variant cpu_direct", "--csv /no/such/folder/rows.csv",
        "--plot rows.pdf", "--peers", "--preset s1 --radius 3", "--from a.json --json b.json"})
    EXPECT_EQ(run(arguments), 2) << arguments;
}

}  // namespace

}  // namespace conv
