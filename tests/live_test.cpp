// Kernels that were edited after the program was built: what is found in them, and what they cannot do.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <seccomp.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "app/live/kernel_check.h"
#include "app/live/kernel_twin.h"
#include "app/live/own_kernels.h"
#include "kernels/core/file.h"
#include "kernels/core/registry.h"
#include "program.h"
#include "support.h"

namespace conv {

namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Live : public testing::Test {
 protected:
  // The kernel file of a variant with one text replaced.
  static std::string edited(const std::string& variant, const std::string& from, const std::string& to) {
    std::string text = *read_file(std::filesystem::path(CONV_SOURCE_DIR) / "kernels/variants" / (variant + ".cu"));
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
  ProgramOutcome check(const std::string& name) const { return run_program("check " + name); }
  ProgramOutcome check_text(const std::string& variant, const std::string& text, const std::string& options = "") {
    const std::filesystem::path file = folder_ / (variant + ".cu");
    EXPECT_TRUE(write_file(file, text));
    return check(file.string() + options);
  }
  // With code in front of the kernel.
  ProgramOutcome check_global_after(const std::string& headers, const std::string& code) {
    return check_text("global",
                      headers + edited("global", "namespace CONV_TARGET {", "namespace CONV_TARGET {\n" + code));
  }

  TemporaryFolder folder_;
};

TEST_F(Live, TheKernelsOfTheProgramPass) {
  for (const char* variant : {"global", "tile_linear", "constant", "separable_tiles"}) {
    const ProgramOutcome outcome = check(variant);
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    EXPECT_THAT(outcome.out, StartsWith("passed: "));
  }
}

TEST_F(Live, AReportNamesTheTextThatWasChecked) {
  const auto report = [](const ProgramOutcome& outcome) { return nlohmann::json::parse(outcome.out); };
  const auto passed = report(check("global --json"));
  EXPECT_EQ(passed["passed"], true);
  EXPECT_EQ(passed["plan"], "global");
  EXPECT_GT(passed["cases"], 100);
  const ProgramOutcome wrong = check_text("global", edited("global", "x + dx", "x + dx + 1"), " --json");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_EQ(report(wrong)["flaws"][0]["flaw"], "wrong");
  EXPECT_NE(report(wrong)["hash"], passed["hash"]);
}

TEST_F(Live, NamesTheMostSeriousFlawFirst) {
  const struct {
    const char *variant, *from;
    std::string to, first;
  } rows[] = {
      {"tile_linear", "__syncthreads();", "", "race: kernels/variants/tile_linear.cu:35: race in block (0, 0)"},
      {"tile_linear", "__syncthreads();", "if (threadIdx.x < 3) __syncthreads();", "barrier: "},
      {"global", "source.load(x + dx, y + dy)", "source.load(x + dx + 1, y + dy)", "wrong: off by "},
      {"global", "if (!target.contains(x, y)) return;", "",
       "memory: kernels/variants/global.cu:19: thread (1, 0) of block"},
      {"global", "  target.store(",
       "  if (x > 0) target.store(x - 1, y, sum, args.offset, source.load(x, y));\n  target.store(",
       "written: kernels/variants/global.cu:19: pixel (0, 0) is written twice"},
      {"global", "  target.store(", "  if (x + y > 0) target.store(", "written: 1 pixels are never written"},
      {"global", "  target.store(", "  for (;;) sum = sum;\n  target.store(",
       "endless: kernels/variants/global.cu: thread"},
      {"global", "  target.store(", "  *reinterpret_cast<volatile int*>(16) = 1;\n  target.store(", "memory: "},
      {"global", "  target.store(", "  static char* p = new char[10ull << 30];\n  p[x] = 1;\n  target.store(",
       "memory: "},
      {"global", "sum{};", "sum{}", "does not compile\nkernels/variants/global.cu:16:3: error: "},
  };
  for (const auto& [variant, from, to, first] : rows) {
    const ProgramOutcome outcome = check_text(variant, edited(variant, from, to));
    EXPECT_EQ(outcome.status, 1) << first;
    EXPECT_THAT(outcome.out, StartsWith(first));
  }
}

// The program's own kernels under a name of one's own.
TEST_F(Live, AKernelOfNoVariantUsesADeclaredPlan) {
  const auto renamed = [&](const std::string& variant,
                           std::initializer_list<std::pair<const char*, const char*>> names) {
    std::string text = edited(variant, "", "");
    for (const auto& [from, to] : names) text.replace(text.find(from), std::strlen(from), to);
    const std::filesystem::path file = folder_ / "my own.cu";
    EXPECT_TRUE(write_file(file, text));
    return fmt::format("'{}'", file.string());
  };
  const std::string direct = renamed("global", {{"void global(", "void convolve("}});
  EXPECT_THAT(check(direct + " --plan direct").out, StartsWith("passed: "));
  EXPECT_THAT(check(direct).out, HasSubstr("there is no variant my own"));
  EXPECT_EQ(check(direct + " --plan two-pass").out,
            "does not compile\nthere is no kernel named convolve_columns\nthere is no kernel named convolve_rows\n");
  const std::string tiled = renamed("tile_nested", {{"void tile_nested(", "void convolve("}});
  EXPECT_THAT(check(tiled + " --plan tiled").out, StartsWith("passed: "));
  EXPECT_THAT(check(tiled + " --plan direct").out, HasSubstr("my own.cu:"));  // there is no shared memory
  const std::string passes =
      renamed("separable_tiles",
              {{", int fixed_radius>\n__global__ void separable_rows(", ">\n__global__ void convolve_rows("},
               {"<Source, Target, fixed_radius, 1, 0>", "<Source, Target, from_args, 1, 0>"},
               {", int fixed_radius>\n__global__ void separable_columns(", ">\n__global__ void convolve_columns("},
               {"<Source, Target, fixed_radius, 0, 1>", "<Source, Target, from_args, 0, 1>"}});
  EXPECT_THAT(check(passes + " --plan two-pass").out, StartsWith("passed: "));
}

// Two files that fit the program, and a line; what exists is kept.
TEST_F(Live, AVariantIsStartedFromATemplate) {
  const std::filesystem::path list = folder_ / "kernels" / "registry.def";
  std::filesystem::create_directories(folder_ / "kernels" / "variants");
  const std::string before = "CONV_VARIANT(global)\nCONV_VARIANT(auto)\n";
  ASSERT_TRUE(write_file(list, before));
  const auto start = [&](const std::string& words) {
    return run_program(fmt::format("new-variant {} --source '{}'", words, (folder_ / "").string()));
  };
  for (const auto& [plan, name] :
       {std::pair<const char*, std::string>{"direct", "mine"}, {"tiled", "my_tiles"}, {"two-pass", "my_passes"}}) {
    EXPECT_EQ(start(fmt::format("{} --plan {}", name, plan)).status, 0);
    const std::filesystem::path kernel = folder_ / "kernels" / "variants" / (name + ".cu");
    EXPECT_THAT(*read_file(kernel), HasSubstr("void " + name));
    EXPECT_EQ(
        std::system(fmt::format("c++ -std=c++23 -fsyntax-only -DFMT_SHARED -w -I '{}' -I '{}' '{}'", CONV_SOURCE_DIR,
                                (folder_ / "").string(), (folder_ / "kernels" / "variants" / (name + ".cpp")).string())
                        .c_str()),
        0);
  }
  EXPECT_EQ(*read_file(list),
            "CONV_VARIANT(global)\nCONV_VARIANT(mine)\nCONV_VARIANT(my_tiles)\nCONV_VARIANT(my_passes)\nCONV_VARIANT("
            "auto)\n");
  EXPECT_EQ(start("mine --plan direct").status, 2);
  EXPECT_THAT(start("global --plan direct").out, HasSubstr("there is a variant global already"));
  for (const char* name : {"Mine", "../mine", "_mine", "2d", "mine.cu"})
    EXPECT_THAT(start(fmt::format("{} --plan direct", name)).out, HasSubstr("a variant's name begins with")) << name;
  EXPECT_THAT(run_program("new-variant mine --plan direct --source /").out, HasSubstr("is not the source folder"));
}

TEST_F(Live, MinAndMaxAreThereAsInCuda) {
  const std::string text =
      edited("global", "source.load(x + dx,", "source.load(max(min(x + dx, 1 << 20), -(1 << 20)),");
  EXPECT_THAT(check_text("global", text).out, StartsWith("passed: "));
}

// What a kernel may use in CUDA, and what surprises in it on a GPU, is the same here.
TEST_F(Live, ThreadIndicesAreUnsignedAsInCuda) {
  const std::string never = "if (threadIdx.x - 1 < 0 || min(-1, blockDim.x) == -1) return;\n  typename PixelTraits";
  EXPECT_THAT(check_text("global", edited("global", "typename PixelTraits", never)).out, StartsWith("passed: "));
  const std::string mixed = "const float one = max(0.5f, 1);\n  typename PixelTraits";
  EXPECT_THAT(check_text("global", edited("global", "typename PixelTraits", mixed)).out, StartsWith("passed: "));
}

TEST_F(Live, OwnTextsAreKeptUnlessTheyAreTheProgramsOwn) {
  const std::string file = kernel_file_of(*find_variant("tile_linear"));
  const std::string built(built_in_kernel(file));
  EXPECT_EQ(built_in_kernel("kernels/none.cu"), "");
  EXPECT_TRUE(read_own_kernels(folder_ / "none")->empty());
  ASSERT_TRUE(write_own_kernel(folder_ / "kernels", {file, "// mine\n" + built}));
  EXPECT_EQ(*read_own_kernels(folder_ / "kernels"), (OwnKernels{{file, "// mine\n" + built}}));
  ASSERT_TRUE(write_own_kernel(folder_ / "kernels", {file, built}));
  EXPECT_TRUE(read_own_kernels(folder_ / "kernels")->empty());
  ASSERT_TRUE(write_own_kernel("", {file, "x"}));
  EXPECT_TRUE(read_own_kernels("")->empty());
  // What cannot be read is not replaced.
  EXPECT_FALSE(write_own_kernel(folder_ / "kernels", {file, std::string(most_kernel_bytes + 1, 'x')}));
  ASSERT_TRUE(write_file(folder_ / "kernels" / "tile_linear.cu", std::string(most_kernel_bytes + 1, 'x')));
  EXPECT_FALSE(read_own_kernels(folder_ / "kernels"));
}

// Neither the compiler nor the kernel reads or changes what is not theirs.
TEST_F(Live, AKernelIsConfined) {
  EXPECT_THAT(check_global_after("#include \"/etc/passwd\"\n", "").out, HasSubstr("/etc/passwd: Permission denied"));
  EXPECT_THAT(check_global_after("", "asm(\".incbin \\\"/etc/passwd\\\"\");").out, StartsWith("does not compile"));
  ASSERT_TRUE(write_file(folder_ / "victim", "kept"));
  const std::string victim = (folder_ / "victim").string();
  // It says what it could do by a wrong result.
  const ProgramOutcome outcome = check_global_after(
      "#include <cstdio>\n#include <cstdlib>\n#include <csignal>\n#include <fcntl.h>\n#include <pthread.h>\n"
      "#include <linux/fs.h>\n#include <sys/ioctl.h>\n#include <sys/socket.h>\n#include <sys/stat.h>\n#include "
      "<unistd.h>\n",
      fmt::format("static void* idle(void*) {{ return nullptr; }}\n"
                  "static int attack() {{\n"
                  "  return (fopen(\"/etc/passwd\", \"r\") || fopen(\"{0}\", \"r\") || fopen(\"{0}.new\", \"w\")) +\n"
                  "         2 * (system(\"true\") == 0) + 4 * (chmod(\"{0}\", 0) == 0) + 8 * (unlink(\"{0}\") == 0) +\n"
                  "         16 * (socket(AF_INET, SOCK_STREAM, 0) >= 0) + 32 * (kill(getppid(), 0) == 0) +\n"
                  "         64 * (fork() >= 0) + 128 * (open(\"/etc/ld.so.cache\", O_RDWR) >= 0) +\n"
                  "         256 * (ioctl(open(\"/usr\", O_RDONLY), FS_IOC_GETFLAGS, new long(0)) == 0) +\n"
                  "         512 * (creat(\"new\", 0600) >= 0) + 1024 * !pthread_create(new pthread_t, nullptr, idle, "
                  "nullptr);\n}}\n"
                  "static const int gained = attack();\n"
                  "static const int stops = gained ? *(volatile int*)16 : 0;\n",
                  victim));
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(*read_file(folder_ / "victim"), "kept");
  EXPECT_FALSE(std::filesystem::exists(victim + ".new"));
  struct stat seen {};
  EXPECT_EQ(::stat(victim.c_str(), &seen), 0);
  EXPECT_NE(seen.st_mode & 0600, 0u);
}

TEST_F(Live, IsCheckedWithinTheUsersOwnLimits) {
  for (const char* limit : {"-v 3000000", "-n 40", "-f 20000"}) {
    const std::string command = fmt::format("(ulimit {}; {} check global >/dev/null 2>&1)", limit, CONV_PROGRAM);
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0) << limit;
  }
}

TEST_F(Live, NothingRemainsOfACheckThatIsStopped) {
  std::filesystem::create_directory(folder_ / "tmp");
  ASSERT_TRUE(write_file(folder_ / "loop.cu",
                         "extern \"C\" __global__ void kernel(ConvArgs a) { for (volatile int i = 0;;) i = 0; }\n"));
  for (const char* wait : {"0.3", "2"}) {
    const std::string command =
        fmt::format("TMPDIR={} timeout {} {} check {} --plan direct >/dev/null 2>&1", (folder_ / "tmp").string(), wait,
                    CONV_PROGRAM, (folder_ / "loop.cu").string());
    static_cast<void>(std::system(command.c_str()));
    EXPECT_TRUE(std::filesystem::is_empty(folder_ / "tmp")) << wait;
  }
  // `timeout` may signal the program twice in a moment. Two signals of one kind may arrive as one.
  const std::string command = fmt::format(
      "cd {}; TMPDIR=$PWD/tmp {} check loop.cu --plan direct >/dev/null 2>&1 & "
      "for i in $(seq 200); do [ -n \"$(ls tmp)\" ] && touch began && break; sleep 0.02; done; "
      "kill $!; kill -HUP $!; wait $!",
      (folder_ / ".").string(), CONV_PROGRAM);
  static_cast<void>(std::system(command.c_str()));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "began"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "tmp"));
}

// A report that the kernel has written itself cannot control the terminal.
TEST_F(Live, AForgedReportIsOnlyText) {
  const ProgramOutcome outcome = check_global_after(
      "#include <cstring>\n#include <unistd.h>\n",
      "__attribute__((constructor)) static void end() {\n"
      "  const char* report = R\"({\"errors\":\"\",\"checked\":1,\"flaws\":[[5,\"t\",\"\\u001b]0;mine\\u0007\\n"
      "passed: 9 cases\",3]]})\";\n"
      "  const long size = strlen(report);\n"
      "  if (write(3, &size, 8) == 8 && write(3, report, size) == size) _exit(0);\n}\n");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(outcome.out.find("\npassed"), std::string::npos);
  EXPECT_THAT(outcome.out, StartsWith("wrong: t\n"));
}

// This process and those that it starts are on a system without Landlock.
void take_landlock_away() {
  const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(landlock_create_ruleset), 0);
  seccomp_load(filter);
}

TEST_F(Live, WithoutASandboxKernelsRunOnlyIfTheUserAgrees) {
  const std::string puzzle = fmt::format("puzzle 1 '{}'", (folder_ / "one.cu").string());
  ASSERT_EQ(run_program(fmt::format("puzzle 1 --solution '{}'", (folder_ / "one.cu").string())).status, 0);
  EXPECT_EXIT(
      {
        take_landlock_away();
        for (const std::string& words : {std::string("check global"), puzzle})
          for (const char* option : {"", " --without-sandbox"}) {
            const ProgramOutcome outcome = run_program(words + option);
            fmt::print(stderr, "{} {};", outcome.status, outcome.out.substr(0, outcome.out.find('\n')));
          }
        std::exit(0);
      },
      testing::ExitedWithCode(0),
      "^2 .*no sandbox for kernels.*--without-sandbox.*;0 passed.*;2 .*no sandbox.*;0 passed");
}

TEST_F(Live, WhatCannotBeCheckedIsSaid) {
  const auto refusal = [](const ProgramOutcome& outcome) {
    EXPECT_EQ(outcome.status, 2);
    return outcome.out;
  };
  EXPECT_THAT(refusal(check_global_after("#include <unistd.h>\n",
                                         "__attribute__((constructor)) static void end() { _exit(0); }\n")),
              HasSubstr("gave no report"));
  EXPECT_THAT(refusal(check("cpu_direct")), HasSubstr("has no kernel file of its own"));
  EXPECT_THAT(refusal(check("bilateral")), HasSubstr("is a demonstration"));
  EXPECT_THAT(refusal(check_text("mine", "")), HasSubstr("there is no variant mine"));
  EXPECT_THAT(refusal(check((folder_ / "global.cu").string() + "x")), HasSubstr("global.cux"));
  EXPECT_THAT(refusal(check_text("global", std::string(most_kernel_bytes + 1, ' '))), HasSubstr("1 MiB"));
}

}  // namespace

}  // namespace conv
