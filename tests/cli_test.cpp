// The program as its users call it, without a display.
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>

#include "app/cli/options.h"
#include "app/sources/frames.h"
#include "app/sources/pattern.h"
#include "cli_support.h"

namespace conv {

namespace {

TEST_F(Cli, ConvolveMatchesTheReference) {
  const Picture in = *load_picture(path("in.npy"));
  for (const Variant* variant : variants()) {
    if (!variant->exhibit.empty() || variant->fuses_edges) continue;
    const FilterKind kind = variant->needs_equal_taps ? FilterKind::box : FilterKind::gaussian;
    const Outcome outcome =
        convoscope(fmt::format("convolve {} {} --force --device cpu --format rgba32f --filter {} --radius 4 --sigma "
                               "1.5 --padding mirror --variant {}",
                               path("in.npy"), path("out.npy"), info(kind).id, variant->id));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const Picture out = *load_picture(path("out.npy"));
    EXPECT_EQ(out.channels, 3);
    const Reference reference =
        reference_of(to_format(in, PixelType::rgba32f), {.kind = kind, .sigma = 1.5, .radius = 4}, Border::mirror, 0);
    EXPECT_TRUE(compare(to_format(out, PixelType::rgba32f), reference).pass) << variant->id;
  }
}

class CliSignal : public Cli, public testing::WithParamInterface<int> {};

// The current picture is finished, and no incomplete file remains.
TEST_P(CliSignal, StopsBetweenPictures) {
  std::filesystem::create_directory(path("many"));
  ASSERT_TRUE(save_picture(make_pattern(PatternKind::gradient, {256, 256}), path("many/0.png")));
  for (int i = 1; i < 40; ++i) std::filesystem::copy_file(path("many/0.png"), path(fmt::format("many/{}.png", i)));
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
  kill(child, GetParam());
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 128 + GetParam()) << *read_file(path("err"));
  EXPECT_THAT(*read_file(path("err")), testing::HasSubstr(" of 40 files were not started"));
  int results = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("results"))) {
    ++results;
    EXPECT_EQ(entry.path().extension(), ".png") << entry.path();
    EXPECT_TRUE(load_picture(entry.path())) << entry.path();
  }
  EXPECT_LT(results, 40);
  EXPECT_THAT(*read_file(path("out")), testing::StartsWith(fmt::format("{} done, 0 failed", results)));
}

INSTANTIATE_TEST_SUITE_P(All, CliSignal, testing::Values(SIGINT, SIGTERM, SIGHUP));

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

// Options about the window alone leave the remembered settings, or the first start, as they are.
TEST(Options, OfTheWindowReplaceNoSettings) {
  const auto given = [](std::vector<const char*> words) {
    words.insert(words.begin(), "convoscope");
    return parse_options(static_cast<int>(words.size()), words.data())->settings_given;
  };
  EXPECT_FALSE(given({}));
  EXPECT_FALSE(given({"--theme", "light", "--scale", "1.5", "--size", "800x600", "--panel", "race", "--no-vsync"}));
  EXPECT_TRUE(given({"--theme", "light", "--radius", "5"}));  // although 5 is the usual radius
  EXPECT_TRUE(given({"--variant", "global"}));
  EXPECT_TRUE(given({"lecture.json"}));
}

// Without a variant on the command line the window may choose one that is fast here.
TEST(Options, KnowWhetherAVariantWasGiven) {
  const auto given = [](std::vector<const char*> words) {
    words.insert(words.begin(), "convoscope");
    return parse_options(static_cast<int>(words.size()), words.data())->variant_given;
  };
  EXPECT_FALSE(given({"harbour.png", "--radius", "3"}));
  EXPECT_FALSE(given({"--variant-b", "global"}));
  EXPECT_TRUE(given({"harbour.png", "--variant", "tile_unrolled"}));
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

TEST_F(Cli, TraceCountsRequests) {
  const auto steps = [](const std::string& arguments) {
    const Outcome outcome = convoscope("trace --json --device cpu " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["steps"];
  };
  const std::string job = "--variant tile_linear --format f32 --radius 5 --block ";
  const auto step = steps(job + "16x16")[0];
  EXPECT_EQ(step["at"], (nlohmann::json{60, 34}));
  EXPECT_EQ(step["phases"][0]["phase"], "load");
  EXPECT_EQ(step["phases"][1]["shared_read"]["wavefronts_per_request"], 2);
  EXPECT_EQ(steps(job + "32x8")[0]["phases"][1]["shared_read"]["wavefronts_per_request"], 1);
  // A row of the block is a half-warp of the G80.
  EXPECT_EQ(steps(job + "16x16 --rules g80")[0]["phases"][1]["shared_read"]["wavefronts_per_request"], 2);
  EXPECT_EQ(step["totals"]["global_write"]["sectors_per_request"], 4);
  EXPECT_EQ(step["totals"]["global_write"]["efficiency"], 1);
  const auto own = steps(path("in.npy") + " --variant separable_tiles --at 1,0");
  EXPECT_EQ(own.size(), 2u);
  EXPECT_EQ(own[1]["at"], (nlohmann::json{1, 0}));
  EXPECT_EQ(steps("--variant cpu_separable")[0]["note"], "no warps: it runs on the processor of the host");
  EXPECT_EQ(steps("--variant fft")[1]["note"], "no warps: it is done by a library");
  for (const auto& [rules, pieces] : {std::pair{"today", "sectors each"}, std::pair{"g80", "transactions each"}}) {
    const Outcome text = convoscope(fmt::format("trace --variant global --rules {}", rules));
    EXPECT_EQ(text.status, 0) << text.err;
    EXPECT_THAT(text.out, testing::AllOf(testing::HasSubstr(pieces), testing::HasSubstr("different taps each"),
                                         testing::HasSubstr("global writes")));
  }
}

TEST_F(Cli, ListNamesEverything) {
  const auto json = nlohmann::json::parse(convoscope("list --json").out);
  EXPECT_EQ(json["variants"].size(), variants().size());
  for (const auto& variant : json["variants"]) {
    const bool has_warps = !variant["memory_of_a_block"].is_null();
    EXPECT_EQ(has_warps, !variant["id"].get<std::string>().starts_with("cpu_") && variant["id"] != "auto") << variant;
  }
  const auto global = std::ranges::find_if(json["variants"], [](const auto& row) { return row["id"] == "global"; });
  EXPECT_EQ((*global)["memory_of_a_block"]["global_read"]["requests"], 8 * 122);  // each warp: 121 taps and its pixel
  for (const char* section : {"variants", "filters", "paddings", "formats", "devices"})
    for (const auto& row : json[section])
      for (const char* key : {"id", "title", "limits"}) EXPECT_TRUE(row.contains(key)) << section << " " << row;
}

TEST_F(Cli, BadUseEndsWithOneLineAndStatusTwo) {
  const std::string files = "convolve " + path("in.npy") + " " + path("out.npy") + " --device cpu ";
  const std::array<std::array<std::string, 2>, 40> cases{{
      {files + "--variant nonsense",
       "there is no nonsense; use one of cpu_sequential, cpu_direct, cpu_separable, cpu_box"},
      {files + "--block 32x64", "32x64 = 2048 threads > 1024"},
      {files + "--block 0x8", "invalid size \"0x8\": expected WxH"},
      {files + "--radius 65", "radius 65 is outside 0 to 64 px"},
      {files + "--sigma 0", "sigma 0 is outside 0.1 to 20 px"},
      {files + "--sigma nan", "--sigma: nan is not a finite number"},
      {files + "--filter motion --angle 1e308", "is outside -360 to 360 degrees"},
      {files + "--padding constant --padding-value nan", "--padding-value: nan is not a finite number"},
      {files + "--divisor 1e-320 --matrix 1", "the divisor must be a number"},
      {files + "--matrix @" + path("none.txt"), "no such file"},
      {files + "--part 1/2x", "invalid part \"1/2x\": expected I/N"},
      {"bench --size 65536x65536", "is more than 268 Mpx"},
      {"bench --radius=-2000000000:5", "begins below 0"},
      {"bench --from /dev/zero", "is a device or a pipe"},
      {"convolve a%99999999999d.png " + path("o") + " --device cpu", "no such file"},
      {"convolve lavfi:movie=/etc/passwd " + path("o.mp4"), "this generator is not allowed"},
      {files + "--matrix '1 2; 3'", "row 2 of the matrix has 1 numbers"},
      {files + "--matrix '1 2'", "both sides must be odd"},
      {files + "--format rgba32f --variant tile_linear --radius 64", "KiB of shared memory per block"},
      {files + "--matrix '1 0 0; 0 1 0; 0 0 1' --variant separable_tiles", "this matrix has rank 3"},
      {files + "--set nonsense=1",
       "invalid switch \"nonsense=1\": expected NAME=VALUE, with one of the names restrict, fma"},
      {files + "--set fma=maybe", "fma has no maybe; use one of off, on"},
      {files + "--variant global --set row_width=8", "row_width=8: global does not have this switch"},
      {files + "--variant global --set boundary=index_map --padding zero",
       "with zero padding, pixels outside the picture map to no pixel"},
      {files + "--variant fused_blur_sobel --padding wrap --filter edges", "wrap padding needs others"},
      {"convolve " + path("none.png") + " " + path("out.png"), "no such file"},
      {"convolve " + path("in.npy") + " " + path("out.webp"), "unknown ending"},
      {"convolve " + path("in.npy"), "OUT is required"},
      {"trace --variant global --at 120,0", "there is no block (120, 0): the grid of kernel has 120x68 blocks"},
      {"trace --device gpu", "a trace records the kernels on the CPU"},
      {"trace --variant global --at=-1,0", "not in range"},
      {files + "--radius ''", "--radius: the value is empty"},
      {files + "--radius 010", "write 010 without zeros at its beginning"},
      {files + "--offset nan", "--offset: nan is not a finite number"},
      {"bench --compare a.json b.json --within nan", "--within: nan is not a finite number"},
      {"bench --json f.json --csv ./f.json", "two results cannot go to the same file"},
      {"--size 65536x1", "each side is at most 16384"},
      {"convolv " + path("in.npy") + " " + path("out.npy"), "Did you mean convolve?"},
      {"bensh", "no such command and no such file. Did you mean bench?"},
      {"convolve " + path("in.npy") + " - --json", "cannot both go to standard output"},
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

TEST_F(CliBatch, FiltersAllFilesAndListsTheBadOnes) {
  const Outcome outcome = convoscope("convolve '" + path("frames/*.png") + "' " + path("out") + blur + " --jobs 3");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "convoscope: f6.png: not a PNG, JPEG, BMP, TGA, HDR or NPY that can be read\n");
  EXPECT_THAT(outcome.out, testing::StartsWith("5 done, 1 failed, "));
  for (int i = 1; i <= 5; ++i) {
    const std::string file = fmt::format("frames/f{}.png", i);
    ASSERT_EQ(convoscope("convolve --force " + path(file) + " " + path("one.png") + blur).status, 0);
    EXPECT_EQ(*read_file(path(fmt::format("out/f{}.png", i))), *read_file(path("one.png"))) << file;
  }
}

// A library loaded from the current folder would run its code here.
TEST_F(Cli, LoadsNothingFromTheCurrentFolder) {
  make_library("own.so");
  std::vector<std::string> libraries{"libexif.so.12", "libfmt.so.9", "libpng16.so.16", "libcairo.so.2",
                                     "libnvrtc.so.13"};
  for (int version = 50; version < 70; ++version) libraries.push_back(fmt::format("libavutil.so.{}", version));
  for (const std::string& library : libraries) std::filesystem::copy(folder_ / "own.so", folder_ / library);
  const Outcome outcome = convoscope("--version --verbose", folder_ / "");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::Not(testing::HasSubstr("mine")));
}

// One program for machines with and without them.
TEST_F(Cli, StartsWithoutCudaFfmpegAndOpenGl) {
  ASSERT_EQ(std::system(("LD_TRACE_LOADED_OBJECTS=1 " CONV_PROGRAM " >" + path("loaded")).c_str()), 0);
  const std::string loaded = *read_file(path("loaded"));
  EXPECT_THAT(loaded, testing::HasSubstr("libc.so"));
  for (const char* library : {"libcuda", "libnvrtc", "libav", "libsw", "libGL", "libOpenGL"})
    EXPECT_THAT(loaded, testing::Not(testing::HasSubstr(library)));
}

TEST_F(Cli, SaysHowToGetVideosWhereFfmpegIsMissing) {
  for (int version = 50; version < 70; ++version)
    ASSERT_TRUE(write_file(folder_ / fmt::format("libavutil.so.{}", version), "no library"));
  ASSERT_EQ(::setenv("LD_LIBRARY_PATH", path("").c_str(), 1), 0);
  const Outcome video = convoscope("convolve lavfi:testsrc2 " + path("out.mp4"));
  const Outcome picture = convoscope("convolve " + path("in.npy") + " " + path("out.npy") + " --device cpu");
  ::unsetenv("LD_LIBRARY_PATH");
  EXPECT_EQ(video.status, 2);
  EXPECT_THAT(video.err, testing::HasSubstr("FFmpeg"));
  EXPECT_EQ(picture.status, 0) << picture.err;
}

TEST_F(Cli, LoadsNvrtcFromCudaPathUnlessItIsRelative) {
  if (convoscope("--version --verbose").out.find("Built without CUDA") != std::string::npos) GTEST_SKIP() << "no CUDA";
  std::filesystem::create_directories(folder_ / "cuda/lib64");
  make_library("cuda/lib64/libnvrtc.so.13");
  std::filesystem::copy(folder_ / "cuda/lib64/libnvrtc.so.13",
                        folder_ / "libnvrtc.so.13");  // nor from the current folder
  for (const bool absolute : {true, false}) {
    ASSERT_EQ(::setenv("CUDA_PATH", absolute ? path("cuda").c_str() : "cuda", 1), 0);
    const Outcome outcome = convoscope("--version --verbose", folder_ / "");
    ::unsetenv("CUDA_PATH");
    EXPECT_EQ(outcome.out.find("mine") != std::string::npos, absolute) << outcome.out;
  }
}

TEST_F(Cli, TellsWhatAReportNeeds) {
  const Outcome outcome = convoscope("--version --verbose");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::StartsWith(convoscope("--version").out.substr(0, 16)));
  for (const char* line :
       {"\nSystem ", "\nProcessor ", "\nGraphics cards ", "\nDisplay         none", "\nCUDA ", "\nNVRTC ", "\nFFmpeg ",
        "\nProgram         ", CONV_PROGRAM, "\nPictures ", "\nKernel files ", "\nSettings "})
    EXPECT_THAT(outcome.out, testing::HasSubstr(line));
}

// The manual page and the completion come from the table that --help prints.
TEST_F(Cli, ManualAndCompletionNameEveryOption) {
  std::string manual = convoscope("--manual").out;
  manual.erase(std::remove(manual.begin(), manual.end(), '\\'), manual.end());
  const std::string completion = convoscope("--completion").out;
  int options = 0;
  for (const char* command :
       {"", "bench", "check", "convolve", "lesson", "list", "new-variant", "puzzle", "selftest", "trace"}) {
    const std::string help = convoscope(std::string(command) + " --help").out;
    const std::regex option("\n  (?:-h,)?(--[a-z-]+)");
    for (std::sregex_iterator match(help.begin(), help.end(), option), end; match != end; ++match, ++options) {
      EXPECT_THAT(manual, testing::HasSubstr(match->str(1)));
      EXPECT_THAT(completion, testing::HasSubstr(match->str(1)));
    }
  }
  EXPECT_GT(options, 100);
  ASSERT_TRUE(write_file(folder_ / "completion", completion + R"(
COMP_WORDS=(convoscope --theme d) COMP_CWORD=2; _convoscope; echo "${COMPREPLY[@]}"
COMP_WORDS=(convoscope conv) COMP_CWORD=1; _convoscope; echo "${COMPREPLY[@]}"
COMP_WORDS=(convoscope puzzle --hin) COMP_CWORD=2; _convoscope; echo "${COMPREPLY[@]}"
)"));
  ASSERT_EQ(std::system(("bash " + path("completion") + " >" + path("completed")).c_str()), 0);
  EXPECT_EQ(*read_file(path("completed")), "dark\nconvolve\n--hints\n");
}

#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
// The program has the compiler's guards against writing beyond a buffer.
TEST_F(Cli, ChecksItsBuffers) {
  const std::string program = *read_file(CONV_PROGRAM);
  for (const char* guard : {"__stack_chk_fail", "__memcpy_chk"})
    EXPECT_NE(program.find(guard), std::string::npos) << guard;
}
#endif

TEST_F(Cli, KeepsTheNumbersOfAPicture) {
  const std::string in = path("in.npy"), out = path("out.npy");
  const Outcome outcome = convoscope("convolve " + in + " " + out + " --device cpu --filter identity --radius 0");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("identity, radius 0 px, rgba32f"));
  EXPECT_EQ(load_picture(out)->values, load_picture(in)->values);
  Picture grey{.size = {40, 30}, .channels = 1, .is_float = true, .storage = FloatStorage::u16};
  for (int i = 0; i < 1200; ++i) grey.values.push_back(static_cast<float>(i * 53 % 65536) / 65535.0f);
  for (const char* name : {"grey.png", "grey.npy"}) {
    ASSERT_TRUE(save_picture(grey, path(name)));
    const std::string result = path(std::string("out_") + name);
    ASSERT_EQ(convoscope("convolve " + path(name) + " " + result + " --device cpu --filter identity").status, 0);
    const Result<Picture> read = load_picture(result);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->storage, FloatStorage::u16);
    EXPECT_EQ(levels_16(*read), levels_16(grey));
  }
  const Outcome bytes = convoscope("convolve " + in + " " + path("bytes.png") + " --device cpu");
  EXPECT_THAT(bytes.out, testing::HasSubstr("written with 8 bits"));
  // Levels have no sign: a float format keeps negative values.
  const std::string sobel =
      "convolve " + path("grey.npy") + " " + path("sobel.npy") + " --force --device cpu --filter sobel_x";
  EXPECT_THAT(convoscope(sobel).out, testing::HasSubstr("written with 16 bits: values outside 0 to 1 are clipped"));
  ASSERT_EQ(convoscope(sobel + " --format f32").status, 0);
  const Result<Picture> floats = load_picture(path("sobel.npy"));
  EXPECT_LT(*std::min_element(floats->values.begin(), floats->values.end()), 0.0f);
  ASSERT_EQ(convoscope("convolve " + in + " " + path("planes.npy") + " --device cpu --layout soa").status, 0);
  EXPECT_TRUE(load_picture(path("planes.npy"))->is_float);
}

TEST_F(Cli, ASigmaAloneBringsItsRadius) {
  const auto filter_of = [&](const std::string& words) {
    const Outcome outcome = convoscope("convolve " + path("in.npy") + " " + path("out.npy") +
                                       " --force --device cpu --variant cpu_separable --json " + words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto filter = nlohmann::json::parse(outcome.out)["filter"];
    return std::pair<double, int>(filter["sigma"], filter["radius"]);
  };
  EXPECT_EQ(filter_of("--sigma 8"), std::pair(8.0, 24));
  EXPECT_EQ(filter_of("--sigma 8 --radius 4"), std::pair(8.0, 4));
  EXPECT_EQ(filter_of("--radius 4"), std::pair(2.0, 4));
  EXPECT_EQ(filter_of(""), std::pair(2.0, 5));
  const Outcome beyond = convoscope("convolve " + path("in.npy") + " " + path("new.npy") +
                                    " --device cpu --variant direct_shuffle --sigma 8");
  EXPECT_EQ(beyond.status, 2);
  EXPECT_THAT(beyond.err, testing::HasSubstr("Radius 24 needs too many"));
}

TEST_F(Cli, ChecksAKernelBeforeItsResultIsWritten) {
  const std::string command = "convolve " + path("in.npy") + " " + path("checked.npy") + " --device cpu --check ";
  for (const char* variant :
       {"tile_linear", "cpu_separable", "separable_shuffle --format f32", "global --iterations 2"})
    EXPECT_EQ(convoscope(command + "--force --variant " + variant).status, 0) << variant;
  std::filesystem::remove(path("checked.npy"));
  const Outcome race = convoscope(command + "--variant tile_linear --set barrier=off");
  EXPECT_EQ(race.status, 2);
  EXPECT_THAT(race.err, testing::StartsWith("convoscope: warning: tile_linear: the barrier is missing"));
  EXPECT_THAT(race.err, testing::HasSubstr("exhibit_no_barrier.cu:18: race in block (0, 0): threads 0 and 1 access"));
  const Outcome wrong = convoscope(command + "--variant tile_no_apron");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_FALSE(file_exists(path("checked.npy")));
  const Outcome refused = convoscope(command + "--variant box_running");
  EXPECT_EQ(refused.status, 2);
}

TEST_F(Cli, NothingThatExistsIsReplacedUnasked) {
  const std::string before = *read_file(path("in.npy"));
  const std::string in = "convolve " + path("in.npy") + " ";
  std::filesystem::create_symlink("in.npy", path("link.npy"));
  for (const char* output : {"in.npy", "link.npy"})
    for (const char* force : {"", " --force"}) {
      const Outcome outcome = convoscope(in + path(output) + " --device cpu" + force);
      EXPECT_EQ(outcome.status, 2);
      EXPECT_THAT(outcome.err, testing::HasSubstr("is the input itself"));
    }
  EXPECT_EQ(*read_file(path("in.npy")), before);
  ASSERT_TRUE(write_file(path("there.npy"), "precious"));
  EXPECT_THAT(convoscope(in + path("there.npy") + " --device cpu").err, testing::HasSubstr("--force replaces it"));
  EXPECT_EQ(*read_file(path("there.npy")), "precious");
  EXPECT_EQ(convoscope(in + path("there.npy") + " --device cpu --force").status, 0);
  std::filesystem::create_directory(path("folder"));
  EXPECT_EQ(convoscope(in + path("folder") + " --device cpu").status, 0);
  EXPECT_TRUE(load_picture(path("folder/in.npy")));
  for (const char* option : {"--csv", "--json", "--markdown"}) {
    ASSERT_TRUE(write_file(path("rows"), "precious"));
    EXPECT_EQ(
        convoscope(fmt::format("bench --size 8x8 --variant cpu_direct --quick {} {}", option, path("rows"))).status, 2);
    EXPECT_EQ(*read_file(path("rows")), "precious");
  }
  // Each preset's plot has its own name.
  ASSERT_TRUE(write_file(path("p-s1.svg"), "precious"));
  EXPECT_EQ(convoscope("bench --quick --preset s0,s1 --plot " + path("p.svg")).status, 2);
  EXPECT_EQ(*read_file(path("p-s1.svg")), "precious");
}

// Files in memory are files: a path below /dev is not a device because of its name.
TEST_F(Cli, FilesBelowDevAreNoDevices) {
  const std::string file = fmt::format("/dev/shm/convoscope-test-{}.npy", getpid());
  std::filesystem::copy_file(path("in.npy"), file);
  const Outcome outcome = convoscope("convolve " + file + " " + file + " --force --device cpu");
  EXPECT_EQ(*read_file(file), *read_file(path("in.npy")));
  std::filesystem::remove(file);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(convoscope("bench --from " + path("none") + " --csv /dev/stdout").err,
              testing::HasSubstr("no such file"));
}

TEST_F(Cli, AFullDiskIsSaid) {
  const int status = std::system((CONV_PROGRAM " list >/dev/full 2>" + path("err")).c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_THAT(*read_file(path("err")), testing::HasSubstr("No space left"));
  EXPECT_EQ(WEXITSTATUS(std::system(CONV_PROGRAM " --nonsense 2>/dev/full")), 2);
}

TEST_F(CliBatch, NeverReplacesItsSources) {
  const std::string before = *read_file(path("frames/f1.png"));
  for (const std::string& in : {path("frames"), "'" + path("frames/*.png") + "'"})
    EXPECT_THAT(convoscope("convolve " + in + " " + path("frames") + blur + " --force").err,
                testing::HasSubstr("is the input itself"));
  EXPECT_EQ(*read_file(path("frames/f1.png")), before);
  // Numbers begin at 0: the outputs of one part would be inputs of another.
  EXPECT_THAT(
      convoscope("convolve " + path("frames/f%d.png") + " " + path("frames/f%d.png") + blur + " --part 2/2 --force")
          .err,
      testing::HasSubstr("is the input itself"));
  EXPECT_EQ(convoscope("convolve " + path("frames/f%d.png") + " " + path("out") + blur).status, 1);
  EXPECT_THAT(convoscope("convolve " + path("frames/f%d.png") + " " + path("out") + blur).err,
              testing::HasSubstr("5 of the results exist already"));
}

TEST_F(CliBatch, WhatMakesNoSenseIsRefused) {
  const Outcome one = convoscope("convolve " + path("frames") + " " + path("one.png") + blur);
  EXPECT_EQ(one.status, 2);
  EXPECT_THAT(one.err,
              testing::HasSubstr("many results need a folder, a number in the name (out%04d.png), or a video"));
  std::filesystem::create_directory(folder_ / "more");
  std::filesystem::copy(folder_ / "frames/f1.png", folder_ / "more/f1.png");
  const Outcome same = convoscope("convolve '" + path("*/f1.png") + "' " + path("out") + blur);
  EXPECT_EQ(same.status, 2);
  EXPECT_THAT(same.err, testing::HasSubstr("several pictures have this name"));
  if (no_video().empty()) {
    const Outcome film = convoscope("convolve " + path("frames") + " " + path("film.avi") + blur);
    EXPECT_EQ(film.status, 2) << "pictures of several sizes make no video";
  }
}

TEST_F(CliBatch, PartsAreAllThatThereIs) {
  for (const char* part : {"1/2", "2/2"})
    convoscope("convolve " + path("frames") + " " + path(std::string("part") + part[0]) + blur + " --part " + part);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "part1/f1.png"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "part2/f2.png"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "part2/f1.png"));
  EXPECT_EQ(convoscope("convolve a b --part 3/2").status, 2);
}

TEST_F(CliBatch, VideosGoInAndOut) {
  if (!no_video().empty()) GTEST_SKIP() << no_video();
  const std::string generator = "lavfi:testsrc2=size=64x48:rate=10:duration=1";
  ASSERT_EQ(convoscope("convolve " + generator + " " + path("a.mp4") + blur).status, 0);
  const Outcome outcome = convoscope("convolve " + path("a.mp4") + " " + path("b%02d.png") + blur);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::StartsWith("10 done, 0 failed"));
  EXPECT_EQ(load_picture(path("b09.png"))->size, (Size2{64, 48}));
  const Outcome half = convoscope("convolve " + path("a.mp4") + " " + path("half%02d.png") + blur + " --percent 50");
  ASSERT_EQ(half.status, 0) << half.err;
  EXPECT_EQ(load_picture(path("half09.png"))->size, (Size2{32, 24}));
  const Outcome none = convoscope("convolve " + path("none.mp4") + " " + path("c.mp4") + blur);
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, testing::HasSubstr("no such file"));
}

TEST_F(Cli, SelftestPassesOnThisMachine) {
  const Outcome outcome =
      convoscope(is_sanitized ? "selftest --device cpu --shard 1/64" : "selftest --device cpu --shard 1/8");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_NE(outcome.out.find(" 0 failed"), std::string::npos);
}

TEST_F(Cli, WithoutADisplayTheWindowSaysWhatWorks) {
  const Outcome outcome = convoscope("");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "convoscope: No display found. All commands of `convoscope --help`, such as `convolve` and `bench`, work "
            "without one.\n");
}

TEST_F(Cli, HelpAndVersion) {
  EXPECT_EQ(convoscope("--help").status, 0);
  EXPECT_NE(convoscope("--help").out.find("0.2126 R + 0.7152 G + 0.0722 B"), std::string::npos);
  EXPECT_NE(convoscope("--version").out.find("convoscope "), std::string::npos);
}

}  // namespace

}  // namespace conv
