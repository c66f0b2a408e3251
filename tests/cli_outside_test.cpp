// What the command line does with files, pipes, limits and words that are not as they should be.
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "app/sources/frames.h"
#include "cli_support.h"

namespace conv {

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

TEST_F(Cli, StandardStreamsTakeThePlaceOfFiles) {
  ASSERT_EQ(convoscope("convolve --pattern text --pattern-size 40x30 " + path("a.png")).status, 0);
  ASSERT_EQ(convoscope("convolve " + path("a.png") + " " + path("b.png") + blur).status, 0);
  const Outcome piped = convoscope("convolve - - " + std::string(blur) + " <" + path("a.png"));
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_TRUE(piped.out == *read_file(path("b.png")));
  EXPECT_THAT(piped.err, HasSubstr("standard output: 40x30"));
  // Floats stay floats.
  ASSERT_EQ(convoscope("convolve " + path("in.npy") + " " + path("b.npy") + blur).status, 0);
  EXPECT_TRUE(convoscope("convolve - - " + std::string(blur) + " <" + path("in.npy")).out == *read_file(path("b.npy")));
  EXPECT_THAT(convoscope("convolve - " + path("c.png") + " </dev/null").err, HasSubstr("standard input: is empty"));

  EXPECT_NE(convoscope("convolve " + path("a.png") + " - --json" + blur).status, 0);
}

TEST_F(CliBatch, JsonTellsOfEveryPicture) {
  const Outcome outcome = convoscope("convolve '" + path("frames/*.png") + "' " + path("out") + blur + " --json");
  EXPECT_EQ(outcome.status, 1);
  const auto all = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(all["done"], 5);
  EXPECT_EQ(all["failed"], 1);
  ASSERT_EQ(all["pictures"].size(), 5u);
  EXPECT_EQ(all["pictures"][4]["in"], path("frames/f5.png"));
  EXPECT_EQ(all["pictures"][4]["out"], path("out/f5.png"));
  EXPECT_EQ(all["pictures"][4]["variant"], "cpu_separable");
  EXPECT_EQ(all["pictures"][4]["image"][0], 25);
}

// A file of a few bytes that says it is huge does not end the others.
TEST_F(CliBatch, APictureThatSaysItIsHugeFailsAlone) {
  ASSERT_TRUE(
      write_file(path("frames/f6.png"), std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\xff\xff\xff\0\xff\xff\xff\x08"
                                                    "\x02\0\0\0\0\0\0\0",
                                                    33)));
  const Outcome outcome = convoscope("convolve " + path("frames") + " " + path("out") + blur);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("5 done, 1 failed"));
  EXPECT_EQ(convoscope("convolve " + path("frames") + " '" + path("o%099999999999d.png") + "'" + blur).status, 2);
}

TEST_F(Cli, APipeThatNobodyReadsIsRefused) {
  for (const char* name : {"p.png", "p.mp4"}) ASSERT_EQ(mkfifo(path(name).c_str(), 0600), 0);
  EXPECT_THAT(convoscope("convolve " + path("in.npy") + " " + path("p.png") + blur).err,
              HasSubstr("a pipe that no program reads"));
  if (!no_video().empty()) return;
  EXPECT_THAT(convoscope("convolve lavfi:testsrc2=size=64x64:duration=1 " + path("p.mp4") + blur).err,
              HasSubstr("it is a device or a pipe"));
}

TEST_F(CliBatch, AVideoThatIsCutOffIsSaid) {
  if (!no_video().empty()) GTEST_SKIP() << no_video();
  ASSERT_EQ(convoscope("convolve lavfi:testsrc2=size=64x64:duration=4 " + path("a.mkv") + blur).status, 0);
  const std::string whole = *read_file(path("a.mkv"));
  ASSERT_TRUE(write_file(path("half.mkv"), whole.substr(0, whole.size() / 2)));
  EXPECT_THAT(convoscope("convolve " + path("a.mkv") + " " + path("b.mkv") + blur).err, Not(HasSubstr("cut off")));
  const Outcome outcome = convoscope("convolve " + path("half.mkv") + " " + path("c.mkv") + blur);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("of 4.0 seconds. The file may be cut off"));
  ASSERT_TRUE(write_file(path("none.gif"), std::string("GIF89a\1\0\1\0", 10)));
  EXPECT_EQ(convoscope("convolve " + path("none.gif") + " " + path("frames_of_none") + blur).status, 2);
}

TEST_F(Cli, TheUsersOwnLimitsAreSaid) {
  const auto limited = [&](const char* limit, const std::string& words) {
    return std::system(
        fmt::format("(ulimit {}; {} {} >{} 2>{})", limit, CONV_PROGRAM, words, path("o"), path("e")).c_str());
  };
  EXPECT_EQ(WEXITSTATUS(limited("-f 2", "convolve --pattern noise --pattern-size 400x300 " + path("a.npy"))), 2);
  EXPECT_THAT(*read_file(path("e")), HasSubstr("File too large"));
  EXPECT_FALSE(fs::exists(path("a.npy")));
  if (is_sanitized) return;  // an address sanitizer needs terabytes
  EXPECT_EQ(WEXITSTATUS(limited("-v 1500000", "convolve --pattern noise --pattern-size 16000x16000 " + path("a.npy"))),
            2);
  EXPECT_THAT(*read_file(path("e")), HasSubstr("memory"));
}

// Names come from other people's files.
TEST_F(Cli, NamesDoNotControlTheTerminal) {
  const std::string name = "a\x1b]0;x\x07\n\x9b.npy";
  fs::copy_file(path("in.npy"), path(name));
  fs::create_directory(path("out"));
  const Outcome done = convoscope("convolve '" + path(name) + "' " + path("out") + blur);
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, Not(HasSubstr("\x1b")));
  const Outcome missing = convoscope("convolve '" + path(name + "none") + "' " + path("b.npy") + blur);
  for (const char* control : {"\x1b", "\x07", "\x9b"}) EXPECT_THAT(missing.err, Not(HasSubstr(control)));
  EXPECT_THAT(missing.err, HasSubstr("no such file"));
  EXPECT_EQ(std::count(missing.err.begin(), missing.err.end(), '\n'), 1);
}

TEST_F(Cli, WordsThatNoSessionHasAreNamed) {
  ASSERT_TRUE(write_file(path("s.json"), R"({"convoscope_session": 1, "settings": {"filter": {"kind": "sharpn",
      "radius": "3"}, "padding": "wrapp", "lanes": [{"variant": "globall"}], "of_a_newer_version": 5}})"));
  const Outcome outcome =
      convoscope("convolve " + path("in.npy") + " " + path("o.npy") + " --session " + path("s.json"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* text : {"filter.kind cannot be \"sharpn\"", "filter.radius cannot be \"3\"",
                           "padding cannot be \"wrapp\"", "lanes[0].variant cannot be \"globall\""})
    EXPECT_THAT(outcome.err, HasSubstr(text));
  EXPECT_THAT(outcome.err, Not(HasSubstr("newer")));
}

TEST_F(Cli, HelpNamesWhatIsUsualAndListSaysWhatAFilterDoes) {
  const std::string help = convoscope("convolve --help").out;
  for (const char* text : {"--radius INT=5", "--sigma FLOAT=2", "--filter TEXT=gaussian", "--padding TEXT=replicate",
                           "--block TEXT=16x16"})
    EXPECT_THAT(help, HasSubstr(text));
  const std::string list = convoscope("list").out;
  EXPECT_THAT(list, HasSubstr("Edges (Sobel magnitude): Gaussian, then sqrt"));
  EXPECT_THAT(list, HasSubstr("opposite sign of scipy.ndimage.sobel"));
}

TEST_F(Cli, WhatIsConvertedAndWhatIsShownWrongIsSaid) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }";
  header.resize(118 - 1, ' ');
  ASSERT_TRUE(
      write_file(path("d.npy"), std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + std::string(32, '\0')));
  EXPECT_THAT(convoscope("convolve " + path("d.npy") + " " + path("o.npy") + blur).out,
              HasSubstr("float64 converted to float32"));
  EXPECT_THAT(convoscope("convolve " + path("in.npy") + " " + path("p.npy") +
                         " --device cpu --variant tile_linear --set barrier=off")
                  .err,
              HasSubstr("warning: tile_linear"));
}

TEST_F(Cli, AMatrixOfAnyLengthComesFromAFile) {
  const HostImage noise = noise_image({129, 129}, PixelType::f32);
  std::string text;
  for (int y = 0; y < 129; ++y) {
    for (int x = 0; x < 129; ++x) text += fmt::format("{} ", noise.channel(static_cast<std::size_t>(y) * 129 + x, 0));
    text += y < 128 ? ";" : "";
  }
  ASSERT_TRUE(write_file(path("m.txt"), text));
  ASSERT_GT(text.size(), std::size_t{131072});  // more than one argument may have
  const Outcome outcome =
      convoscope("convolve " + path("in.npy") + " " + path("o.npy") +
                 " --device cpu --variant cpu_direct --check --divisor 1000 --matrix @" + path("m.txt"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("custom"));
}

TEST_F(Cli, BenchWritesThroughLinks) {
  ASSERT_EQ(
      convoscope("bench --variant cpu_separable --size 64x64 --radius 1 --quick --device cpu --json " + path("r.json"))
          .status,
      0);
  ASSERT_TRUE(write_file(path("kept.csv"), "old"));
  fs::create_symlink("kept.csv", path("link.csv"));
  ASSERT_EQ(convoscope("bench --from " + path("r.json") + " --force --csv " + path("link.csv")).status, 0);
  EXPECT_TRUE(fs::is_symlink(path("link.csv")));
  EXPECT_THAT(*read_file(path("kept.csv")), HasSubstr("cpu_separable"));
  EXPECT_THAT(convoscope("bench --from " + path("r.json") + " --csv /dev/stdout").out, HasSubstr("cpu_separable"));
  const std::string quick = "bench --variant cpu_separable --size 64x64 --radius 1 --quick";
  EXPECT_THAT(convoscope(quick + " --csv").out, HasSubstr("cpu_separable"));
  const std::string said = convoscope(quick).err;
  EXPECT_TRUE(std::ranges::all_of(said, [](char c) { return c == '\n' || (c >= ' ' && c < '\x7f'); })) << said;
  const Outcome none = convoscope("bench --variant global --size 64x64 --block 2000x1 --radius 1 --device cpu");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("nothing was measured: "));
}

TEST_F(CliBatch, IgnoresAHangUpUnderNohup) {
  const pid_t program = start(fmt::format("sh -c \"trap '' HUP; exec {} convolve {} {} {}\" >/dev/null 2>&1",
                                          CONV_PROGRAM, path("frames"), path("out"), blur));
  for (int i = 0; i < 10'000 && !fs::exists(path("out")); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ::kill(program, SIGHUP);
  int status = 0;
  ASSERT_EQ(::waitpid(program, &status, 0), program);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_TRUE(fs::exists(path("out/f5.png")));
}

TEST_F(Cli, AStoppedVideoLeavesNothing) {
  if (!no_video().empty()) GTEST_SKIP() << no_video();
  fs::create_directory(path("out"));
  const pid_t program = start(fmt::format("{} convolve lavfi:testsrc2=size=320x240:rate=25 {} {} >{} 2>{}",
                                          CONV_PROGRAM, path("out/a.mp4"), blur, path("o"), path("e")));
  for (int i = 0; i < 10'000 && fs::is_empty(path("out")); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ::kill(program, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(program, &status, 0), program);
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
  EXPECT_THAT(*read_file(path("e")), HasSubstr("no video was written"));
  EXPECT_TRUE(fs::is_empty(path("out")));
}

TEST_F(Cli, WhatThereIsNoFolderForIsSaid) {
  const auto run = [&](const std::string& words) {
    return std::system(fmt::format("cd {} && {} >{} 2>{}", path(""), words, path("o"), path("e")).c_str());
  };
  const std::string lost =
      fmt::format("mkdir gone && cd gone && rmdir ../gone && {} convolve a.png b.png", CONV_PROGRAM);
  EXPECT_EQ(WEXITSTATUS(run(lost)), 2);
  EXPECT_THAT(*read_file(path("e")), HasSubstr("a.png: no such file"));
  if (is_sanitized) return;  // a check's process has a limit of memory
  EXPECT_EQ(WEXITSTATUS(run(fmt::format("TMPDIR=/none {} check global", CONV_PROGRAM))), 2);
  EXPECT_THAT(*read_file(path("e")), testing::AnyOf(HasSubstr("TMPDIR must name a folder"), HasSubstr("sandbox")));
}

// script gives it a terminal.
TEST_F(CliBatch, DrawsNoBarForThoseWhoWantPlainText) {
  const auto seen = [&](const char* environment, const char* out) {
    const std::string command = fmt::format("{} script -qec '{} convolve {} {} {}' /dev/null >{} 2>&1 </dev/null",
                                            environment, CONV_PROGRAM, path("frames"), path(out), blur, path("seen"));
    static_cast<void>(std::system(command.c_str()));
    return *read_file(path("seen"));
  };
  EXPECT_THAT(seen("env -u NO_COLOR", "one"), HasSubstr("[#"));
  EXPECT_THAT(seen("NO_COLOR=1", "two"), Not(HasSubstr("[#")));
}

}  // namespace

}  // namespace conv
