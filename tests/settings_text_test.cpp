// The settings as a command, as a link, and from a session without a window.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdio>
#include <random>

#include "app/cli/commands.h"
#include "app/cli/settings_text.h"
#include "app/cli/still_picture.h"
#include "app/headless/processor.h"
#include "app/model/normalise.h"
#include "app/model/settings_file.h"
#include "app/sources/bundle.h"
#include "support.h"

namespace conv {

namespace {

using testing::HasSubstr;
using testing::Not;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int number(int low, int high) { return std::uniform_int_distribution(low, high)(engine_); }
  bool coin() { return number(0, 1) == 1; }
  double real(double low, double high) { return std::uniform_real_distribution(low, high)(engine_); }
  template <class Rows>
  const auto& row(const Rows& rows) {
    return rows[static_cast<std::size_t>(number(0, static_cast<int>(std::size(rows)) - 1))];
  }

 private:
  std::mt19937 engine_;
};

void choose_lane(Random& random, LaneSettings& lane) {
  lane.variant = random.row(variants())->id;
  lane.format = random.row(pixel_types).type;
  lane.block = random.number(0, 3) != 0
                   ? random.row(block_presets)
                   : Size2{random.number(1, 32), random.number(1, 32)};  // many variants refuse these
  for (const Switch& one : switches)
    if (random.number(0, 39) == 0) lane.switches.set(one.id, random.number(one.low, one.high));
}

void choose_filter(Random& random, Settings& settings, int largest_radius) {
  FilterSpec& filter = settings.filter;
  filter.sigma = random.real(0.3, 3);
  filter.radius = random.number(0, largest_radius);
  choose_kind(filter, random.row(filters).kind);
  filter.angle = random.real(-180, 180);
  filter.strength = random.real(-2, 2);
  filter.offset = random.coin() ? random.real(-1, 1) : 0;
  filter.seed = static_cast<std::uint32_t>(random.number(0, 1 << 30));
  filter.mode = random.coin() ? FilterMode::convolution : FilterMode::correlation;
  if (filter.kind == FilterKind::custom) {
    filter.matrix = {{random.number(0, 2) * 2 + 1, random.number(0, 2) * 2 + 1}, {}};
    for (long long i = 0; i < filter.matrix.size.area(); ++i) filter.matrix.values.push_back(random.real(-2, 2));
    filter.divisor = random.real(0.5, 9);
  }
  settings.auto_radius = random.number(0, 3) == 0;
}

// Any settings with a pattern. The pictures are small: a thousand of them are filtered.
Settings random_settings(Random& random, int largest_radius) {
  Settings settings;
  settings.source = {.pattern = random.row(patterns).kind,
                     .pattern_size = {random.number(1, 40), random.number(1, 30)},
                     .seed = static_cast<std::uint32_t>(random.number(0, 99))};
  choose_filter(random, settings, largest_radius);
  settings.border = random.row(borders).border;
  settings.border_value = static_cast<float>(random.real(0, 1));
  settings.iterations = random.number(0, 3) == 0 ? random.number(2, 4) : 1;
  for (LaneSettings& lane : settings.lanes) choose_lane(random, lane);
  settings.link_lanes = random.coin();
  settings.view = random.row(view_modes).mode;
  settings.grid.clear();
  for (int i = random.number(0, max_lanes - 2); i > 0; --i) settings.grid.emplace_back(random.row(variants())->id);
  DisplaySettings& display = settings.display;
  display.range = random.row(display_ranges).range;
  display.exposure = static_cast<float>(random.real(-10, 10));
  display.offset = static_cast<float>(random.real(-10, 10));
  display.srgb = random.coin();
  if (!display.srgb) display.gamma = static_cast<float>(random.real(0.2, 5));
  display.channels = {true, random.coin(), random.coin()};
  DifferenceSettings& difference = settings.difference;
  difference.with_sign = random.coin();
  if (!difference.with_sign) difference.map = colour_maps[static_cast<std::size_t>(random.number(0, 2))].map;
  difference.auto_gain = random.coin();
  if (!difference.auto_gain) difference.gain = static_cast<float>(random.real(1, 1e6));
  difference.hatched = random.coin();
  if (difference.hatched) difference.threshold = static_cast<float>(random.real(0, 2));
  normalise(settings);
  return settings;
}

// The words of the command, as a shell separates them.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words(1);
  FILE* shell = popen(("printf '%s\\0' " + command).c_str(), "r");
  for (int c = std::fgetc(shell); c != EOF; c = std::fgetc(shell)) {
    if (c != 0)
      words.back() += static_cast<char>(c);
    else
      words.emplace_back();
  }
  pclose(shell);
  words.pop_back();
  return words;
}

Result<Options> parsed(const std::vector<std::string>& words) {
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  auto options = parse_options(static_cast<int>(arguments.size()), arguments.data());
  if (!options) return failure(fmt::format("status {}", options.error().status));
  return std::move(*options);
}

// Lane A's result, from the settings alone; nothing if its variant refuses them.
std::optional<Picture> result_of(Processor& processor, const Settings& settings) {
  const auto taps = taps_of(settings.filter);
  if (!taps) return std::nullopt;
  const LaneSettings lane = lane_settings(settings, 0);
  const Picture picture = *still_picture(settings.source);
  ConvSettings job = conv_settings(lane, settings, std::make_shared<const Taps>(*taps));
  job.largest = picture.largest;
  const Result<LaunchPlan> plan = plan_job(*find_variant(lane.variant), picture.size, job, processor.limits());
  if (!plan) return std::nullopt;
  HostImage result;
  if (!processor.run(*plan, to_format(picture, lane.format), result)) return std::nullopt;
  return to_picture(result, picture.channels);
}

#ifdef __SANITIZE_ADDRESS__
constexpr int commands = 100;  // a sanitized build takes ten times as long
#else
constexpr int commands = 1000;
#endif

TEST(SettingsText, TheCommandGivesTheSameResultBitForBit) {
  const TemporaryFolder folder;
  Processor processor = *Processor::create(DeviceChoice::cpu);
  Random random(1);
  int compared = 0;
  for (int i = 0; i < 5000 && compared < commands; ++i) {  // a variant may refuse: then the command does too
    const Settings settings = random_settings(random, 6);
    const Result<std::string> command = command_text(settings);
    ASSERT_TRUE(command);
    SCOPED_TRACE(*command);
    std::vector<std::string> words = words_of(*command + " --device=cpu --force");
    const auto out = std::find(words.begin(), words.end(), "result.png");
    ASSERT_NE(out, words.end());
    const std::filesystem::path written = folder / "out.npy", wanted = folder / "wanted.npy";
    *out = written.string();
    const Result<Options> options = parsed(words);
    ASSERT_TRUE(options);
    const std::optional<Picture> own = result_of(processor, settings);
    std::filesystem::remove(written);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = run_convolve(*options);
    testing::internal::GetCapturedStdout();
    const std::string complaint = testing::internal::GetCapturedStderr();
    ASSERT_EQ(status == 0, own.has_value()) << complaint;
    if (!own) continue;
    ++compared;
    ASSERT_TRUE(save_picture(*own, wanted));
    ASSERT_EQ(*read_file(written), *read_file(wanted));
  }
  EXPECT_EQ(compared, commands);
}

TEST(SettingsText, TheLinkOpensTheSameState) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const Settings settings = random_settings(random, max_radius);
    const std::string link = link_text(settings, {"race", "block"});
    SCOPED_TRACE(link);
    const Result<Scene> scene = parse_link(link);
    ASSERT_TRUE(scene) << scene.error().text;
    EXPECT_TRUE(scene->has_source);
    EXPECT_EQ(scene->panels, (std::vector<std::string>{"race", "block"}));
    EXPECT_EQ(link_text(scene->settings, scene->panels), link);
    const Settings& shown = scene->settings;
    EXPECT_EQ(shown.source.pattern_size, settings.source.pattern_size);
    EXPECT_EQ(shown.display, settings.display);
    EXPECT_EQ(shown.difference, settings.difference);
    EXPECT_EQ(shown.grid, settings.grid);
    EXPECT_EQ(lane_settings(shown, 0), lane_settings(settings, 0));
    EXPECT_EQ(lane_settings(shown, 1), lane_settings(settings, 1));
    EXPECT_EQ(shown.filter.kind, settings.filter.kind);
    const Result<Scene> step = parse_scene(scene_text(settings, {"race", "block"}));
    ASSERT_TRUE(step) << step.error().text;
    EXPECT_EQ(link_text(step->settings, step->panels), link) << "the scene of a lesson says the same";
    // No character means anything to a shell.
    EXPECT_EQ(words_of(link), std::vector<std::string>{link});
  }
}

TEST(SettingsText, ALinkCanDoNoMoreThanAScene) {
  for (const char* link :
       {"convoscope:camera=%2Fdev%2Fvideo0", "convoscope:matrix=@%2Fetc%2Fhostname", "convoscope:screenshot=a.png",
        "convoscope:picture=..%2F..%2Fsecret", "convoscope:IMAGE=a", "convoscope:radius", "convoscope:radius=900",
        "convoscope:radius=%2", "convoscope:radius=%zz", "convoscope:trust=1", "convoscope:pattern-size=60000x60000",
        "convoscope:set=streams=99", "convoscope:=5", "convoscope:/", "convoscope:panel=settings"})
    EXPECT_FALSE(parse_link(link)) << link;
  EXPECT_FALSE(parse_link("convoscope:" + std::string(2 << 20, 'x')));
  EXPECT_TRUE(parse_link("convoscope:"));
  EXPECT_FALSE(is_link("convoscope.png"));
  EXPECT_FALSE(is_link("/tmp/convoscope:"));
}

TEST(SettingsText, ALinkIsOpenedByItself) {
  const std::string link = "convoscope:radius=9/variant=global";
  const Options options = *parsed({"convoscope", link, "--device=cpu", "--scale=2"});
  EXPECT_EQ(options.settings.filter.radius, 9);
  EXPECT_TRUE(options.settings_given && options.variant_given);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(parsed({"convoscope", link, "--radius=3"}));
  EXPECT_FALSE(parsed({"convoscope", "convoscope:radius=900"}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), AllOf(HasSubstr("--radius: leave it out"), HasSubstr("900")));
}

TEST(SettingsText, ACommandNamesThePictureAsItIs) {
  Settings settings;
  settings.source.path = "/tmp/my 'own' $HOME `id`\nphoto.png";
  settings.source.percent = 50;
  EXPECT_EQ(words_of(*command_text(settings))[2], settings.source.path);
  EXPECT_THAT(*command_text(settings), HasSubstr(" --percent=50"));
  EXPECT_THAT(link_text(settings, {}), Not(HasSubstr("pattern")));
  EXPECT_FALSE(parse_link(link_text(settings, {}))->has_source);
  settings.source.path = "film.mp4";
  EXPECT_EQ(words_of(*command_text(settings))[3], "result.mp4");
  settings.source.camera = "/dev/video0";
  EXPECT_THAT(command_text(settings).error().text, HasSubstr("Export the result"));
}

TEST(SettingsText, AMatrixTooLongForACommandGoesIntoASession) {
  Settings settings;
  settings.filter.kind = FilterKind::custom;
  settings.filter.matrix = {{129, 129}, {}};
  Random random(3);
  for (int i = 0; i < 129 * 129; ++i) settings.filter.matrix.values.push_back(random.real(-1, 1));
  EXPECT_THAT(command_text(settings).error().text, HasSubstr("convolve --session"));
}

class FromASession : public testing::Test {
 protected:
  FromASession() {
    Settings settings;
    settings.filter.kind = FilterKind::box;
    settings.filter.radius = 3;
    settings.border = Border::wrap;
    settings.lanes[0].variant = "tile_linear";
    settings.lanes[0].format = PixelType::f32;
    settings.source.path = "/etc/hostname";
    EXPECT_TRUE(write_file(session_, session_to_json(settings, {})));
  }
  Result<Options> convolve(const std::string& rest) {
    return parsed(words_of(fmt::format("convoscope convolve in.png out.npy --session={} {}", session_, rest)));
  }
  TemporaryFolder folder_;
  std::string session_ = (folder_ / "a.convoscope.json").string();
};

TEST_F(FromASession, ConvolveTakesFilterPaddingAndLane) {
  const Options options = *convolve("");
  EXPECT_EQ(options.in, "in.png");
  EXPECT_EQ(options.settings.filter.kind, FilterKind::box);
  EXPECT_EQ(options.settings.filter.radius, 3);
  EXPECT_EQ(options.settings.border, Border::wrap);
  EXPECT_EQ(options.settings.lanes[0].variant, "tile_linear");
  EXPECT_EQ(options.settings.lanes[0].format, PixelType::f32);
  EXPECT_FALSE(options.chooses_format);
}

TEST_F(FromASession, ItMayBeInABundle) {
  const std::string bundle = (folder_ / "a.zip").string();
  ASSERT_TRUE(write_bundle(bundle, {{.name = "session.json", .bytes = *read_file(session_), .from = {}}}));
  session_ = bundle;
  EXPECT_EQ(convolve("")->settings.lanes[0].variant, "tile_linear");
  ASSERT_TRUE(write_bundle(bundle, {{.name = "lesson.md", .bytes = "", .from = {}}}));
  testing::internal::CaptureStderr();
  EXPECT_FALSE(convolve(""));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("has no session (.json)"));
}

TEST_F(FromASession, OtherOptionsChangeThem) {
  const Options options = *convolve("--radius=9 --padding=zero --pattern-size=8x8");
  EXPECT_EQ(options.settings.filter.radius, 9);
  EXPECT_EQ(options.settings.border, Border::zero);
  EXPECT_EQ(options.settings.lanes[0].variant, "tile_linear");
}

TEST_F(FromASession, ThePictureThatItNamesIsNotOpened) {
  EXPECT_EQ(convolve("")->settings.source.path, "");
  testing::internal::CaptureStderr();
  EXPECT_FALSE(parsed({"convoscope", "convolve", "out.npy", "--session=" + session_}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("OUT is required"));
}

TEST_F(FromASession, WhatIsNoSessionIsRefused) {
  ASSERT_TRUE(write_file(session_, "[1, 2"));
  testing::internal::CaptureStderr();
  EXPECT_FALSE(convolve(""));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("a.convoscope.json"));
}

}  // namespace

}  // namespace conv
