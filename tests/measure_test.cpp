// The measurement protocol, the view, and the settings file: parts of the window that can be tested without one.
#include "app/measure/race_times.h"
#include "app/measure/region_values.h"
#include "app/measure/time_samples.h"
#include "app/measure/turn.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "app/check/compiled_text.h"
#include "app/check/inspection.h"
#include "app/model/settings_file.h"
#include "app/model/value_text.h"
#include "app/ui/widgets/widgets.h"
#include "app/ui/window/view_transform.h"
#include "kernels/core/units.h"
#include "support.h"

namespace conv {

namespace {

std::vector<float> noisy(float centre, float spread, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> around(centre - spread, centre + spread);
  std::vector<float> values(64);
  for (float& value : values) value = around(random);
  return values;
}

TEST(Words, HaveOneUnitForBytesAndOneForValues) {
  EXPECT_EQ(bytes_text(900), "900 B");
  EXPECT_EQ(bytes_text(2704), "2.64 KiB");
  EXPECT_EQ(bytes_text(64 << 10), "64 KiB");
  EXPECT_EQ(needed_text((64 << 10) + 1), "65 KiB");
  EXPECT_EQ(bytes_text(1920.0 * 1080 * 4), "7.91 MiB");
  EXPECT_EQ(bytes_text(15.6e9), "14.5 GiB");
  EXPECT_EQ(value_text(118 / 255.0, ValueUnit::levels, true), "118");
  EXPECT_EQ(value_text(118 / 255.0, ValueUnit::levels), "118.00");
  EXPECT_EQ(value_text(118 / 255.0, ValueUnit::one, true), "0.4627");
  EXPECT_EQ(difference_text(1 / 255.0, ValueUnit::levels), "1");
  EXPECT_EQ(difference_text(1 / 255.0, ValueUnit::one), "0.00392");
}

TEST(Words, SayHowSettingsDiffer) {
  const Settings from;
  Settings to = from;
  EXPECT_EQ(change_text(from, to), "");
  to.filter.radius = 9;
  EXPECT_EQ(change_text(from, to), "radius 5 to 9");
  to = from;
  to.lanes[0].block = to.lanes[1].block = {32, 8};
  EXPECT_EQ(change_text(from, to), "block 16x16 to 32x8");
  to.border = Border::zero;
  EXPECT_EQ(change_text(from, to), "2 settings");
}

TEST(Samples, KeepTheLast64AndTheirSpread) {
  Samples samples;
  EXPECT_FALSE(samples.summary());
  for (int i = 1; i <= 100; ++i) samples.add(static_cast<float>(i));
  const Summary summary = *samples.summary();
  EXPECT_EQ(summary.count, 64);
  EXPECT_FLOAT_EQ(summary.median, 68.5f);  // of 37..100
  EXPECT_FLOAT_EQ(summary.p10, 43.3f);
  EXPECT_FLOAT_EQ(summary.p90, 93.7f);
}

TEST(Comparison, CallsTheSameThingATie) {
  using Outcome = Comparison::Outcome;
  for (unsigned seed = 0; seed < 20; ++seed)
    EXPECT_EQ(compare_lanes(noisy(1, 0.1f, seed), noisy(1, 0.1f, seed + 100)).outcome, Outcome::tie) << seed;
  EXPECT_EQ(compare_lanes(noisy(1, 0.02f, 1), noisy(1.2f, 0.02f, 2)).outcome, Outcome::a_faster);
  EXPECT_EQ(compare_lanes(noisy(1.2f, 0.02f, 1), noisy(1, 0.02f, 2)).outcome, Outcome::b_faster);
  EXPECT_EQ(compare_lanes(std::vector<float>(15, 1.0f), std::vector<float>(15, 2.0f)).outcome, Outcome::measuring);
}

// 1 2 3      Mean 3.5; the squares of the distances from it add up to 17.5.
// 4 5 6
TEST(Regions, HaveStatisticsAndProfiles) {
  const auto image = [](PixelType type, std::vector<float> values, Size2 size) {
    HostImage made(type, size);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (type == PixelType::gray8)
        made.pixels<unsigned char>()[i] = static_cast<unsigned char>(values[i]);
      else
        made.pixels<float>()[i] = values[i];
    return made;
  };
  for (const PixelType type : {PixelType::f32, PixelType::gray8}) {
    SCOPED_TRACE(info(type).id);
    const double one = info(type).one;
    const RegionValues region = region_values({{7, 9}, image(type, {1, 2, 3, 4, 5, 6}, {3, 2})});
    EXPECT_EQ(region.channels, 1);
    const ChannelValues& of = region.of[0];
    EXPECT_NEAR(of.mean * one, 3.5, 1e-5);
    EXPECT_NEAR(of.deviation * one, std::sqrt(17.5 / 6), 1e-5);
    EXPECT_NEAR(of.least * one, 1, 1e-5);
    EXPECT_NEAR(of.most * one, 6, 1e-5);
    EXPECT_THAT(of.along_x, testing::Pointwise(testing::DoubleNear(1e-5), {2.5 / one, 3.5 / one, 4.5 / one}));
    EXPECT_THAT(of.along_y, testing::Pointwise(testing::DoubleNear(1e-5), {2 / one, 5 / one}));
    const RegionValues other = region_values({{7, 9}, image(type, {1, 2, 3, 4, 5, 2}, {3, 2})});
    EXPECT_NEAR(region_difference(region, other)->largest * one, 4, 1e-5);
    EXPECT_NEAR(region_difference(region, other)->root_mean_square * one, std::sqrt(16.0 / 6), 1e-5);
    EXPECT_FALSE(region_difference(region, region_values({{7, 8}, image(type, {1, 2, 3, 4, 5, 6}, {3, 2})})));
  }
}

TEST(Regions, LeaveOutWhatIsNotFinite) {
  HostImage image(PixelType::f32, {2, 2});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::ranges::copy(std::array{1.0f, nan, 3.0f, nan}, image.pixels<float>());
  const RegionValues region = region_values({{0, 0}, image});
  const ChannelValues& of = region.of[0];
  EXPECT_EQ(of.not_finite, 2);
  EXPECT_EQ(of.mean, 2);
  EXPECT_EQ(of.deviation, 1);
  EXPECT_EQ(of.least, 1);
  EXPECT_EQ(of.most, 3);
  EXPECT_TRUE(std::isnan(of.along_x[1]));
  EXPECT_EQ(region_difference(region, region)->root_mean_square, 0);
  std::ranges::fill_n(image.pixels<float>(), 4, nan);
  EXPECT_TRUE(std::isnan(region_values({{0, 0}, image}).of[0].most));
}

TEST(Regions, AreCutFromColourPictures) {
  HostImage image(PixelType::rgba8, {4, 3});
  for (int i = 0; i < 12; ++i) image.pixels<Rgba8>()[i] = {static_cast<unsigned char>(i), 100, 50, 255};
  const auto part = part_of(image, {2, -1}, {9, 3});
  ASSERT_TRUE(part);
  EXPECT_EQ(part->at, (Point2{2, 0}));
  EXPECT_EQ(part->image.size, (Size2{2, 2}));
  const RegionValues region = region_values(*part);
  EXPECT_EQ(region.channels, 3);
  EXPECT_NEAR(region.of[0].mean * 255, (2 + 3 + 6 + 7) / 4.0, 1e-5);
  EXPECT_NEAR(region.of[1].mean * 255, 100, 1e-5);
  EXPECT_NEAR(region.of[2].deviation, 0, 1e-7);
  EXPECT_FALSE(part_of(image, {4, 0}, {2, 2}));
}

// However often it is measured: two CUDA events do not tell so little apart.
TEST(Comparison, CallsATenthOfAPercentATie) {
  using Outcome = Comparison::Outcome;
  EXPECT_EQ(compare_lanes(noisy(1, 1e-4f, 1), noisy(1.001f, 1e-4f, 2)).outcome, Outcome::tie);
  EXPECT_EQ(compare_lanes(noisy(1.001f, 1e-4f, 1), noisy(1, 1e-4f, 2)).outcome, Outcome::tie);
  EXPECT_EQ(compare_lanes(noisy(1, 1e-4f, 1), noisy(1.004f, 1e-4f, 2)).outcome, Outcome::a_faster);
}

TEST(Race, TiesShareAPlace) {
  const auto times = [](float centre, float spread, unsigned seed) {
    RaceTimes list;
    int round = 0;
    for (const float ms : noisy(centre, spread, seed)) list.add({round++, ms});
    return list;
  };
  const RaceTimes slow = times(2, 0.02f, 1), fast = times(1, 0.02f, 2), as_fast = times(1, 0.02f, 3), none;
  RaceTimes late;  // not in the others' rounds
  for (int round = 500; round < 520; ++round) late.add({round, 0.1f});
  EXPECT_EQ(places_of(std::vector<const RaceTimes*>{&slow, &fast, &none, &as_fast}), (std::vector{3, 1, 0, 1}));
  EXPECT_EQ(places_of(std::vector<const RaceTimes*>{&slow, &late})[0], 0);
  EXPECT_EQ(compare_racers(fast, slow).outcome, Comparison::Outcome::a_faster);
}

TEST(Turns, GoForthAndBackAndAreLongEnough) {
  std::string order;
  for (int round = 0; round < 3; ++round)
    for (std::size_t i = 0; i < 3; ++i) order += "ABC"[in_turn(round, i, 3)];
  EXPECT_EQ(order, "ABCCBAABC");
  EXPECT_EQ(launches_of_turn(0.1f), 5);
  EXPECT_EQ(launches_of_turn(7), 1);
  EXPECT_EQ(launches_of_turn(0), 50);
}

TEST(Turns, DoNotCountWhereTheClockMoved) {
  const auto counts = [](std::initializer_list<std::optional<int>> after) {
    SteadyRounds rounds(4);
    std::string text;
    for (const auto& mhz : after) {
      EXPECT_TRUE(rounds.more());
      text += rounds.ended(mhz) ? '+' : '-';
    }
    EXPECT_FALSE(rounds.more());
    EXPECT_EQ(rounds.thrown_away(), std::count(text.begin(), text.end(), '-'));
    return text;
  };
  EXPECT_EQ(counts({1980, 1965, 1980, 1995}), "++++");  // a step of the clock is less than 1 %
  EXPECT_EQ(counts({1980, 1755, 1980, 1755}),
            "++++");  // forward and backward rounds end with different work, which has its own clock
  EXPECT_EQ(counts({1980, 1980, 1755, 1755, 1755, 1770}), "++--++");
  EXPECT_EQ(counts({1980, std::nullopt, 1980, 1000}), "++++");
  EXPECT_EQ(counts({1000, 1000, 1100, 1100, 1200, 1200, 1300, 1300}), "++----++");  // a clock that never settles
}

TEST(Turns, WaitForWhatEndsOrNotForLong) {
  int asked = 0;
  EXPECT_TRUE(wait_while([&] { return ++asked < 3; }, std::chrono::minutes(1), {}));
  EXPECT_EQ(asked, 3);
  EXPECT_FALSE(wait_while([&] { return ++asked > 0; }, std::chrono::milliseconds(0), {}));
  EXPECT_EQ(asked, 4);
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(wait_while([] { return true; }, std::chrono::minutes(1), stopped.get_token()));
}

TEST(ViewTransform, KeepsThePointUnderTheCursorAndItsLimits) {
  ViewTransform view;
  view.fit({1920, 1080}, {960, 960});
  EXPECT_FLOAT_EQ(view.zoom, 0.5f);
  const Vec2 middle{480, 480}, cursor{700, 300}, before = view.image_at_screen(cursor, middle);
  for (int i = 0; i < 60; ++i) view.zoom_at(cursor, middle, 1.25f);
  EXPECT_FLOAT_EQ(view.zoom, ViewTransform::max_zoom);
  EXPECT_NEAR(view.image_at_screen(cursor, middle).x, before.x, 0.05f);
  EXPECT_NEAR(view.image_at_screen(cursor, middle).y, before.y, 0.05f);
  for (int i = 0; i < 120; ++i) view.zoom_at(cursor, middle, 0.8f);
  EXPECT_FLOAT_EQ(view.zoom, ViewTransform::min_zoom);
}

TEST(ViewTransform, ShowsTheWholeOfAnySizeAndComesBackFromIt) {
  ViewTransform view;
  view.fit({40000, 100}, {960, 960});
  EXPECT_FLOAT_EQ(view.zoom, 0.024f);
  view.zoom_at({480, 480}, {480, 480}, 0.8f);
  EXPECT_FLOAT_EQ(view.zoom, 0.024f);
  view.zoom_at({480, 480}, {480, 480}, 1.25f);
  EXPECT_FLOAT_EQ(view.zoom, 0.03f);
  for (int i = 0; i < 9; ++i) view.zoom_at({480, 480}, {480, 480}, 0.8f);
  EXPECT_FLOAT_EQ(view.zoom, 0.024f);
}

TEST(SettingsFile, KeepsEverythingAndSurvivesNonsense) {
  Settings settings;
  settings.source = {.path = "a.png", .pattern = PatternKind::noise, .pattern_size = {33, 44}, .seed = 7};
  settings.filter = {.kind = FilterKind::custom,
                     .sigma = 3.5,
                     .radius = 9,
                     .matrix = {{3, 1}, {1, -2.5, 3}},
                     .divisor = 2,
                     .offset = 0.25,
                     .mode = FilterMode::correlation};
  settings.source.camera = "/dev/video7";
  settings.source.flip = true;
  settings.playback = {.speed = 0.25f, .loops = false};
  settings.transfer = {.pinned = false, .asynchronous = false, .as_yuv = false};
  settings.auto_radius = true;
  settings.border = Border::mirror;
  settings.border_value = 0.5f;
  settings.lanes = {LaneSettings{"constant", PixelType::f32, {13, 7}},
                    LaneSettings{"cpu_direct", PixelType::rgba32f, {64, 4}}};
  settings.link_lanes = false;
  settings.view = ViewMode::side;
  settings.not_racing = {"global", "fft"};
  settings.grid = {"constant"};
  settings.display = {
      .exposure = 2, .offset = -0.5f, .gamma = 2.2f, .channels = {true, false, true}, .pixel_grid = false};
  const Preferences preferences{
      .theme = Theme::light, .ui_scale = 1.5f, .window_size = {1024, 640}, .vsync = false, .every_frame = false};
  Settings read;
  Preferences read_preferences;
  from_json(to_json(settings, preferences), read, read_preferences);
  EXPECT_TRUE(read == settings);
  EXPECT_EQ(read_preferences.theme, Theme::light);
  EXPECT_EQ(read_preferences.window_size, (Size2{1024, 640}));

  for (const char* nonsense :
       {"", "[]", "{\"filter\": 3}", "{\"lanes\": [{\"variant\": \"gone\", \"block\": [0, 9]}], \"padding\": 5}",
        "{\"filter\": {\"sigma\": \"wide\", \"radius\": 5.5}, \"preferences\": {\"ui_scale\": 90}}"}) {
    Settings kept;
    Preferences p;
    from_json(nonsense, kept, p);
    EXPECT_TRUE(kept == Settings{}) << nonsense;
    EXPECT_LE(p.ui_scale, 3.0f);
  }
}

TEST(Numbers, HaveThreeDigits) {
  EXPECT_EQ(three_digits(0.08134), "0.0813");
  EXPECT_EQ(three_digits(12.345), "12.3");
  EXPECT_EQ(three_digits(999.6), "1000");
  EXPECT_EQ(three_digits(15312), "15\u2009300");
  EXPECT_EQ(three_digits(0), "0");
  EXPECT_EQ(grouped(-1234567), "-1\u2009234\u2009567");
}

TEST(Code, InstructionsAreCountedInPtxAndMachineCode) {
  EXPECT_EQ(instruction_counts("// .globl f\n.visible .entry f(\n{\n\t.reg .b32 %r<9>;\n$L_1:\n"
                               "\tmov.u32 \t%r1, %ctaid.x;\n\t@%p1 bra \t$L_1;\n\tfma.rn.f32 \t%f1, %f2, %f3, %f1;\n"
                               "\tcp.async.cg.shared.global [%r2], [%rd1], 16;\n\tcp.async.wait_group 0;\n"
                               "\tbar.sync \t0;\n\tret;\n}\n"),
            "7 instructions · asynchronous copies 1 · barriers 1 · fma 1");
  EXPECT_EQ(instruction_counts("\t.section\t.text.f,\"ax\",@progbits\n.text.f:\n"
                               "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                               "        /*0010*/              @!P0 LDG.E R3, [R4.64] ;\n"
                               "        /*0020*/                   LDGSTS.E.128 [R2], [R4.64] ;\n"
                               "        /*0030*/                   LDGDEPBAR ;\n"
                               ".L_x_0:\n"
                               "        /*0040*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;\n"
                               "        /*0050*/                   FFMA R0, R3, R7, R0 ;\n"
                               "        /*0060*/                   SHFL.UP PT, R9, R0, 0x1, RZ ;\n"
                               "        /*0070*/                   HFMA2 R0, R3, R7, R0 ;\n"
                               "        /*0080*/                   EXIT ;\n"),
            "9 instructions · asynchronous copies 1 · barriers 1 · constant loads 1 · fma 1 · fma of "
            "halves 1 · "
            "global loads 1 · shuffles 1");
}

// An instruction of an inlined function belongs to the line of the kernel's file that called it, also by way of others.
TEST(Code, InstructionsHaveTheLineTheyComeFrom) {
  const CompiledText ptx = with_lines_of_ptx(
      "\t.loc\t1 14 0\n.visible .entry f(\n{\n\t.loc\t1 46 3\n"
      "\t.loc\t2 9 5, function_name $L__info_string0, inlined_at 1 46 3\n"
      "\t.loc\t3 7 2, function_name $L__info_string1, inlined_at 2 9 5\n\tfma.rn.f32 \t%f1, %f2, %f3, %f1;\n"
      "\t.loc\t1 47 3\n\tret;\n\t.loc\t3 7 2\n\tmov.u32 \t%r1, %r2;\n}\n"
      "\t.file\t1 \"/home/kernels/variants/f.cu\"\n\t.file\t2 \"/home/kernels/api/views.h\"\n\t.section\t.debug_str\n",
      "kernels/variants/f.cu");
  EXPECT_EQ(ptx.text, ".visible .entry f(\n{\n\tfma.rn.f32 \t%f1, %f2, %f3, %f1;\n\tret;\n\tmov.u32 \t%r1, %r2;\n}\n");
  EXPECT_EQ(ptx.lines, (std::vector<int>{0, 0, 46, 47, 0, 0}));
  const CompiledText machine = with_lines_of_machine_code(
      "f:\n\t//## File \"/home/kernels/api/views.h\", line 9 inlined at \"/home/kernels/variants/f.cu\", line 46\n"
      "\t//## File \"/home/kernels/variants/f.cu\", line 99\n        /*0000*/ FFMA R0, R3, R7, R0 ;\n"
      "        /*0010*/ FFMA R0, R4, R7, R0 ;\n\t//## File \"/home/kernels/variants/f.cu\", line 47\n"
      "        /*0020*/ EXIT ;\n\t//## File \"/home/kernels/api/views.h\", line 12\n        /*0030*/ NOP ;\n",
      "kernels/variants/f.cu");
  EXPECT_EQ(machine.lines, (std::vector<int>{0, 46, 46, 47, 0}));
  EXPECT_EQ(machine.innermost, (std::vector<int>{0, 9, 9, 47, 12}));
  // nvdisasm may give the kernel itself the file of the function above it.
  EXPECT_EQ(with_lines_of_machine_code(
                "\t//## File \"/home/kernels/api/views.h\", line 9 inlined at \"/home/kernels/api/views.h\", line 46\n"
                "\t//## File \"/home/kernels/api/views.h\", line 46\n        /*0000*/ LDG.E R0, [R3] ;\n",
                "kernels/variants/f.cu")
                .lines,
            (std::vector<int>{46}));
  EXPECT_EQ(instruction_counts(machine, {46}), "2 instructions · fma 2");
  EXPECT_EQ(instruction_counts(machine, {47}), "1 instruction");
  EXPECT_EQ(with_lines_of_ptx("\t.loc\t1 2 3, inlined_at 1 2 3\n\tret;\n", "f.cu").lines, (std::vector<int>{0}));
}

// Every format and padding: the sum over the window equals the reference.
TEST(Inspection, EqualsTheReference) {
  const FilterSpec filters_checked[] = {{.sigma = 1.2, .radius = 3},
                                        {.kind = FilterKind::custom,
                                         .matrix = {{3, 5}, {1, -2, 3, 4, 5, -6, 7, 8, 9, 1, 0, 2, -3, 1, 4}},
                                         .divisor = 34,
                                         .offset = 0.125}};
  for (const PixelTypeInfo& format : pixel_types)
    for (const BorderInfo& border : borders)
      for (const FilterSpec& filter : filters_checked) {
        const HostImage source = noise_image({17, 13}, format.type);
        const Taps taps = *taps_of(filter);
        const float outside = outside_of({.format = format.type, .border = border.border, .border_value = 0.3f});
        const Reference reference = reference_of(source, filter, border.border, 0.3f);
        const Point2 corner = corner_in_source(reference.size, source.size);
        for (int i = 0; i < reference.size.area(); i += 5) {
          const Point2 at{i % reference.size.width, i / reference.size.width};
          const Inspection inspection =
              inspect(source, taps, border.border, outside, {at.x + corner.x, at.y + corner.y});
          ASSERT_EQ(inspection.taps.size(), taps.values.size());
          for (int c = 0; c < inspection.channels; ++c)
            ASSERT_NEAR(inspection.exact[c], reference.values[i * format.channels + c], 2e-6 * format.one)
                << format.id << " " << border.id << " " << at.x << ", " << at.y;
          for (const InspectedTap& tap : inspection.taps) {
            const bool inside = tap.at.x >= 0 && tap.at.y >= 0 && tap.at.x < 17 && tap.at.y < 13;
            ASSERT_EQ(tap.padded, !inside);
          }
        }
      }
}

// Both passes and the formula have the same sum; floats are counted between neighbours.
TEST(Inspection, AddsUpInTwoPassesAndInWords) {
  const HostImage source = noise_image({9, 7}, PixelType::f32);
  const Taps taps = *taps_of({.sigma = 1, .radius = 2});
  const Inspection seen = inspect(source, taps, Border::mirror, 0, {1, 2});
  ASSERT_EQ(seen.rows.size(), 5u);
  double sum = 0;
  for (const Inspection::RowSum& row : seen.rows) sum += row.sum[0] * row.weight;
  EXPECT_NEAR(sum, seen.exact[0], 1e-7);  // taps are floats
  const std::string text = formula(seen, 0);
  EXPECT_EQ(std::count(text.begin(), text.end(), '+'), 24);
  EXPECT_NEAR(std::stod(text.substr(text.find('=') + 1)), seen.exact[0], 1e-8);
  const std::string levels = formula(seen, 0, 255);
  EXPECT_NEAR(std::stod(levels.substr(levels.find('=') + 1)), seen.exact[0] * 255, 1e-6);
  EXPECT_NE(levels.substr(0, levels.find('+')), text.substr(0, text.find('+')));
  EXPECT_TRUE(inspect(source, *taps_of({.kind = FilterKind::laplacian}), Border::mirror, 0, {1, 2}).rows.empty());
  EXPECT_EQ(floats_between(1.0f, std::nextafter(std::nextafter(1.0f, 2.0f), 2.0f)), 2);
  EXPECT_FALSE(floats_between(1.0f, -1.0f));
}

TEST(Session, IsReadWholeOrRefused) {
  Settings settings{.filter = {.radius = 7}, .view = ViewMode::wipe};
  const SessionView view{.centre = {30, 20},
                         .zoom = 12,
                         .fitted = false,
                         .wipe_at = 0.25f,
                         .wipe_level = true,
                         .pins = {{1, 2}, {3, 4}},
                         .panels = {"code", "/etc/passwd", "race"}};
  const Result<Session> read = session_from_json(session_to_json(settings, view));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->settings == settings);
  EXPECT_EQ(read->view.pins, view.pins);
  EXPECT_EQ(read->view.panels, (std::vector<std::string>{"code", "race"}));
  EXPECT_EQ(read->view.zoom, 12);
  EXPECT_FALSE(read->view.fitted);
  EXPECT_TRUE(read->view.wipe_level);
  EXPECT_EQ(session_from_json("{}").error().text, "no Convoscope session");
  EXPECT_EQ(session_from_json("not json").error().text, "no Convoscope session");
  EXPECT_NE(session_from_json("{\"convoscope_session\": 99}").error().text.find("newer"), std::string::npos);
  // Found by fuzzing: not a list.
  for (const char* lanes : {"true", "{\"0\": {}}", "\"ab\"", "7"}) {
    const std::string text = fmt::format("{{\"convoscope_session\": 1, \"settings\": {{\"lanes\": {}}}}}", lanes);
    EXPECT_TRUE(session_from_json(text)->settings == Settings{}) << lanes;
  }
}

TEST(Inspection, NamesWhoComputes) {
  const auto who = [](const char* variant, Border border, Point2 pixel) {
    const FilterSpec filter{.radius = 2};
    const auto plan = plan_of({.variant = variant, .block = {16, 8}}, {.filter = filter, .border = border},
                              std::make_shared<Taps>(*taps_of(filter)), {64, 64}, cpu_limits());
    return computer_of(*plan, pixel, 32);
  };
  const auto tile = who("tile_linear", Border::zero, {37, 20});
  ASSERT_TRUE(tile && tile->thread);
  EXPECT_EQ(tile->block, (Point2{2, 2}));
  EXPECT_EQ(*tile->thread, (Point2{5, 4}));
  EXPECT_EQ(tile->warp, 2);  // thread 69 of the block
  EXPECT_EQ(tile->lane, 5);
  const auto per_load = who("tile_thread_per_load", Border::zero, {37, 20});
  ASSERT_TRUE(per_load && per_load->thread);
  EXPECT_EQ(per_load->block, (Point2{2, 2}));
  EXPECT_EQ(*per_load->thread, (Point2{7, 6}));               // beside the two threads that load the apron
  const auto strip = who("streams", Border::zero, {37, 20});  // eight strips of eight rows: the third's fifth row
  ASSERT_TRUE(strip && strip->thread);
  EXPECT_EQ(strip->block, (Point2{2, 0}));
  EXPECT_EQ(*strip->thread, (Point2{5, 4}));
  EXPECT_FALSE(who("cpu_direct", Border::zero, {37, 20}));
  EXPECT_FALSE(who("multi_gpu", Border::zero, {37, 20}));
}

}  // namespace

}  // namespace conv
