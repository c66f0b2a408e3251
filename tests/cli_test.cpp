// The program as its users call it, without a display.
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <csignal>
#include <nlohmann/json.hpp>

#include "app/cli/options.h"
#include "app/sources/frames.h"
#include "app/sources/pattern.h"
#include "support.h"

namespace {

struct Outcome {
  int status;
  std::string out, err;
};

Outcome convoscope(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string command = "env -u DISPLAY -u WAYLAND_DISPLAY " CONV_PROGRAM " " + arguments + " >" +
                              (folder / "out").string() + " 2>" + (folder / "err").string();
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), *read_file(folder / "out"), *read_file(folder / "err")};
}

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    Picture picture{.size = {31, 17}, .channels = 3, .is_float = true};
    const HostImage noise = noise_image({31, 17}, PixelType::rgba32f);
    picture.values = to_picture(noise, 3).values;
    ASSERT_TRUE(save_picture(picture, folder_ / "in.npy"));
  }
  std::string path(std::string_view name) const { return (folder_ / name).string(); }
  TemporaryFolder folder_;
};

TEST_F(Cli, ConvolveMatchesTheReference) {
  const Picture in = *load_picture(path("in.npy"));
  for (const Variant* variant : variants()) {
    if (!variant->exhibit.empty() || variant->fuses_edges || variant->needs_fft) continue;
    const FilterKind kind = variant->needs_equal_taps ? FilterKind::box : FilterKind::gaussian;
    const Outcome outcome = convoscope(fmt::format(
        "convolve {} {} --device cpu --format rgba32f --filter {} --radius 4 --sigma 1.5 --padding mirror --variant {}",
        path("in.npy"), path("out.npy"), info(kind).id, variant->id));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const Picture out = *load_picture(path("out.npy"));
    EXPECT_EQ(out.channels, 3);
    const Reference reference =
        reference_of(to_format(in, PixelType::rgba32f), {.kind = kind, .sigma = 1.5, .radius = 4}, Border::mirror, 0);
    EXPECT_TRUE(compare(to_format(out, PixelType::rgba32f), reference).pass) << variant->id;
  }
}

// The picture at hand is finished, and no half file stays.
TEST_F(Cli, ControlCStopsBetweenPictures) {
  std::filesystem::create_directory(path("many"));
  for (int i = 0; i < 40; ++i)
    ASSERT_TRUE(save_picture(make_pattern(PatternKind::gradient, {256, 256}), path(fmt::format("many/{}.png", i))));
  const std::string command = fmt::format("env -u DISPLAY " CONV_PROGRAM
                                          " convolve {} {} --variant cpu_sequential --radius 20 --sigma 7 "
                                          ">{} 2>{}",
                                          path("many"), path("results"), path("out"), path("err"));
  const pid_t child = start(command);
  std::error_code none;
  const auto begun = [&] {
    const auto results = std::filesystem::directory_iterator(path("results"), none);
    return !none && results != std::filesystem::directory_iterator();
  };
  for (int i = 0; i < 10'000 && !begun(); ++i) usleep(2000);
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 130) << *read_file(path("err"));
  EXPECT_THAT(*read_file(path("err")), testing::HasSubstr(" of 40 were not begun"));
  int results = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("results"))) {
    ++results;
    EXPECT_EQ(entry.path().extension(), ".png") << entry.path();
    EXPECT_TRUE(load_picture(entry.path())) << entry.path();
  }
  EXPECT_LT(results, 40);
  EXPECT_THAT(*read_file(path("out")), testing::StartsWith(fmt::format("{} done, 0 failed", results)));
}

TEST_F(Cli, MatrixModeAndPaddingValueAreHeard) {
  const Outcome outcome = convoscope("convolve " + path("in.npy") + " " + path("out.npy") +
                                     " --matrix '1 2 3; 4 5 6; 7 8 -9' --divisor 27 --offset 0.25 --mode correlation"
                                     " --padding constant --padding-value 0.5 --format f32 --device cpu --block 13x7");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const FilterSpec filter{.kind = FilterKind::custom,
                          .matrix = {{3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, -9}},
                          .divisor = 27,
                          .offset = 0.25,
                          .mode = FilterMode::correlation};
  const HostImage in = to_format(*load_picture(path("in.npy")), PixelType::f32);
  EXPECT_TRUE(compare(to_format(*load_picture(path("out.npy")), PixelType::f32),
                      reference_of(in, filter, Border::constant, 0.5f))
                  .pass);
}

TEST_F(Cli, JsonTellsPlanAndTimes) {
  const Outcome outcome = convoscope("convolve " + path("in.npy") + " " + path("out.png") +
                                     " --variant separable_tiles --device cpu --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["variant"], "separable_tiles");
  EXPECT_EQ(json["device"], "cpu");
  ASSERT_EQ(json["steps"].size(), 2u);
  EXPECT_EQ(json["steps"][0]["apron"], (nlohmann::json{5, 0}));
  EXPECT_GT(json["kernel_ms"], 0.0);
}

TEST_F(Cli, ListNamesEverything) {
  const auto json = nlohmann::json::parse(convoscope("list --json").out);
  EXPECT_EQ(json["variants"].size(), variants().size());
  for (const char* section : {"variants", "filters", "paddings", "formats", "devices"})
    for (const auto& row : json[section])
      for (const char* key : {"id", "title", "limits"}) EXPECT_TRUE(row.contains(key)) << section << " " << row;
}

TEST_F(Cli, BadUseEndsWithOneLineAndStatusTwo) {
  const std::string files = "convolve " + path("in.npy") + " " + path("out.npy") + " --device cpu ";
  const std::array<std::array<std::string, 2>, 17> cases{{
      {files + "--variant nonsense",
       "there is no nonsense; use one of cpu_sequential, cpu_direct, cpu_separable, global"},
      {files + "--block 32x64", "32x64 = 2048 threads > 1024"},
      {files + "--block 0x8", "0x8 is no size; write it like 32x8"},
      {files + "--radius 65", "radius 65 is outside 0 to 64 px"},
      {files + "--sigma 0", "sigma 0 is outside 0.1 to 20 px"},
      {files + "--matrix '1 2; 3'", "row 2 of the matrix has 1 numbers"},
      {files + "--matrix '1 2'", "both sides must be odd"},
      {files + "--format rgba32f --variant tile_linear --radius 64", "KB of shared memory per block"},
      {files + "--matrix '1 0 0; 0 1 0; 0 0 1' --variant separable_tiles", "this matrix has rank 3"},
      {files + "--set nonsense=1", "nonsense=1 is no NAME=VALUE; the names are restrict, fma"},
      {files + "--set fma=maybe", "fma has no maybe; use one of off, on"},
      {files + "--variant global --set row_width=8", "row_width=8: global has no such choice"},
      {files + "--variant global --set boundary=index_map --padding zero", "zero padding has no pixel to map to"},
      {files + "--variant fused_blur_sobel --padding wrap --filter edges", "wrap padding asks for"},
      {"convolve " + path("none.png") + " " + path("out.png"), "no such file"},
      {"convolve " + path("in.npy") + " " + path("out.webp"), "unknown ending"},
      {"convolve " + path("in.npy"), "OUT is required"},
  }};
  for (const auto& [arguments, text] : cases) {
    const Outcome outcome = convoscope(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_NE(outcome.err.find(text), std::string::npos) << arguments << "\n" << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  EXPECT_FALSE(std::filesystem::exists(path("out.npy")));
}

TEST(Options, WhatIsGivenForLaneBHoldsForItAlone) {
  const auto settings = [](std::vector<const char*> words) {
    words.insert(words.begin(), "convoscope");
    return parse_options(static_cast<int>(words.size()), words.data())->settings;
  };
  const Settings linked = settings({"--format", "f16", "--block", "32x8"});
  EXPECT_TRUE(linked.link_lanes);
  EXPECT_EQ(linked.lanes[1].format, PixelType::f16);
  const Settings own = settings({"--format", "f16", "--block", "32x8", "--format-b", "rgb8", "--layout-b", "soa"});
  EXPECT_FALSE(own.link_lanes);
  EXPECT_EQ(own.lanes[0].format, PixelType::f16);
  EXPECT_EQ(own.lanes[1].format, PixelType::rgb8_soa);
  EXPECT_EQ(own.lanes[1].block, (Size2{32, 8}));
  EXPECT_EQ(settings({"--channels", "luma"}).lanes[0].format, PixelType::gray8);
  EXPECT_EQ(settings({"--set", "fma=off"}).lanes[0].switches["fma"], 0);
  EXPECT_EQ(settings({"--set-b", "unroll=off"}).lanes[0].switches["unroll"], 1);
  const SourceSettings scene = settings({"--pattern", "moving_scene", "--pattern-size", "640x480"}).source;
  EXPECT_TRUE(scene.moves());
  EXPECT_EQ(scene.pattern_size, (Size2{640, 480}));
  EXPECT_TRUE(settings({"--camera", "/dev/video0"}).source.moves());
  EXPECT_TRUE(settings({"clip.mp4"}).source.moves());
  EXPECT_FALSE(settings({"picture.png"}).source.moves());
}

class CliBatch : public Cli {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_ / "frames");
    for (int i = 1; i <= 5; ++i)
      ASSERT_TRUE(save_picture(make_pattern(PatternKind::noise, {20 + i, 13}, static_cast<std::uint32_t>(i)),
                               folder_ / fmt::format("frames/f{}.png", i)));
    ASSERT_TRUE(write_file(folder_ / "frames/f6.png", "no picture"));
  }
  static constexpr const char* filter = " --device cpu --variant cpu_separable --radius 3";
};

TEST_F(CliBatch, FiltersAllFilesAndListsTheBadOnes) {
  const Outcome outcome = convoscope("convolve '" + path("frames/*.png") + "' " + path("out") + filter + " --jobs 3");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "convoscope: f6.png: not an image stb_image can read (unknown image type)\n");
  EXPECT_THAT(outcome.out, testing::StartsWith("5 done, 1 failed, "));
  for (int i = 1; i <= 5; ++i) {
    const std::string file = fmt::format("frames/f{}.png", i);
    ASSERT_EQ(convoscope("convolve " + path(file) + " " + path("one.png") + filter).status, 0);
    EXPECT_EQ(read_file(path(fmt::format("out/f{}.png", i))), read_file(path("one.png"))) << file;
  }
}

TEST_F(CliBatch, WhatMakesNoSenseIsRefused) {
  const Outcome one = convoscope("convolve " + path("frames") + " " + path("one.png") + filter);
  EXPECT_EQ(one.status, 2);
  EXPECT_THAT(one.err,
              testing::HasSubstr("many results need a folder, a number in the name (out%04d.png), or a video"));
  std::filesystem::create_directory(folder_ / "more");
  std::filesystem::copy(folder_ / "frames/f1.png", folder_ / "more/f1.png");
  const Outcome same = convoscope("convolve '" + path("*/f1.png") + "' " + path("out") + filter);
  EXPECT_EQ(same.status, 2);
  EXPECT_THAT(same.err, testing::HasSubstr("several pictures have this name"));
  if (no_video().empty()) {
    const Outcome film = convoscope("convolve " + path("frames") + " " + path("film.avi") + filter);
    EXPECT_EQ(film.status, 2) << "pictures of several sizes make no video";
  }
}

TEST_F(CliBatch, PartsAreAllThatThereIs) {
  for (const char* part : {"1/2", "2/2"})
    convoscope("convolve " + path("frames") + " " + path(std::string("part") + part[0]) + filter + " --part " + part);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "part1/f1.png"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "part2/f2.png"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "part2/f1.png"));
  EXPECT_EQ(convoscope("convolve a b --part 3/2").status, 2);
}

TEST_F(CliBatch, VideosGoInAndOut) {
  if (!no_video().empty()) GTEST_SKIP() << no_video();
  const std::string generator = "lavfi:testsrc2=size=64x48:rate=10:duration=1";
  ASSERT_EQ(convoscope("convolve " + generator + " " + path("a.mp4") + filter).status, 0);
  const Outcome outcome = convoscope("convolve " + path("a.mp4") + " " + path("b%02d.png") + filter);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::StartsWith("10 done, 0 failed"));
  EXPECT_EQ(load_picture(path("b09.png"))->size, (Size2{64, 48}));
  const Outcome none = convoscope("convolve " + path("none.mp4") + " " + path("c.mp4") + filter);
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, testing::HasSubstr("no such file"));
}

TEST_F(Cli, SelftestPassesOnThisMachine) {
  const Outcome outcome = convoscope("selftest --device cpu --shard 1/8");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_NE(outcome.out.find(" 0 failed"), std::string::npos);
}

TEST_F(Cli, WithoutADisplayTheWindowSaysWhatWorks) {
  const Outcome outcome = convoscope("");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "convoscope: No display found. `convoscope convolve`, `list` and `selftest` work without one.\n");
}

TEST_F(Cli, HelpAndVersion) {
  EXPECT_EQ(convoscope("--help").status, 0);
  EXPECT_NE(convoscope("--help").out.find("0.2126 R + 0.7152 G + 0.0722 B"), std::string::npos);
  EXPECT_NE(convoscope("--version").out.find("convoscope "), std::string::npos);
}

}  // namespace
