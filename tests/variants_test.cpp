// Every variant of the registry against the reference. A new variant is tested because it is registered.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/core/blocks.h"
#include "support.h"

namespace conv {

namespace {

// Exhibits are deliberately wrong and have tests of their own.
std::vector<std::string> variant_ids() {
  std::vector<std::string> ids;
  for (const Variant* variant : variants())
    if (variant->exhibit.empty()) ids.emplace_back(variant->id);
  return ids;
}

// Variants that accept any matrix, or any matrix of rank 1. Fused variants have one filter, running sums need boxes.
std::vector<std::string> general_variant_ids() {
  std::vector<std::string> ids = variant_ids();
  std::erase_if(
      ids, [](const std::string& id) { return find_variant(id)->fuses_edges || find_variant(id)->needs_equal_taps; });
  return ids;
}

class EveryVariant : public testing::TestWithParam<std::string> {
 protected:
  const Variant& variant() const { return *find_variant(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Registry, EveryVariant, testing::ValuesIn(variant_ids()),
                         [](const auto& i) { return i.param; });

class EveryGeneralVariant : public EveryVariant {};
INSTANTIATE_TEST_SUITE_P(Registry, EveryGeneralVariant, testing::ValuesIn(general_variant_ids()),
                         [](const auto& i) { return i.param; });

TEST_P(EveryVariant, MatchesTheReferenceForEveryCaseAndBlock) {
  Processor processor = *Processor::create(DeviceChoice::cpu);
  Checker checker(processor);
  int refused = 0, cases = 0;
  for (const CheckCase& c : check_cases(12)) {
    const CheckOutcome outcome = checker.check(variant(), c);
    ++cases;
    if (outcome.refused) {
      ++refused;
      const auto says = [&](std::string_view words) { return outcome.text.find(words) != std::string::npos; };
      const bool rank = says("rank") && taps_of(c.filter)->rank > 1;
      const bool memory = c.block.width == 1024 && says("shared memory");
      const bool valid = c.border == Border::valid && says("valid padding: no pixel of");
      const bool threads = says("threads, more than") && variant().group == VariantGroup::shared_memory;
      const bool fused = variant().fuses_edges && says("fused_blur_sobel");
      const bool texture = variant().id == "separable_texture" && says("a texture has 1 or 4 interleaved channels");
      const bool chain = variant().single_launch && says("cannot be part of a chain");
      const bool radius = variant().max_radius < 17 && says("Radius 17 needs too many");
      const bool box = variant().needs_equal_taps && says("needs equal taps") && !taps_of(c.filter)->equal();
      EXPECT_TRUE(box || rank || memory || valid || threads || fused || texture || chain || radius)
          << to_text(c) << ": " << outcome.text;
    } else {
      ASSERT_TRUE(outcome.verdict.pass) << to_text(c) << ": " << outcome.text;
    }
  }
  EXPECT_LT(refused, variant().fuses_edges || variant().needs_equal_taps ? cases : cases * 3 / 4);
}

// It works in tiles of columns: a picture that is wider than one.
TEST(CpuSeparable, IsRightBeyondItsFirstTile) {
  Processor processor = *Processor::create(DeviceChoice::cpu);
  Checker checker(processor);
  for (const PixelType format : {PixelType::f32, PixelType::rgba8})
    for (const BorderInfo& border : borders) {
      const CheckCase c{.image = {1100, 24},
                        .format = format,
                        .border = border.border,
                        .filter = {.sigma = 12, .radius = border.border == Border::valid ? 10 : 32},
                        .block = {16, 16}};
      const CheckOutcome outcome = checker.check(*find_variant("cpu_separable"), c);
      ASSERT_FALSE(outcome.refused) << to_text(c) << ": " << outcome.text;
      ASSERT_TRUE(outcome.verdict.pass) << to_text(c) << ": " << outcome.text;
    }
}

// Golden matrices of the slides (checklist row 63): the value at x = -1 and y = -1 of this image, per padding.
TEST_P(EveryGeneralVariant, PadsAsTheSlidesPrint) {
  HostImage image(PixelType::rgba8, {3, 3});
  const unsigned char levels[] = {165, 95, 215, 222, 144, 199, 255, 172, 83};
  for (int i = 0; i < 9; ++i) image.pixels<Rgba8>()[i] = {levels[i], levels[i], levels[i], 255};
  struct Golden {
    Border border;
    int values[4][4];
  };
  const Golden golden[] = {
      {Border::zero, {{0, 0, 0, 0}, {0, 165, 95, 215}, {0, 222, 144, 199}, {0, 255, 172, 83}}},
      {Border::replicate, {{165, 165, 95, 215}, {165, 165, 95, 215}, {222, 222, 144, 199}, {255, 255, 172, 83}}},
      {Border::mirror, {{144, 222, 144, 199}, {95, 165, 95, 215}, {144, 222, 144, 199}, {172, 255, 172, 83}}},
      {Border::symmetric, {{165, 165, 95, 215}, {165, 165, 95, 215}, {222, 222, 144, 199}, {255, 255, 172, 83}}},
      {Border::wrap, {{83, 255, 172, 83}, {215, 165, 95, 215}, {199, 222, 144, 199}, {83, 255, 172, 83}}},
      {Border::blog_mirror, {{144, 222, 144, 199}, {95, 165, 95, 215}, {144, 222, 144, 199}, {172, 255, 172, 83}}},
  };
  for (const Golden& g : golden)
    for (int shift_y : {0, 1})
      for (int shift_x : {0, 1}) {
        FilterSpec shift{.kind = FilterKind::custom,
                         .matrix = {{3, 3}, std::vector<double>(9, 0.0)},
                         .mode = FilterMode::correlation};
        shift.matrix.values[(1 - shift_y) * 3 + (1 - shift_x)] = 1;  // target(x, y) = source(x - shift_x, y - shift_y)
        const HostImage moved = convolved(variant(), image, shift, g.border);
        for (int y = 0; y < 3; ++y)
          for (int x = 0; x < 3; ++x)
            EXPECT_EQ(moved.pixels<Rgba8>()[y * 3 + x].r, g.values[y - shift_y + 1][x - shift_x + 1])
                << border_name(g.border) << " at " << x - shift_x << ", " << y - shift_y;
      }
}

TEST_P(EveryGeneralVariant, IsLinear) {
  const HostImage a = noise_image({37, 41}, PixelType::f32);
  HostImage b = noise_image({37, 41}, PixelType::f32), sum = a;
  std::reverse(b.pixels<float>(), b.pixels<float>() + b.size.area());
  for (int i = 0; i < a.size.area(); ++i) sum.pixels<float>()[i] = 2 * a.pixels<float>()[i] - b.pixels<float>()[i];
  const FilterSpec filter{.sigma = 1.3, .radius = 4};
  const HostImage fa = convolved(variant(), a, filter, Border::mirror),
                  fb = convolved(variant(), b, filter, Border::mirror);
  const HostImage fs = convolved(variant(), sum, filter, Border::mirror);
  for (int i = 0; i < a.size.area(); ++i)
    ASSERT_NEAR(fs.pixels<float>()[i], 2 * fa.pixels<float>()[i] - fb.pixels<float>()[i], 3e-6) << i;
}

// Away from the border, moving the source by one pixel moves the result by one pixel, to the last bit.
TEST_P(EveryGeneralVariant, CommutesWithAShift) {
  constexpr int width = 40, height = 30, radius = 3;
  const HostImage image = noise_image({width, height}, PixelType::f32);
  HostImage moved = image;
  for (int y = 1; y < height; ++y)
    for (int x = 1; x < width; ++x)
      moved.pixels<float>()[y * width + x] = image.pixels<float>()[(y - 1) * width + x - 1];
  if (!variant().same_bits_anywhere) GTEST_SKIP() << "last bits depend on the place";
  const FilterSpec filter{.sigma = 1.1, .radius = radius};
  const HostImage f = convolved(variant(), image, filter, Border::zero),
                  fm = convolved(variant(), moved, filter, Border::zero);
  for (int y = radius + 1; y < height - radius; ++y)
    for (int x = radius + 1; x < width - radius; ++x)
      ASSERT_EQ(fm.pixels<float>()[y * width + x], f.pixels<float>()[(y - 1) * width + x - 1]) << x << ", " << y;
}

TEST_P(EveryGeneralVariant, IdentityReturnsTheInput) {
  if (!variant().same_bits_anywhere) GTEST_SKIP() << "loses last bits";
  for (const PixelTypeInfo& type : pixel_types) {
    if (GetParam() == "separable_texture" && (type.channels == 3 || is_planar(type.type))) continue;
    const HostImage image = noise_image({29, 13}, type.type);
    EXPECT_EQ(convolved(variant(), image, {.kind = FilterKind::identity, .radius = 3}, Border::replicate).bytes,
              image.bytes)
        << type.id;
  }
}

TEST_P(EveryGeneralVariant, KeepsBrightness) {
  HostImage image(PixelType::f32, {33, 21});
  std::fill_n(image.pixels<float>(), image.size.area(), 0.75f);
  for (const FilterKind kind : {FilterKind::gaussian, FilterKind::box}) {
    const FilterSpec filter{.kind = kind, .sigma = 3, .radius = std::min(7, variant().max_radius)};
    const HostImage result = convolved(variant(), image, filter, Border::replicate);
    for (int i = 0; i < image.size.area(); ++i) ASSERT_NEAR(result.pixels<float>()[i], 0.75f, 1e-6);
  }
}

TEST_P(EveryGeneralVariant, FollowsTheWindowFarBeyondTheImage) {
  const HostImage image = noise_image({3, 2}, PixelType::f32);
  for (const BorderInfo& border : borders) {
    if (border.border == Border::valid) continue;  // no pixel is left
    const FilterSpec filter{.kind = FilterKind::box, .radius = std::min(13, variant().max_radius)};
    const HostImage result = convolved(variant(), image, filter, border.border, 0.5f, {4, 4});
    EXPECT_TRUE(compare(result, reference_of(image, filter, border.border, 0.5f)).pass) << border.id;
  }
}

// The plan's numbers compared with what the kernel was recorded to do.
TEST_P(EveryVariant, DoesWhatItsPlanSays) {
  CpuExecutor executor(1);
  for (const CheckCase& c : check_cases(12)) {
    if (c.border != Border::mirror || c.image == Size2{640, 3}) continue;
    const LaneSettings lane{.variant = GetParam(), .format = c.format, .block = c.block};
    const Settings settings{.filter = c.filter, .border = c.border};
    const auto plan = plan_of(lane, settings, std::make_shared<Taps>(*taps_of(c.filter)), c.image, cpu_limits());
    if (!plan || plan->on_host()) continue;
    HostImage target(c.format, c.image);
    const std::vector<AccessCounts> counts = executor.trace(*plan, noise_image(c.image, c.format), target);
    ASSERT_EQ(counts.size(), plan->steps.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (!std::holds_alternative<KernelStep>(plan->steps[i])) continue;
      const auto& step = std::get<KernelStep>(plan->steps[i]);
      const AccessCounts& seen = counts[i];
      ASSERT_TRUE(seen.faults.empty()) << to_text(c) << ": " << seen.faults.front().text;
      ASSERT_EQ(seen.threads, step.threads) << to_text(c) << ": writing " << seen.threads.writing << " loading "
                                            << seen.threads.loading_only << " idle " << seen.threads.idle;
      ASSERT_EQ(step.threads.total(), step.grid.area() * step.block.area());
      ASSERT_EQ(seen.shared_bytes, step.shared_bytes) << to_text(c);
      ASSERT_EQ(seen.target_writes, plan->written_by(step).area());
      const long long staged =
          (step.tile.width + 2ll * step.apron.width) * (step.tile.height + 2ll * step.apron.height);
      if (step.staged()) {
        // Except with constant and zero padding, every cell of tile and apron is one read of the source.
        const long long reads =
            staged * step.grid.area() * step.rounds * step.times_loaded + step.reads_beside_tile * seen.target_writes;
        if (step.ring)  // padding may be copied from the ring
          ASSERT_LE(seen.source_reads, reads) << to_text(c);
        else
          ASSERT_EQ(seen.source_reads, reads) << to_text(c);
        if (step.shared_bytes > 0 && step.second_stage_bytes == 0) {
          ASSERT_EQ(seen.shared_writes, staged * step.grid.area() * step.rounds) << to_text(c);
        }
      }
    }
  }
}

// One block, if all are alike: its share of the plan's numbers, and phases that add up to its counts.
TEST_P(EveryVariant, DoesInOneBlockWhatItsPlanSays) {
  for (const PixelType format : {PixelType::f32, PixelType::rgba8, PixelType::rgb8_soa})
    for (const Size2 block : {Size2{16, 16}, Size2{8, 8}, Size2{32, 4}}) {
      const FilterSpec filter{.radius = 2};
      const ConvSettings settings{
          .taps = std::make_shared<Taps>(*taps_of(filter)), .format = format, .border = Border::mirror, .block = block};
      const auto small = plan_job(*find_variant(GetParam()), {960, 240}, settings, cpu_limits());
      if (!small || small->on_host()) continue;
      for (const Step& any_step : small->steps) {
        const auto* step = std::get_if<KernelStep>(&any_step);
        const Size2 written = step ? small->written_by(*step) : Size2{1, 1};
        if (!step || step->tile.area() < 1 || written.width % step->tile.width != 0 ||
            written.height % step->tile.height != 0 || step->alignment_px > 0)
          continue;
        const BlockRecording seen = CpuExecutor::record(*small, *step, middle_block(*step));
        const long long blocks = step->grid.area();
        const std::string what =
            fmt::format("{} {} block {}x{}", step->title, info(format).id, block.width, block.height);
        EXPECT_EQ(seen.threads.writing * blocks, step->threads.writing) << what;
        EXPECT_EQ(seen.threads.loading_only * blocks, step->threads.loading_only) << what;
        EXPECT_EQ(seen.threads.idle * blocks, step->threads.idle) << what;
        EXPECT_EQ(seen.target_writes, step->tile.area()) << what;
        EXPECT_EQ(seen.shared_bytes, step->shared_bytes) << what;
        const PixelRect tile = tile_of(*small, *step, seen.block);
        // A strip with its own memory counts its rows from its own top.
        for (const std::vector<Point2>& pixels : small->spread() ? decltype(seen.written){} : seen.written)
          for (const Point2 pixel : pixels) {
            const Point2 at{pixel.x, pixel.y + (step->rows ? step->rows->first : 0)};
            EXPECT_TRUE(tile.contains(at)) << what << " writes " << at.x << ", " << at.y;
            EXPECT_EQ(block_at(*small, *step, at), seen.block);
          }
        long long loads = 0;
        int most = 0;
        for (const BlockPhase& phase : seen.phases) {
          EXPECT_EQ(std::count(phase.active.begin(), phase.active.end(), true), phase.count);
          if (phase.kind == PhaseKind::load) loads += phase.count;
          most = std::max(most, phase.count);
        }
        EXPECT_EQ(seen.phases.back().kind, PhaseKind::store) << what;
        EXPECT_EQ(seen.phases.back().count, seen.threads.writing) << what;
        EXPECT_LE(most, step->block.area()) << what;
        if (step->shared_bytes == 0 || step->ring) continue;
        const long long staged =
            (step->tile.width + 2ll * step->apron.width) * (step->tile.height + 2ll * step->apron.height);
        EXPECT_EQ(loads, staged * step->rounds) << what;
      }
    }
}

// Checklist row 10: correct where the window is inside the block, wrong along its edges.
TEST(Exhibit, ATileWithoutApronIsWrongAlongBlockEdges) {
  const Variant& variant = *find_variant("tile_no_apron");
  EXPECT_FALSE(variant.exhibit.empty());
  const HostImage image = noise_image({48, 48}, PixelType::f32);
  const FilterSpec filter{.kind = FilterKind::box, .radius = 2};
  const HostImage result = convolved(variant, image, filter, Border::replicate);
  const Reference reference = reference_of(image, filter, Border::replicate, 0);
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 48; ++x) {
      const bool inside = x % 16 >= 2 && x % 16 < 14 && y % 16 >= 2 && y % 16 < 14;
      const double error = std::fabs(result.pixels<float>()[y * 48 + x] - reference.values[y * 48 + x]);
      EXPECT_EQ(error < 1e-5, inside) << x << ", " << y;
    }
}

// Checklist row 39: weights that depend on the data. Compared with the definition in double. An edge is kept where the
// Gaussian blurs it; with a wide range the filter is the Gaussian.
TEST(Exhibit, BilateralKeepsEdges) {
  const FilterSpec filter{.sigma = 1.5, .radius = 3};
  const Taps taps = *taps_of(filter);
  HostImage image = noise_image({40, 24}, PixelType::f32);
  for (int i = 0; i < image.size.area(); ++i) {
    float& value = image.pixels<float>()[i];
    value = 0.05f * value + (i % 40 < 20 ? 0.2f : 0.8f);
  }
  const auto run = [&](const char* variant, int range) {
    LaneSettings lane{.variant = variant, .format = PixelType::f32};
    if (range > 0) lane.switches.set("range", range);
    const auto plan = plan_of(lane, {.filter = filter}, std::make_shared<Taps>(taps), image.size, cpu_limits());
    HostImage target(image.type, image.size);
    EXPECT_TRUE(plan && CpuExecutor().run(*plan, image, target));
    return target;
  };
  const HostImage kept = run("bilateral", 5), blurred = run("global", 0), wide = run("bilateral", 100);
  const auto at = [](const HostImage& of, int x, int y) { return static_cast<double>(of.pixels<float>()[y * 40 + x]); };
  for (int y = 3; y < 21; ++y)
    for (int x = 3; x < 37; ++x) {
      double sum = 0, weights = 0;
      for (int i = 0; i < 49; ++i) {
        const double value = at(image, x + i % 7 - 3, y + i / 7 - 3), apart = (value - at(image, x, y)) / 0.05;
        const double weight = taps.values[i] * std::exp(-0.5 * apart * apart);
        sum += weight * value;
        weights += weight;
      }
      ASSERT_NEAR(at(kept, x, y), sum / weights, 1e-5) << x << ", " << y;
    }
  EXPECT_GT(at(kept, 20, 12) - at(kept, 19, 12), 0.5);
  EXPECT_LT(at(blurred, 20, 12) - at(blurred, 19, 12), 0.3);
  EXPECT_NEAR(at(wide, 8, 12), at(blurred, 8, 12), 1e-3);  // far from the edge all values are equal
}

std::string first_fault(const std::string& variant, const std::string& set, const FilterSpec& filter, Size2 image) {
  Settings settings{.filter = filter};
  LaneSettings lane{.variant = variant, .format = PixelType::f32};
  EXPECT_TRUE(set_from_text(lane.switches, set));
  const auto plan = plan_of(lane, settings, std::make_shared<Taps>(*taps_of(filter)), image, cpu_limits());
  EXPECT_TRUE(plan) << plan.error().text;
  HostImage target(PixelType::f32, image);
  for (const AccessCounts& counts : CpuExecutor(1).trace(*plan, noise_image(image, PixelType::f32), target))
    if (!counts.faults.empty()) return counts.faults.front().text;
  return "none";
}

// Checklist rows 34, 165, 166: the executor names each error.
TEST(Exhibit, RacesAndDivergentBarriersAreFound) {
  const FilterSpec filter{.radius = 2};
  EXPECT_NE(first_fault("tile_linear", "barrier=off", filter, {32, 32}).find("race"), std::string::npos)
      << first_fault("tile_linear", "barrier=off", filter, {32, 32});
  EXPECT_EQ(first_fault("tile_linear", "barrier=on", filter, {32, 32}), "none");
  const std::string one_row = first_fault("separable_tiles", "as_published=on", filter, {32, 32});
  EXPECT_NE(one_row.find("race"), std::string::npos) << one_row;
  const std::string early = first_fault("separable_tiles", "as_published=on", filter, {16, 1});
  EXPECT_NE(early.find("barrier"), std::string::npos) << early;
}

// A matrix of rank 2 with a separable variant, and each filter applied to its own result.
TEST_P(EveryGeneralVariant, JoinsPlans) {
  if (variant().single_launch) GTEST_SKIP() << "does not chain";
  const HostImage image = noise_image({37, 41}, PixelType::rgba8);
  Settings settings{.filter = {.kind = FilterKind::sharpen, .strength = 0.7}, .border = Border::mirror};
  LaneSettings lane{.variant = GetParam()};
  lane.switches.set("rank_sum", variant().needs_rank_1);
  CpuExecutor executor;
  const auto run = [&](const HostImage& source) {
    const auto plan =
        plan_of(lane, settings, std::make_shared<Taps>(*taps_of(settings.filter)), source.size, cpu_limits());
    HostImage target(source.type, source.size);
    EXPECT_TRUE(plan && executor.run(*plan, source, target));
    return target;
  };
  const HostImage once = run(image);
  EXPECT_TRUE(compare(once, reference_of(image, settings.filter, Border::mirror, 0)).pass);
  const HostImage twice = run(once);
  settings.iterations = 2;
  EXPECT_EQ(run(image).bytes, twice.bytes);
}

// Every shape of the streaming kernels, above all those for large radii: strips, segments and rings that end inside the
// image.
class Stream : public testing::TestWithParam<const char*> {};
TEST_P(Stream, EveryShapeAndFormat) {
  Processor processor = *Processor::create(DeviceChoice::cpu);
  Checker checker(processor);
  const Variant& variant = *find_variant(GetParam());
  int turn = 0;
  for (const int radius : {0, 1, 3, 5, 8, 9, 12, 13, 16, 25, 32, 64})
    for (const PixelTypeInfo& format : pixel_types) {
      if (radius > variant.max_radius) continue;
      const CheckCase c{{turn % 8 > 0 ? 290 + turn % 7 : 1000, std::max(36, 2 * radius + 6) + turn % 3},
                        format.type,
                        borders[turn % std::size(borders)].border,
                        {.kind = variant.needs_equal_taps ? FilterKind::box : FilterKind::gaussian,
                         .sigma = sigma_for(radius),
                         .radius = radius},
                        {16, 16}};
      if (turn++ % 5 != 0 && is_sanitized) continue;
      const CheckOutcome outcome = checker.check(variant, c);
      ASSERT_FALSE(outcome.refused) << to_text(c) << ": " << outcome.text;
      ASSERT_TRUE(outcome.verdict.pass) << to_text(c) << ": " << outcome.text;
    }
}
INSTANTIATE_TEST_SUITE_P(Registry, Stream,
                         testing::Values("separable_shuffle", "direct_shuffle", "separable_stream", "separable_tensor",
                                         "direct_stream", "direct_paired", "box_running"));

class Box : public testing::TestWithParam<const char*> {
 protected:
  const Variant& variant() const { return *find_variant(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Registry, Box, testing::Values("box_running", "cpu_box"));

// Every way in which a window is combined, also if its height and width differ.
TEST_P(Box, EveryRadius) {
  for (int radius = 0; radius <= 48; ++radius) {
    const PixelType format = radius % 4 == 1 ? PixelType::rgba8 : radius % 4 == 2 ? PixelType::gray8 : PixelType::f32;
    const HostImage image = noise_image({211, 97}, format);
    const Size2 window{2 * radius + 1, 2 * (radius * 5 % 13) + 1};
    const FilterSpec filter{.kind = FilterKind::custom,
                            .matrix = {window, std::vector<double>(window.area(), 1.0)},
                            .divisor = static_cast<double>(window.area())};
    const Verdict verdict =
        compare(convolved(variant(), image, filter, Border::mirror), reference_of(image, filter, Border::mirror, 0));
    EXPECT_TRUE(verdict.pass) << radius;
    EXPECT_LT(verdict.max_error, format == PixelType::f32 ? 5e-7 : 0.51 / 255) << radius;
  }
}

// Values that left the window have no effect any more, however large they were; NaN is only in the windows around it.
TEST_P(Box, NothingStaysBehind) {
  const FilterSpec filter{.kind = FilterKind::box, .radius = 4};
  constexpr int width = 150, height = 700;
  const HostImage plain = noise_image({width, height}, PixelType::f32);
  const HostImage expected = convolved(variant(), plain, filter, Border::replicate);
  for (const float value :
       {3e9f, 1e20f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    HostImage image = plain;
    image.pixels<float>()[20 * width + 70] = value;
    const HostImage result = convolved(variant(), image, filter, Border::replicate);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const float got = result.pixels<float>()[y * width + x];
        if (std::abs(x - 70) > 4 || std::abs(y - 20) > 4)
          ASSERT_NEAR(got, expected.pixels<float>()[y * width + x], 1e-6) << value << " at " << x << ", " << y;
        else if (std::isfinite(value))
          ASSERT_NEAR(got / value, 1.0f / 81, 1e-8) << x << ", " << y;
        else
          ASSERT_EQ(std::isinf(got), std::isinf(value)) << x << ", " << y;
      }
  }
}

TEST_P(Box, RefusesOtherTapsInWords) {
  const auto taps = std::make_shared<Taps>(*taps_of({.radius = 2}));
  const auto plan = plan_of({.variant = GetParam()}, {}, taps, {64, 64}, cpu_limits());
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().text.find("needs equal taps. Use the filter Box"), std::string::npos);
}

// A window gives the same bits wherever it is in a tile.
TEST(CpuBox, CommutesWithAShift) {
  constexpr int width = 1500, rows = 90, shift_x = 301, shift_y = 17, radius = 20;
  const FilterSpec filter{.kind = FilterKind::box, .radius = radius};
  const HostImage image = noise_image({width, rows}, PixelType::f32);
  HostImage part(PixelType::f32, {width - shift_x, rows - shift_y});
  for (int y = 0; y < part.size.height; ++y)
    std::copy_n(image.pixels<float>() + (y + shift_y) * width + shift_x, part.size.width,
                part.pixels<float>() + y * part.size.width);
  const Variant& variant = *find_variant("cpu_box");
  const HostImage of_all = convolved(variant, image, filter, Border::zero);
  const HostImage of_part = convolved(variant, part, filter, Border::zero);
  for (int y = radius; y < part.size.height - radius; ++y)
    for (int x = radius; x < part.size.width - radius; ++x)
      ASSERT_EQ(of_part.pixels<float>()[y * part.size.width + x],
                of_all.pixels<float>()[(y + shift_y) * width + x + shift_x])
          << x << ", " << y;
}

TEST(Boundary, ValidLeavesNothingOfASmallPicture) {
  for (const Size2 size : {Size2{200, 3}, {20, 40}, {3, 3}}) {
    const HostImage image = noise_image(size, PixelType::rgba8);
    const Reference reference = reference_of(image, {.radius = 10}, Border::valid, 0);
    EXPECT_EQ(reference.size.area(), 0);
    EXPECT_TRUE(reference.values.empty());
  }
}

// Checklist rows 6 to 8: each strategy gives the same picture, and pre-padding is a step with its own time.
TEST(Boundary, StrategiesAgreeAndRefuseWhatTheyCannot) {
  const HostImage image = noise_image({37, 41}, PixelType::f32);
  for (const char* id : {"global", "constant"})
    for (const BorderInfo& border : borders) {
      const Settings settings{.filter = {.radius = 3}, .border = border.border, .border_value = 0.25f};
      const auto taps = std::make_shared<Taps>(*taps_of(settings.filter));
      LaneSettings lane{.variant = id, .format = PixelType::f32};
      lane.switches.set("boundary", 3);
      const auto plan = plan_of(lane, settings, taps, image.size, cpu_limits());
      if (border.border == Border::valid) {
        EXPECT_EQ(plan.error().text, "boundary=pre_pad: valid padding never reads outside the image");
        continue;
      }
      ASSERT_TRUE(plan);
      EXPECT_EQ(plan->steps.size(), 2u);
      EXPECT_EQ(plan->title_of(0), "pre-pad");
      HostImage target(image.type, image.size);
      ASSERT_TRUE(CpuExecutor().run(*plan, image, target));
      EXPECT_TRUE(compare(target, reference_of(image, settings.filter, border.border, 0.25f)).pass) << border.id;
      lane.switches.set("boundary", 2);
      const bool no_pixel = border.border == Border::zero || border.border == Border::constant;
      EXPECT_EQ(plan_of(lane, settings, taps, image.size, cpu_limits()).has_value(), !no_pixel) << border.id;
    }
}

// Checklist row 28: a half accumulator stays within the stated error, and is worse than a float accumulator.
TEST(HalfSums, AreWithinTheirBoundAndWorse) {
  const FilterSpec filter{.sigma = 1.5, .radius = 4};
  const auto taps = std::make_shared<Taps>(*taps_of(filter));
  for (const char* id : {"global", "constant", "tile_linear", "tile_unrolled"})
    for (const PixelType format : {PixelType::f16, PixelType::rgba16f}) {
      const HostImage image = noise_image({37, 41}, format);
      const Settings settings{.filter = filter, .border = Border::constant, .border_value = 0.3f};
      const Reference reference = reference_of(image, filter, settings.border, settings.border_value);
      double error[2];
      for (const int half : {0, 1}) {
        LaneSettings lane{.variant = id, .format = format};
        lane.switches.set("accumulate", half);
        const auto plan = plan_of(lane, settings, taps, image.size, cpu_limits());
        ASSERT_TRUE(plan) << plan.error().text;
        HostImage target(format, image.size);
        ASSERT_TRUE(CpuExecutor().run(*plan, image, target));
        const float tolerance = tolerance_of(*find_variant(id), conv_settings(lane, settings, taps));
        const Verdict verdict = compare(target, reference, tolerance);
        EXPECT_TRUE(verdict.pass) << id << " off by " << verdict.max_error;
        error[half] = verdict.max_error;
      }
      EXPECT_GT(error[1], 2 * error[0]) << id;
    }
}

// One product: within the stated error, and worse than three. In 8 bits few levels differ by one, none by two. Uniform
// areas do not change.
TEST(Tensor, OneProductIsWithinItsBoundAndWorse) {
  const Variant& variant = *find_variant("separable_tensor");
  for (const int radius : {1, 5, 8, 16, 32})
    for (const PixelType format : {PixelType::f32, PixelType::rgba8, PixelType::rgb32f}) {
      const FilterSpec filter{.sigma = sigma_for(radius), .radius = radius};
      const auto taps = std::make_shared<Taps>(*taps_of(filter));
      const HostImage image = noise_image({130, 70}, format);
      HostImage even = image;
      const std::size_t bytes = info(format).bytes;
      for (std::size_t i = bytes; i < even.bytes.size(); ++i) even.bytes[i] = even.bytes[i % bytes];
      const Settings settings{.filter = filter, .border = Border::mirror};
      const Reference reference = reference_of(image, filter, settings.border, 0);
      double error[2];
      for (const int one : {0, 1}) {
        LaneSettings lane{.variant = "separable_tensor", .format = format};
        lane.switches.set("products", one);
        const auto plan = plan_of(lane, settings, taps, image.size, cpu_limits());
        ASSERT_TRUE(plan) << plan.error().text;
        HostImage target(format, image.size), of_even = target;
        ASSERT_TRUE(CpuExecutor().run(*plan, image, target));
        ASSERT_TRUE(CpuExecutor().run(*plan, even, of_even));
        const float tolerance = tolerance_of(variant, conv_settings(lane, settings, taps));
        const Verdict verdict = compare(target, reference, tolerance);
        EXPECT_TRUE(verdict.pass) << info(format).id << " radius " << radius << " off by " << verdict.max_error;
        error[one] = verdict.max_error;
        if (is_8_bit(format)) {
          EXPECT_EQ(of_even.bytes, even.bytes) << radius;
          EXPECT_LE(verdict.rounded_apart, (radius > 1 ? 0.02 : 0.1) * 3 * image.size.area()) << radius;
        } else {
          for (int i = 0; i < image.size.area(); ++i)
            ASSERT_NEAR(of_even.channel(i, 0), even.channel(i, 0), one ? 1e-3 : 1e-6) << radius;
        }
      }
      if (!is_8_bit(format)) {
        EXPECT_LE(error[0], 1e-6) << radius;
        EXPECT_LE(error[1], radius > 1 ? 4e-4 : 1e-3) << radius;  // with fewer taps, errors average out less
        EXPECT_GT(error[1], 20 * error[0]) << radius;
      }
    }
}

// All taps of a box are rounded equally.
TEST(Tensor, BoxesAreAsExactAsGaussians) {
  const HostImage image = noise_image({150, 90}, PixelType::f32);
  for (const int radius : {13, 18, 24, 29, 30, 32}) {
    const FilterSpec box{.kind = FilterKind::box, .radius = radius};
    const HostImage result = convolved(*find_variant("separable_tensor"), image, box, Border::replicate);
    EXPECT_LE(compare(result, reference_of(image, box, Border::replicate, 0)).max_error, 1.5e-6) << radius;
  }
}

// A chain whose taps add up to more than 1 has a proportionally larger error: no pixel counts as wrong for it.
TEST(Tensor, ChainsOfOneProductAreWithinTheirBound) {
  const FilterSpec edges{.kind = FilterKind::edges, .radius = 3};
  const HostImage image = noise_image({90, 70}, PixelType::rgba8);
  LaneSettings lane{.variant = "separable_tensor", .format = PixelType::rgba8};
  lane.switches.set("products", 1);
  const Settings settings{.filter = edges, .border = Border::mirror};
  const auto taps = std::make_shared<Taps>(*taps_of(edges));
  const auto plan = plan_of(lane, settings, taps, image.size, cpu_limits());
  ASSERT_TRUE(plan) << plan.error().text;
  HostImage target(image.type, image.size);
  ASSERT_TRUE(CpuExecutor().run(*plan, image, target));
  const float tolerance = tolerance_of(*find_variant("separable_tensor"), conv_settings(lane, settings, taps));
  EXPECT_TRUE(compare(target, reference_of(image, edges, Border::mirror, 0), tolerance).pass);
}

// Relative to the picture's own maximum, from the smallest pictures to the largest: what separable_tensor accepts is as
// exact as other variants, and "auto" takes another variant for the rest.
TEST(Tensor, KeepsTheDigitsOfDarkAndBrightPictures) {
  const FilterSpec filter{.sigma = 3.6, .radius = 9};
  const auto taps = std::make_shared<Taps>(*taps_of(filter));
  DeviceLimits gpu = cpu_limits();
  gpu.compute_capability = 90;
  for (const double largest : {1e-30, 1e-8, 1e-4, 1.0 / 256, 0.1, 1.0, 2047.0, 1e5, 1e30}) {
    HostImage image = noise_image({90, 70}, PixelType::f32);
    for (int i = 0; i < 90 * 70; ++i) image.pixels<float>()[i] *= static_cast<float>(largest);
    image.pixels<float>()[1000] = static_cast<float>(largest);
    const Reference reference = reference_of(image, filter, Border::mirror, 0);
    const ConvSettings settings{
        .taps = taps, .format = PixelType::f32, .border = Border::mirror, .largest = static_cast<float>(largest)};
    bool tensor = false;
    for (const char* id : {"separable_tensor", "auto"}) {
      const auto plan = plan_job(*find_variant(id), image.size, settings, gpu);
      if (!plan) {
        EXPECT_NE(plan.error().text.find("The largest value of the picture may be 1/256 to 2047"), std::string::npos);
        continue;
      }
      tensor = tensor || plan->chosen.empty();
      if (!plan->chosen.empty()) {
        EXPECT_EQ(plan->chosen == "separable_tensor", tensor) << largest;
      }
      HostImage target(image.type, image.size);
      ASSERT_TRUE(CpuExecutor().run(*plan, image, target));
      double error = 0;
      for (int i = 0; i < 90 * 70; ++i)
        error = std::max(error, std::fabs(target.pixels<float>()[i] - reference.values[i]) / largest);
      EXPECT_LT(error, 1e-5) << id << " " << largest;
    }
    EXPECT_EQ(tensor, largest >= 1.0 / 256 && largest <= 2047) << largest;
  }
}

// A 16-bit float cannot hold an infinite value of the picture: another variant keeps it infinite.
TEST(Tensor, RefusesPicturesWithInfiniteValues) {
  const FilterSpec filter{.sigma = 3.6, .radius = 9};
  HostImage image = noise_image({90, 70}, PixelType::f32);
  image.pixels<float>()[35 * 90 + 45] = std::numeric_limits<float>::infinity();
  const ConvSettings settings{.taps = std::make_shared<Taps>(*taps_of(filter)),
                              .format = PixelType::f32,
                              .border = Border::mirror,
                              .largest = std::numeric_limits<float>::infinity()};
  DeviceLimits gpu = cpu_limits();
  gpu.compute_capability = 90;
  EXPECT_FALSE(plan_job(*find_variant("separable_tensor"), image.size, settings, gpu));
  const auto plan = plan_job(*find_variant("auto"), image.size, settings, gpu);
  ASSERT_TRUE(plan) << plan.error().text;
  EXPECT_NE(plan->chosen, "separable_tensor");
  HostImage target(image.type, image.size);
  ASSERT_TRUE(CpuExecutor().run(*plan, image, target));
  EXPECT_TRUE(std::isinf(target.pixels<float>()[35 * 90 + 45]));
}

TEST(Tensor, RefusesTapsThatNumbersOf16BitsCannotHold) {
  const FilterSpec large{.kind = FilterKind::custom, .matrix = *parse_matrix("9000 9000 9000")};
  const auto plan = plan_of({.variant = "separable_tensor", .format = PixelType::f32}, {.filter = large},
                            std::make_shared<Taps>(*taps_of(large)), {32, 32}, cpu_limits());
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().text.find("Use a divisor, or separable_stream"), std::string::npos) << plan.error().text;
}

TEST(HalfSums, RefuseWhatTheyCannot) {
  const auto refusal = [](const char* id, PixelType format, FilterKind kind) {
    LaneSettings lane{.variant = id, .format = format};
    lane.switches.set("accumulate", 1);
    const auto plan = plan_of(lane, {.filter = {.kind = kind}}, std::make_shared<Taps>(*taps_of({.kind = kind})),
                              {32, 32}, cpu_limits());
    return plan ? "" : plan.error().text;
  };
  EXPECT_EQ(refusal("global", PixelType::f16, FilterKind::gaussian), "");
  EXPECT_EQ(refusal("global", PixelType::f32, FilterKind::gaussian),
            "accumulate=half: F32 luma: only the formats f16 and rgba16f (interleaved) can use a half accumulator");
  EXPECT_EQ(refusal("global", PixelType::f16, FilterKind::edges),
            "accumulate=half: images between the filters of a chain are floats");
  EXPECT_EQ(refusal("tile_nested", PixelType::f16, FilterKind::gaussian),
            "accumulate=half: tile_nested does not have this switch");
}

TEST(Registry, IdsAreUniqueAndPlansArePure) {
  std::vector<std::string> ids = variant_ids();
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
  EXPECT_EQ(find_variant("nonsense"), nullptr);
}

}  // namespace

}  // namespace conv
