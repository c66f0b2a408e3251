// Edited kernels that have passed their check: they run in a process of their own, whatever they do there.
#include <gmock/gmock.h>

#include <future>

#include "app/check/check_cases.h"
#include "app/live/kernel_check.h"
#include "app/live/kernel_messages.h"
#include "app/live/kernel_process.h"
#include "app/live/kernel_twin.h"
#include "app/live/live_kernels.h"
#include "app/live/own_kernels.h"
#include "kernels/core/blocks.h"
#include "kernels/core/file.h"
#include "kernels/core/registry.h"
#include "support.h"

namespace conv {

namespace {

using testing::HasSubstr;

class KernelProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    if (is_sanitized) GTEST_SKIP() << "the process has a limit of memory, and an address sanitizer needs terabytes";
    set_kernel_worker(CONV_PROGRAM);
  }
  // Larger than every picture of the check, so that a kernel can tell.
  static CheckCase large() { return {{700, 500}, PixelType::f32, Border::mirror, {.sigma = 2, .radius = 5}, {16, 16}}; }
  static LaunchPlan plan_of(const std::string& variant, const CheckCase& c = large()) {
    return *plan_case(*find_variant(variant), c, cpu_limits());
  }
  // The plan, with its kernels in a process.
  static LaunchPlan in_process(const std::string& variant, const std::string& text, const CheckCase& c = large()) {
    LaunchPlan plan = plan_of(variant, c);
    std::set<std::string> instances;
    add_instances(plan, *find_variant(variant), instances);
    // By a thread that ends: the process must not end with it.
    const auto kernel =
        std::async(std::launch::async, [&] { return check_and_start(variant, text, instances, {}); }).get();
    EXPECT_TRUE(kernel) << kernel.error().text;
    EXPECT_TRUE(kernel->report.passed()) << kernel->report.errors;
    EXPECT_TRUE(kernel->process->put_into(plan));
    return plan;
  }
  static std::string text_of(const std::string& variant) {
    return std::string(built_in_kernel(kernel_file_of(*find_variant(variant))));
  }
  // `global`, which does this in its first thread if the picture is the large one.
  static std::string global_that(const std::string& code, const std::string& headers = "") {
    std::string text = headers + text_of("global");
    const std::string before = "  target.store(";
    text.insert(text.find(before), "  if (x == 0 && y == 0 && args.target.width == 700) { " + code + " }\n");
    return text;
  }
  Result<std::vector<StepSpan>> run(const LaunchPlan& plan, std::stop_token stop = {}) {
    target_ = HostImage(plan.type_of({ImageRole::target}), plan.image);
    return executor_.run(plan, noise_image(plan.source, plan.format), target_, stop);
  }

  // Until what has to be checked is checked.
  static void wait_for_checks(LiveKernels& live) {
    do {
      live.start_next();
      live.poll();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    } while (live.busy());
  }

  CpuExecutor executor_{2};
  HostImage target_;
  TemporaryFolder folder_;
};

TEST_F(KernelProcessTest, GivesTheResultsAndTheRecordingsOfTheKernel) {
  for (const std::string variant : {"global", "constant", "tile_linear", "separable_tiles"}) {
    const LaunchPlan built = plan_of(variant), remote = in_process(variant, text_of(variant));
    ASSERT_TRUE(run(built));
    const std::vector<std::byte> expected = target_.bytes;
    const auto spans = run(remote);
    ASSERT_TRUE(spans) << spans.error().text;
    EXPECT_GT(total_ms(*spans), 0);
    EXPECT_EQ(target_.bytes, expected) << variant;
    for (std::size_t i = 0; i < built.steps.size(); ++i) {
      const auto& here = std::get<KernelStep>(built.steps[i]);
      const auto& there = std::get<KernelStep>(remote.steps[i]);
      ASSERT_TRUE(there.kernel.remote);
      const Point2 block = middle_block(here);
      EXPECT_TRUE(to_answer(CpuExecutor::record(remote, there, block)) ==
                  to_answer(CpuExecutor::record(built, here, block)))
          << variant;
      // Names of files as they come from there.
      const auto named = [&](auto recording, auto read) { return to_answer(*read(to_answer(recording))); };
      EXPECT_TRUE(to_answer(CpuExecutor::record_warps(remote, there, block)) ==
                  named(CpuExecutor::record_warps(built, here, block),
                        [&](const std::string& m) { return warp_answer(m, built, here, block); }))
          << variant;
      EXPECT_TRUE(to_answer(CpuExecutor::record_thread(remote, there, block, {3, 2})) ==
                  named(CpuExecutor::record_thread(built, here, block, {3, 2}),
                        [&](const std::string& m) {
                          return thread_answer(m, built, here, block, {3, 2});
                        }))
          << variant;
    }
  }
}

// Pixels of 16 bytes, and loads of several pixels at once: they need images at multiples of their size.
TEST_F(KernelProcessTest, ImagesLieWhereWideLoadsCanReadThem) {
  CheckCase c = large();
  c.format = PixelType::rgba32f;
  for (const std::string variant : {"global", "separable_stream"}) {
    const LaunchPlan remote = in_process(variant, text_of(variant), c);
    ASSERT_TRUE(run(plan_of(variant, c)));
    const std::vector<std::byte> expected = target_.bytes;
    const auto spans = run(remote);
    ASSERT_TRUE(spans) << spans.error().text;
    EXPECT_EQ(target_.bytes, expected) << variant;
  }
}

// Only some rows of the target are a step's: the others stay.
TEST_F(KernelProcessTest, StepsThatWriteSomeRowsKeepTheOthers) {
  LaunchPlan plan = in_process("global", text_of("global"));
  auto& step = std::get<KernelStep>(plan.steps.front());
  step.rows = {.first = 100, .count = 50};
  step.grid.height = 4;
  step.origin.y = 100;
  const HostImage source = noise_image(plan.source, plan.format);
  HostImage target(PixelType::f32, plan.image);
  std::ranges::fill(target.bytes, std::byte{1});
  const std::vector<std::byte> before = target.bytes;
  ASSERT_TRUE(executor_.run_step(plan, step, {.reads = source.bytes, .also_reads = {}, .writes = target.bytes}));
  const std::size_t row = 700 * sizeof(float);
  EXPECT_TRUE(std::ranges::equal(std::span(target.bytes).first(100 * row), std::span(before).first(100 * row)));
  EXPECT_FALSE(std::ranges::equal(std::span(target.bytes).subspan(100 * row, 50 * row),
                                  std::span(before).subspan(100 * row, 50 * row)));
  EXPECT_TRUE(std::ranges::equal(std::span(target.bytes).subspan(150 * row), std::span(before).subspan(150 * row)));
}

// It waits until it is out of the check.
TEST_F(KernelProcessTest, APassedKernelIsStillConfined) {
  ASSERT_TRUE(write_file(folder_ / "victim", "kept"));
  const std::string victim = (folder_ / "victim").string();
  const LaunchPlan plan = in_process(
      "global",
      global_that(
          fmt::format("if (unlink(\"{0}\") == 0 || open(\"{0}\", O_RDONLY) >= 0 || system(\"true\") == 0 || "
                      "socket(AF_INET, SOCK_STREAM, 0) >= 0 || kill(getppid(), 0) == 0 || fork() >= 0) for (;;) "
                      "sum = sum;",
                      victim),
          "#include <csignal>\n#include <cstdlib>\n#include <fcntl.h>\n#include <sys/socket.h>\n#include "
          "<unistd.h>\n"));
  const auto spans = run(plan);
  EXPECT_TRUE(spans) << spans.error().text;
  EXPECT_EQ(*read_file(folder_ / "victim"), "kept");
}

TEST_F(KernelProcessTest, TheEndOfTheProcessIsInWords) {
  const LaunchPlan plan = in_process("global", global_that("_exit(0);", "#include <unistd.h>\n"));
  for (int i = 0; i < 2; ++i) {
    const auto spans = run(plan);
    ASSERT_FALSE(spans);
    EXPECT_EQ(spans.error().text,
              "kernels/variants/global.cu: its process was ended: the other process has ended. Run the kernel again");
  }
  const auto& step = std::get<KernelStep>(plan.steps.front());
  EXPECT_EQ(CpuExecutor::record(plan, step, {0, 0}).written.size(), 256u);
  EXPECT_TRUE(CpuExecutor::record_warps(plan, step, {0, 0}).requests.empty());
}

TEST_F(KernelProcessTest, AKernelThatDoesNotEndIsStoppedAtItsLine) {
  const LaunchPlan plan = in_process("global", global_that("for (;;) sum = sum;"));
  const auto spans = run(plan);
  ASSERT_FALSE(spans);
  EXPECT_THAT(spans.error().text, HasSubstr("kernels/variants/global.cu"));
  EXPECT_THAT(spans.error().text, HasSubstr("block (0, 0)"));
  EXPECT_FALSE(run(plan)) << "the process is still there, and says it again";
}

// An instance that is not checked does not run: neither on the CPU, nor on a GPU.
TEST_F(KernelProcessTest, APassedTextRunsInCheckedInstancesOnly) {
  const std::string file = kernel_file_of(*find_variant("global")), text = "// edited\n" + text_of("global");
  KernelSources sources(folder_ / "none");
  ASSERT_TRUE(sources.use(file, text));
  LiveKernels live;
  const auto text_for_gpu = [&] { return live.texts_for_gpu(sources)->files.at(file); };
  CheckCase c = large();
  for (const PixelType format : {PixelType::f32, PixelType::gray8}) {
    c.format = format;
    LaunchPlan plan = plan_of("global", c);
    const LiveKernels::Put before = live.put_into(plan, sources);
    EXPECT_TRUE(before.is_new && !before.is_edited) << info(format).id;
    EXPECT_TRUE(text_for_gpu() == text_of("global")) << info(format).id;
    EXPECT_THAT(live.outdated(plan, sources, true), HasSubstr("Checking")) << info(format).id;
    wait_for_checks(live);
    const LiveKernels::Put after = live.put_into(plan, sources);
    EXPECT_TRUE(!after.is_new && after.is_edited) << info(format).id;
    EXPECT_TRUE(text_for_gpu() == text) << info(format).id;
    EXPECT_EQ(live.outdated(plan, sources, true), "");
  }
}

// The first check does not answer for the second.
TEST_F(KernelProcessTest, AnInstanceThatIsNeededDuringACheckIsCheckedNext) {
  const std::string file = kernel_file_of(*find_variant("global")), text = "// edited\n" + text_of("global");
  KernelSources sources(folder_ / "none");
  ASSERT_TRUE(sources.use(file, text));
  LiveKernels live;
  CheckCase c = large();
  LaunchPlan first = plan_of("global", c);
  c.format = PixelType::gray8;
  LaunchPlan second = plan_of("global", c);
  live.put_into(first, sources);
  live.start_next();
  live.put_into(second, sources);
  int polls = 0;
  do {
    polls += live.poll();
    if (live.report(file)) {
      EXPECT_TRUE(live.texts_for_gpu(sources)->files.at(file) == text);
    }
    live.start_next();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  } while (live.busy());
  polls += live.poll();
  EXPECT_EQ(polls, 2);
  ASSERT_TRUE(live.report(file));
  EXPECT_EQ(live.take_news().size(), 1u);
}

TEST_F(KernelProcessTest, ATextWhoseProcessHasEndedRunsNowhereUntilItIsRunAgain) {
  const std::string file = kernel_file_of(*find_variant("global")),
                    text = global_that("_exit(0);", "#include <unistd.h>\n");
  KernelSources sources(folder_ / "none");
  ASSERT_TRUE(sources.use(file, text));
  LiveKernels live;
  LaunchPlan first = plan_of("global"), second = first, third = first, fourth = first;
  live.put_into(first, sources);
  wait_for_checks(live);
  ASSERT_TRUE(live.put_into(second, sources).is_edited);
  live.take_news();
  EXPECT_FALSE(run(second));
  EXPECT_TRUE(live.poll());
  EXPECT_FALSE(live.put_into(third, sources).is_edited);
  ASSERT_EQ(live.take_news().size(), 1u);
  const auto report = live.report(file);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->cannot, "");
  EXPECT_THAT(report->ended, HasSubstr("its process was ended"));
  EXPECT_TRUE(live.texts_for_gpu(sources)->files.at(file) == text_of("global"));
  for (const bool on_gpu : {false, true})
    EXPECT_EQ(live.outdated(third, sources, on_gpu), report->ended + ". It runs as it was built.");
  live.check(file, text);
  wait_for_checks(live);
  EXPECT_TRUE(live.put_into(fourth, sources).is_edited);
}

// A picture that takes long, and a kernel that does not answer.
TEST_F(KernelProcessTest, ARunStopsSoonAfterItIsAsked) {
  const auto stops_within_3_s = [&](const LaunchPlan& plan) {
    std::stop_source stop;
    const std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      stop.request_stop();
    });
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(run(plan, stop.get_token()));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
  };
  CheckCase slow = large();
  slow.image = {4000, 3000};
  slow.filter = {.sigma = 8, .radius = 25};
  stops_within_3_s(in_process("global", text_of("global"), slow));
  // Signals cannot end this one.
  stops_within_3_s(in_process(
      "global", global_that("sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, nullptr); for (;;) pause();",
                            "#include <csignal>\n#include <unistd.h>\n")));
}

}  // namespace

}  // namespace conv
