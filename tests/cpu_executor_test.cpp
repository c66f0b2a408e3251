// What the CPU executor detects: races, barriers that some threads never reach, pixels written twice, never or outside.
#include <thread>

#include "kernels/api/cpu_thread.h"
#include "support.h"

namespace conv {

namespace {

using conv_cpu::Access;
using conv_cpu::Space;

int lane() {
  return conv_cpu::current_thread->thread.x;
}
void touch_shared(Access access, int cell) {
  conv_cpu::trace(Space::shared, access, cell * 4, 4);
}
void store_own_pixel() {
  conv_cpu::trace(Space::global, Access::write, lane(), 0);
}

std::vector<std::string> faults_of(conv_cpu::Kernel kernel, int threads = 64) {
  const Size2 image{threads, 1};
  LaunchPlan plan{.format = PixelType::f32, .source = image, .image = image, .tables = {{{1.0f}, {0, 0}}}};
  KernelStep step;
  step.kernel.cpu = {kernel, kernel};
  step.reads = {ImageRole::source};
  step.writes = {ImageRole::target};
  step.block = image;
  cover(step, image);
  step.shared_bytes = 4 * (threads + 1);
  plan.steps.push_back(std::move(step));
  const HostImage source(PixelType::f32, image);
  HostImage target(PixelType::f32, image);
  return CpuExecutor(1).trace(plan, source, target).front().faults;
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
  EXPECT_EQ(faults.front(), "race in block (0, 0): threads 0 and 1 access shared byte 0 without a barrier in between");
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
  EXPECT_EQ(faults_of([](ConvArgs) { conv_cpu::trace(Space::global, Access::write, lane() % 63, 0); }).front(),
            "pixel (0, 0) is written twice");
  EXPECT_EQ(faults_of([](ConvArgs) { conv_cpu::trace(Space::global, Access::write, lane() + 1, 0); }).front(),
            "thread (63, 0) of block (0, 0) writes outside the target at (64, 0)");
}

TEST(CpuExecutor, NamesSharedMemoryBeyondThePlan) {
  EXPECT_EQ(faults_of([](ConvArgs) {
              touch_shared(Access::write, lane() + 2);
              store_own_pixel();
            }).front(),
            "block (0, 0) accesses shared byte 260, the plan has 260");
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
