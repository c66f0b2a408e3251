// What the CPU executor detects: races, barriers that some threads never reach, pixels written twice, never or outside,
// memory that is not the kernel's own, loops that do not end.
#define CONV_KERNEL_FILE "kernels/wrong.cu"
#include <gmock/gmock.h>

#include <thread>

#include "kernels/cpu/twins.h"
#include "support.h"

namespace conv {

namespace {

using conv_cpu::Access;

int lane() {
  return conv_cpu::current_thread->thread.x;
}
void touch_shared(Access access, int cell) {
  conv_cpu::trace_shared(access, cell * 4, 4);
}
void store_pixel(int x) {
  conv_cpu::trace_pixel(Access::write, conv_cpu::whole_pixel<float>, x, 0, 64, 1);
}
void store_own_pixel() {
  store_pixel(lane());
}

LaunchPlan plan_with(const CpuTwins& kernel, Size2 image, Size2 block) {
  LaunchPlan plan{.format = PixelType::f32, .source = image, .image = image, .tables = {{{1.0f}, {0, 0}}}};
  KernelStep step;
  step.kernel.file = "tests/kernels/wrong.cu";
  step.kernel.cpu = kernel;
  static float constants[2];  // as kernels with taps in constant memory have them
  step.kernel.cpu_constant = &constants[0];
  step.kernel.cpu_traced_constant = &constants[1];
  step.reads = {ImageRole::source};
  step.writes = {ImageRole::target};
  step.block = block;
  cover(step, image);
  step.shared_bytes = static_cast<int>(4 * (block.area() + 1));
  plan.steps.push_back(std::move(step));
  return plan;
}

std::vector<std::string> faults_of(conv_cpu::Kernel kernel) {
  const Size2 image{64, 1};
  HostImage target(PixelType::f32, image);
  const auto counts = CpuExecutor(1).trace(plan_with({kernel, kernel}, image, image), target, target);
  std::vector<std::string> texts;
  for (const conv_cpu::AccessFault& fault : counts.front().faults) texts.push_back(fault.text);
  return texts;
}

// Why an untraced run failed; empty if it did not.
std::string failure_of(const CpuTwins& kernel, Size2 image = {64, 1}, Size2 block = {64, 1}) {
  HostImage target(PixelType::f32, image);
  const auto ran = CpuExecutor(2).run(plan_with(kernel, image, block), HostImage(PixelType::f32, image), target);
  return ran ? "" : ran.error().text;
}
std::string failure_of(conv_cpu::Kernel kernel) {
  return failure_of({kernel, kernel});
}

TEST(CpuExecutor, SaysThatAKernelThrew) {
  EXPECT_THAT(failure_of([](ConvArgs) { throw std::bad_alloc(); }),
              testing::HasSubstr("thread (0, 0) of block (0, 0) threw an exception"));
}

TEST(CpuExecutor, AcceptsABarrierBetweenWriteAndRead) {
  EXPECT_TRUE(faults_of([](ConvArgs) {
                touch_shared(Access::write, lane());
                conv_cpu::block_barrier();
                touch_shared(Access::read, (lane() + 1) % 64);
                store_own_pixel();
              }).empty());
}

TEST(CpuExecutor, NamesARace) {
  const auto faults = faults_of([](ConvArgs) {
    touch_shared(Access::write, lane());
    touch_shared(Access::read, (lane() + 63) % 64);
    store_own_pixel();
  });
  ASSERT_FALSE(faults.empty());
  EXPECT_THAT(faults.front(),
              testing::MatchesRegex(".*cpu_executor_test.cpp:.*: race in block \\(0, 0\\): threads 0 and "
                                    "1 access shared byte 0 without a barrier in between; the other is "
                                    "at .*cpu_executor_test.cpp:.*"));
}

TEST(CpuExecutor, NamesAWriteThatFollowsTheReadsOfOthers) {
  const auto faults = faults_of([](ConvArgs) {
    touch_shared(Access::read, 0);
    if (lane() == 63) touch_shared(Access::write, 0);
    store_own_pixel();
  });
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults.front().find("and 63 access shared byte 0"), std::string::npos) << faults.front();
}

TEST(CpuExecutor, AWarpBarrierOrdersAWarpButNotTheBlock) {
  const auto within_warp = [](ConvArgs) {
    touch_shared(Access::write, lane());
    conv_cpu::warp_barrier();
    touch_shared(Access::read, lane() ^ 1);
    store_own_pixel();
  };
  EXPECT_TRUE(faults_of(within_warp).empty());
  const auto across_warps = [](ConvArgs) {
    touch_shared(Access::write, lane());
    conv_cpu::warp_barrier();
    touch_shared(Access::read, lane() ^ 32);
    store_own_pixel();
  };
  EXPECT_FALSE(faults_of(across_warps).empty());
}

TEST(CpuExecutor, NamesADivergentBarrier) {
  const auto faults = faults_of([](ConvArgs) {
    store_own_pixel();
    if (lane() < 48) conv_cpu::block_barrier();
  });
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults.front(), "block (0, 0): 48 of 64 threads wait at a barrier the others never reach (not portable)");
}

TEST(CpuExecutor, NamesPixelsWrittenTwiceNeverOrOutside) {
  EXPECT_EQ(faults_of([](ConvArgs) {
              if (lane() < 32) store_own_pixel();
            }).front(),
            "32 pixels are never written");
  EXPECT_THAT(faults_of([](ConvArgs) { store_pixel(lane() % 63); }).front(),
              testing::EndsWith(": pixel (0, 0) is written twice"));
  EXPECT_THAT(faults_of([](ConvArgs) { store_pixel(lane() + 1); }).front(),
              testing::EndsWith(": thread (63, 0) of block (0, 0) writes pixel (64, 0), outside the 64x1 image"));
}

TEST(CpuExecutor, NamesSharedMemoryBeyondThePlan) {
  EXPECT_THAT(faults_of([](ConvArgs) {
                touch_shared(Access::write, lane() + 2);
                store_own_pixel();
              }).front(),
              testing::EndsWith(": thread (63, 0) of block (0, 0) writes byte 260 of shared memory, which has 260"));
}

TEST(CpuExecutor, NamesTapsThatDoNotExist) {
  EXPECT_EQ(faults_of([](ConvArgs) {
              conv_cpu::trace_tap({1, {"kernel.cu", 7}}, nullptr);
              store_own_pixel();
            }).front(),
            "kernel.cu:7: thread (0, 0) of block (0, 0) reads tap 1; the last one is 0");
}

// In the sanitized build AddressSanitizer ends the program at such an access.
class StoppedKernel : public testing::Test {
 protected:
  void SetUp() override {
    if (is_sanitized) GTEST_SKIP() << "the sanitizers report it";
  }
};

TEST_F(StoppedKernel, IsToldAtWhichLineItLeavesItsImage) {
  const CpuTwins twins = CONV_TWINS(without_contains<SourceView<float, Border::any>, TargetView<float>>);
  EXPECT_THAT(failure_of(twins, {33, 5}, {16, 1024}),  // whichever block is first
              testing::MatchesRegex("kernels/wrong.cu:12: thread \\(0, 5\\) of block \\([012], 0\\) writes pixel "
                                    "\\([0-9]+, 5\\), outside the 33x5 image"));
}

TEST_F(StoppedKernel, IsToldAtWhichLineItLeavesItsSharedMemory) {
  const CpuTwins twins = CONV_TWINS(beyond_shared<SourceView<float, Border::any>, TargetView<float>>);
  EXPECT_EQ(failure_of(twins),
            "kernels/wrong.cu:23: thread (0, 0) of block (0, 0) reads byte 400000 of shared memory, which has 260");
}

TEST_F(StoppedKernel, DividedByZero) {
  EXPECT_EQ(failure_of([](ConvArgs) {
              volatile int zero = 0;
              zero = 7 / zero;
            }),
            "tests/kernels/wrong.cu: thread (0, 0) of block (0, 0) divided by zero");
}

TEST_F(StoppedKernel, UsedUpItsStack) {
  EXPECT_THAT(failure_of([](ConvArgs) {
                struct Deep {
                  static int sum(volatile int* from, int depth) {
                    volatile int here[256] = {depth};
                    return depth == 1'000'000 ? 0 : sum(here, depth + 1) + from[0];
                  }
                };
                volatile int first = 0;
                Deep::sum(&first, 0);
              }),
              testing::HasSubstr("accessed memory that is not its own"));
}

int destroyed = 0;

TEST_F(StoppedKernel, EndsTheThreadsThatWaitForIt) {
  destroyed = 0;
  const std::string text = failure_of([](ConvArgs) {
    struct Held {
      ~Held() { ++destroyed; }
    } held;
    if (lane() == 40) *reinterpret_cast<volatile int*>(16) = 1;
    conv_cpu::block_barrier();
  });
  EXPECT_THAT(text, testing::HasSubstr("thread (40, 0) of block (0, 0) accessed memory that is not its own"));
  EXPECT_EQ(destroyed, 2 * 40);  // the untraced run, and the traced one that looks for the line
  // After a barrier too, where all threads run in turns.
  EXPECT_THAT(failure_of([](ConvArgs) {
                conv_cpu::block_barrier();
                if (lane() == 20) *reinterpret_cast<volatile int*>(16) = 1;
                conv_cpu::block_barrier();
              }),
              testing::HasSubstr("thread (20, 0) of block (0, 0) accessed memory that is not its own"));
}

TEST_F(StoppedKernel, DoesNotEnd) {
  const conv_cpu::Kernel in_itself = [](ConvArgs) {
    for (volatile bool on = true; on;) {
    }
  };
  const conv_cpu::Kernel with_barriers = [](ConvArgs) {
    for (volatile bool on = true; on;) conv_cpu::block_barrier();
  };
  const conv_cpu::Kernel with_accesses = [](ConvArgs) {
    for (volatile bool on = true; on;) store_own_pixel();
  };
  for (const CpuTwins twins : {CpuTwins{in_itself, in_itself}, {with_barriers, with_accesses}}) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(failure_of(twins), testing::HasSubstr("did not end: is there an endless loop?"));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));  // 2.3 s of processor time
  }
}

TEST_F(StoppedKernel, LeavesTheExecutorUsable) {
  const CpuTwins good = {[](ConvArgs args) {
                           conv_cpu::block_barrier();
                           static_cast<float*>(args.target.data)[lane()] = 1;
                         },
                         nullptr};
  HostImage target(PixelType::f32, {64, 1});
  CpuExecutor executor(1);
  const auto wrong = [](ConvArgs) { *reinterpret_cast<volatile int*>(16) = 1; };
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(executor.run(plan_with({wrong, wrong}, {64, 1}, {64, 1}), target, target));
    ASSERT_TRUE(executor.run(plan_with(good, {64, 1}, {64, 1}), target, target));
    ASSERT_EQ(target.pixels<float>()[63], 1);
  }
}

TEST(ThreadPool, HandsOnTheFirstException) {
  ThreadPool pool(3);
  for (int i = 0; i < 100; ++i) {
    EXPECT_THROW(pool.for_each(50,
                               [](int n) {
                                 if (n == 20) throw std::bad_alloc();
                               }),
                 std::bad_alloc);
    std::atomic<int> done = 0;
    pool.for_each(50, [&](int) { ++done; });
    ASSERT_EQ(done, 50);
  }
}

TEST(CpuExecutor, StopsWhenAsked) {
  const HostImage source = noise_image({2000, 2000}, PixelType::f32);
  const FilterSpec filter{.kind = FilterKind::box, .radius = 20};
  for (const char* id : {"tile_linear", "cpu_direct"}) {
    const auto plan = plan_of({.variant = id, .format = PixelType::f32}, {.filter = filter},
                              std::make_shared<Taps>(*taps_of(filter)), source.size, cpu_limits());
    HostImage target(PixelType::f32, source.size);
    std::jthread waker;
    std::stop_source stop;
    waker = std::jthread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      stop.request_stop();
    });
    const auto start = std::chrono::steady_clock::now();
    CpuExecutor executor(2);
    EXPECT_FALSE(executor.run(*plan, source, target, stop.get_token())) << id;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10)) << id;
  }
}

}  // namespace

}  // namespace conv
