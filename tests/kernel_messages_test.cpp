// What a kernel of somebody else could send: nothing but an answer that fits the question is taken.
#include <gtest/gtest.h>

#include <random>

#include "app/check/check_cases.h"
#include "app/live/kernel_messages.h"
#include "kernels/core/blocks.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

class KernelMessages : public testing::Test {
 protected:
  const LaunchPlan plan_ =
      *plan_case(*find_variant("tile_linear"),
                 {{40, 30}, PixelType::rgba8, Border::replicate, {.sigma = 1, .radius = 2}, {8, 8}}, cpu_limits());
  const KernelStep& step_ = std::get<KernelStep>(plan_.steps.front());
  const Point2 block_ = middle_block(step_);
};

TEST_F(KernelMessages, AQuestionArrivesAsItWasAsked) {
  KernelQuestion question = question_about(plan_, step_, KernelRequest::record_thread);
  question.block = {1, 2};
  question.thread = {3, 4};
  question.reads = "pixels";
  const std::string message = to_message(question);
  std::optional<KernelQuestion> read = question_in(message);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_message(*read), message);
  EXPECT_EQ(read->instance, step_.kernel.general.text());
  EXPECT_EQ(read->step.grid, step_.grid);
  EXPECT_EQ(read->plan.tables, plan_.tables);
  EXPECT_EQ(read->reads, "pixels");
  for (const std::size_t length : {std::size_t{0}, message.size() / 2, message.size() - 1})
    EXPECT_FALSE(question_in(std::string_view(message).substr(0, length)));
  EXPECT_FALSE(question_in(message + "x"));
}

TEST_F(KernelMessages, AnAnswerThatIsNotOfThisStepIsRefused) {
  const std::string pixels(40 * 30 * 4, 'p');
  EXPECT_EQ(run_answer(to_answer({.ms = 2, .writes = pixels}), plan_, step_)->ms, 2);
  EXPECT_FALSE(run_answer(to_answer({.ms = 2, .writes = std::string_view(pixels).substr(1)}), plan_, step_));
  EXPECT_FALSE(run_answer(to_answer({.ms = -1, .writes = pixels}), plan_, step_));
  EXPECT_EQ(run_answer(failed_answer("why"), plan_, step_).error().text, "why");

  BlockRecording block = CpuExecutor::record(plan_, step_, block_);
  EXPECT_TRUE(block_answer(to_answer(block), plan_, step_, block_));
  block.written.front().push_back({40, 0});  // not in the picture
  EXPECT_FALSE(block_answer(to_answer(block), plan_, step_, block_));

  const WarpRecording warps = CpuExecutor::record_warps(plan_, step_, block_);
  EXPECT_TRUE(warp_answer(to_answer(warps), plan_, step_, block_));
  const auto refuses = [&](auto change) {
    WarpRecording changed = warps;
    change(changed);
    return !warp_answer(to_answer(changed), plan_, step_, block_);
  };
  EXPECT_TRUE(refuses([](WarpRecording& r) { r.requests.front().site = static_cast<int>(r.sites.size()); }));
  EXPECT_TRUE(refuses([](WarpRecording& r) { r.requests.front().warp = 1; }));
  EXPECT_TRUE(refuses([](WarpRecording& r) { r.requests.back().epoch = -1; }));
  EXPECT_TRUE(refuses([](WarpRecording& r) { r.requests.back().bytes.fill(1 << 20); }));
  EXPECT_TRUE(refuses([](WarpRecording& r) { r.block.x = 1 << 30; }));
  EXPECT_TRUE(refuses([](WarpRecording& r) { r.threads.width = 1 << 20; }));
  EXPECT_TRUE(refuses([](WarpRecording& r) { r.sites.front().space = static_cast<conv_cpu::Space>(7); }));

  ThreadRecording thread = CpuExecutor::record_thread(plan_, step_, block_, {1, 1});
  EXPECT_TRUE(thread_answer(to_answer(thread), plan_, step_, block_, {1, 1}));
  thread.steps.front().part.planes = 0;
  EXPECT_FALSE(thread_answer(to_answer(thread), plan_, step_, block_, {1, 1}));
}

// With some bytes changed: refused, or a recording that can be counted and does no harm.
TEST_F(KernelMessages, ChangedBytesDoNoHarm) {
  std::mt19937 random(1);
  const std::string answers[] = {to_answer(CpuExecutor::record(plan_, step_, block_)),
                                 to_answer(CpuExecutor::record_warps(plan_, step_, block_)),
                                 to_answer(CpuExecutor::record_thread(plan_, step_, block_, {1, 1}))};
  int taken = 0, refused = 0;
  for (int round = 0; round < 600; ++round) {
    std::string message = answers[round % 3];
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes)
      message[random() % (round % 2 ? message.size() : std::min<std::size_t>(message.size(), 400))] =
          static_cast<char>(random());
    bool fits = false;
    if (const auto block = block_answer(message, plan_, step_, block_)) fits = true;
    if (const auto thread = thread_answer(message, plan_, step_, block_, {1, 1})) fits = true;
    if (const auto warps = warp_answer(message, plan_, step_, block_)) {
      fits = true;
      EXPECT_GE(sum_of(*warps, Generation::today).global_read.requests, 0);
      EXPECT_GE(sum_of(*warps, Generation::g80).shared_read.wavefronts, 0);
    }
    ++(fits ? taken : refused);
  }
  EXPECT_GT(taken, 50);
  EXPECT_GT(refused, 50);
}

}  // namespace

}  // namespace conv
