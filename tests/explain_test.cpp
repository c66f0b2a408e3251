// Explaining a measured time: from counts computed by hand.
#include <gmock/gmock.h>

#include "app/check/issued_instructions.h"
#include "app/measure/explanation.h"
#include "kernels/core/registry.h"
#include "kernels/variants/support/plan_job.h"
#include "support.h"

namespace conv {

namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

// A GPU with round rates: per ms 1000 wavefronts (of 128 bytes) and 10 000 instructions (of 64 operations).
const Ceilings round_rates{.copy_gb_per_s = 100,
                           .cached_copy_gb_per_s = 1000,
                           .shared_gb_per_s = 0.128,
                           .gflop_per_s = 0.64,
                           .launch_us = 5,
                           .cache_bytes = 1'000'000};

// One block: 100 requests of shared memory in 200 wavefronts, and 1000 instructions.
StepCounts some_counts() {
  StepCounts counts{.title = "kernel", .blocks = 1, .warps = 10, .least_wavefronts = 100};
  counts.totals.shared_read = {.requests = 100, .wavefronts = 200};
  counts.issued = IssuedInstructions{.all = 1000, .multiply_adds = 300, .accesses = 100};
  return counts;
}

double part(const Explanation& all, Limit limit, std::size_t step = 0) {
  return all.steps[step].times[static_cast<std::size_t>(limit)].ms.value_or(-1);
}

TEST(Explain, EachPartByHand) {
  StepCounts counts = some_counts();
  counts.cost.compulsory_bytes = 2'000'000;                     // 0.02 ms at 100 GB/s
  counts.sectors = 31'250;                                      // 1 000 000 bytes: 0.001 ms at 1000 GB/s
  counts.totals.global_read = {.requests = 10, .sectors = 80};  // 20 wavefronts: 4 sectors each
  counts.totals.global_write = {.requests = 5, .sectors = 4};   // at least one each
  counts.totals.taps = {.requests = 7};                         // in constant memory: none
  counts.waves = 2.5;
  const Explanation all = explain({&counts, 1}, round_rates, 0.3, true);
  EXPECT_DOUBLE_EQ(part(all, Limit::memory), 0.02);
  EXPECT_DOUBLE_EQ(part(all, Limit::cache), 0.001);
  EXPECT_DOUBLE_EQ(part(all, Limit::wavefronts), 0.225);
  EXPECT_DOUBLE_EQ(part(all, Limit::instructions), 0.1);
  EXPECT_DOUBLE_EQ(part(all, Limit::tail), 0.225 * 0.2);  // 3 waves for 2.5
  EXPECT_DOUBLE_EQ(part(all, Limit::launch), 0.005);
  EXPECT_DOUBLE_EQ(all.counted_ms, 0.225 + 0.045 + 0.005);
  EXPECT_TRUE(all.explains);
  EXPECT_EQ(all.verdict, "Limited by shared memory and L1: 75 % of the time, and last wave: 15 %.");
  // Images that fit in half of the cache do not wait for memory; launches that follow each other have no launch time.
  counts.cost.compulsory_bytes = 400'000;
  const Explanation cached = explain({&counts, 1}, round_rates, 0.3, false);
  EXPECT_EQ(part(cached, Limit::memory), 0);
  EXPECT_EQ(part(cached, Limit::launch), 0);
}

TEST(Explain, SaysUnexplained) {
  StepCounts counts = some_counts();  // 0.2 ms
  EXPECT_TRUE(explain({&counts, 1}, round_rates, 0.26, false).explains);
  const Explanation slower = explain({&counts, 1}, round_rates, 0.28, false);
  EXPECT_FALSE(slower.explains);
  EXPECT_EQ(
      slower.verdict,
      "Unexplained: of the counted parts, shared memory and L1 is the largest, with 71 % of the time. Waiting for "
      "results and at barriers is not counted.");
  EXPECT_TRUE(explain({&counts, 1}, round_rates, 0.17, false).explains);
  EXPECT_EQ(explain({&counts, 1}, round_rates, 0.15, false).verdict,
            "Unexplained: the counted work should take longer than was measured.");
  counts.issued.reset();
  const Explanation uncounted = explain({&counts, 1}, round_rates, 0.4, false);
  EXPECT_THAT(uncounted.verdict, HasSubstr("instructions could not be counted"));
  EXPECT_FALSE(uncounted.steps[0].times[static_cast<std::size_t>(Limit::instructions)].ms);
  counts.through_texture = true;
  EXPECT_THAT(explain({&counts, 1}, round_rates, 0.4, false).verdict, HasSubstr("texture unit"));
}

// A hint says what was counted, what it could gain at most, and what was measured.
TEST(Explain, PricesHints) {
  const StepCounts counts = some_counts();
  // Without conflicts 100 wavefronts less: 0.1 ms. Then the instructions take 0.1 ms, so 0.21 ms becomes 0.11 at best.
  const OtherBlock others[] = {{{32, 8}, 0.22, 1.0}, {{8, 8}, 0.05, 1.99}};
  const Explanation all = explain({&counts, 1}, round_rates, 0.21, false, others);
  ASSERT_THAT(all.hints, SizeIs(2));
  EXPECT_EQ(all.hints[0].counted,
            "Bank conflicts: 2.00 wavefronts per request of shared memory, 1.00 without conflicts.");
  EXPECT_DOUBLE_EQ(all.hints[0].at_most_ms, 0.1);
  EXPECT_EQ(all.hints[0].measured, "block 32×8 has 1.00 and takes 0.22 ms: 5 % slower");
  EXPECT_EQ(all.hints[1].counted,
            "Addresses, loops and borders: of 100 instructions of a warp, 30 are multiply-adds and 10 access memory.");
  EXPECT_NEAR(all.hints[1].at_most_ms, 0.01, 1e-9);  // the wavefronts take 0.2 of the 0.21 ms
  EXPECT_EQ(explain({&counts, 1}, round_rates, 0.21, false).hints[0].measured,
            "not measured with a block that has fewer");
}

TEST(Explain, AddsSteps) {
  StepCounts rows = some_counts(), columns = some_counts();
  rows.title = "rows";
  columns.title = "columns";
  columns.totals.shared_read.wavefronts = 50;
  columns.issued->all = 1500;
  const StepCounts both[] = {rows, columns};
  const Explanation all = explain(both, round_rates, 0.36, false);
  EXPECT_DOUBLE_EQ(all.counted_ms, 0.2 + 0.15);
  EXPECT_EQ(all.verdict, "Limited by shared memory and L1: 56 % of the time, and instructions: 42 %.");
  EXPECT_THAT(all.hints[0].counted, StartsWith("columns: Addresses"));
  EXPECT_THAT(all.hints[1].counted, StartsWith("rows: Bank conflicts"));
}

// A line of machine code, as nvdisasm writes it.
void add(CompiledText& code, const std::string& text, int line) {
  code.text += text.starts_with(".L") ? text + ":\n" : "        /*0000*/                   " + text + " ;\n";
  code.lines.push_back(line);
  code.innermost.push_back(line);
}

// The loop of line 8 reads shared memory eleven times. The compiler has unrolled it: two turns of four, and three
// copies for the rest.
TEST(IssuedInstructions, SharesAccessesAmongCopiesOfTheLoop) {
  CompiledText code;
  add(code, "S2R R0, SR_TID.X", 7);  // once
  add(code, ".L_x_1", 0);
  for (int i = 0; i < 4; ++i) {
    add(code, "LDS R1, [R2]", 8);
    add(code, "FFMA R3, R1, R4, R3", 8);
  }
  add(code, "@P0 BRA `(.L_x_1)", 8);  // 9 instructions, twice
  for (int i = 0; i < 3; ++i) {       // 3 each, once
    add(code, "LDS R1, [R2]", 8);
    add(code, "FFMA R3, R1, R4, R3", 8);
    add(code, "@P1 BRA `(.L_x_2)", 8);
  }
  add(code, ".L_x_2", 0);
  add(code, "STG.E desc[UR4][R6.64], R3", 9);
  add(code, "EXIT", 9);
  add(code, ".L_x_3", 0);
  add(code, "BRA `(.L_x_3)", 9);  // not reached
  add(code, "NOP", 9);
  WarpRecording recording{.threads = {32, 1}};
  recording.sites = {
      {{"/home/kernels/f.cu", 8}, conv_cpu::Space::shared, conv_cpu::Access::read, conv_cpu::Way::thread, 4, 8, 11},
      {{"/home/kernels/f.cu", 9}, conv_cpu::Space::global, conv_cpu::Access::write, conv_cpu::Way::thread, 4, 0, 0}};
  recording.loop_runs = {{8, 11}};
  for (int i = 0; i < 12; ++i) {
    WarpRequest& request = recording.requests.emplace_back();
    request.site = i == 11;
    request.bytes.fill(4);
  }
  const auto issued = issued_instructions(code, "kernels/f.cu", recording);
  ASSERT_TRUE(issued);
  EXPECT_DOUBLE_EQ(issued->all, 1 + 2 * 9 + 3 * 3 + 2);
  EXPECT_DOUBLE_EQ(issued->multiply_adds, 11);
  EXPECT_DOUBLE_EQ(issued->accesses, 12);
  // An access in a function of another file: no part of the code is known to make it.
  EXPECT_FALSE(issued_instructions(code, "kernels/g.cu", recording));
}

// The tile of tile_nested at radius 5 has rows of 26 words: two rows of 16 lanes use ten banks twice.
TEST(StepCounts, OfARealKernel) {
  const auto counts_at = [](Size2 block) {
    const auto taps = std::make_shared<const Taps>(*taps_of({.sigma = 2, .radius = 5}));
    const auto plan = plan_job(*find_variant("tile_nested"), {256, 256},
                               {.taps = taps, .format = PixelType::f32, .block = block}, cpu_limits());
    return counts_of(*plan, std::get<KernelStep>(plan->steps[0]), nullptr);
  };
  const StepCounts square = counts_at({16, 16}), wide = counts_at({32, 8});
  EXPECT_EQ(square.blocks, 256);
  EXPECT_EQ(square.warps, 8);
  EXPECT_GT(square.totals.shared_read.wavefronts, 1.9 * static_cast<double>(square.totals.shared_read.requests));
  EXPECT_EQ(wide.totals.shared_read.wavefronts, wide.totals.shared_read.requests);
  EXPECT_EQ(square.least_wavefronts, square.shared_requests());
  // Words 123 to 148 of 26 rows are in sectors 15 to 18; 16 words of 16 rows are written.
  EXPECT_EQ(square.sectors, 26 * 4 + 16 * 2);
  EXPECT_FALSE(square.issued);
  const Traffic traffic = traffic_of(std::span(&square, 1));
  EXPECT_EQ(traffic.shared, 256. * 128 * static_cast<double>(square.shared_wavefronts()));
  EXPECT_EQ(traffic.l2, 256. * 32 * (26 * 4 + 16 * 2));
  EXPECT_EQ(traffic.memory, 2 * 256 * 256 * 4);
  // Without a tile, each request reads a row of 16 words for each of two rows of lanes.
  const auto taps = std::make_shared<const Taps>(*taps_of({.sigma = 2, .radius = 5}));
  const auto plan =
      plan_job(*find_variant("constant"), {256, 256}, {.taps = taps, .format = PixelType::f32}, cpu_limits());
  const StepCounts direct = counts_of(*plan, std::get<KernelStep>(plan->steps[0]), nullptr);
  const Traffic untiled = traffic_of(std::span(&direct, 1));
  EXPECT_EQ(untiled.shared, 0);
  EXPECT_EQ(untiled.l2, traffic.l2);
  // Of 11 steps along a row, one begins at a sector and needs 2 of them, the others 3. There are 11 steps down and 16
  // rows of lanes. At the end each thread reads its own pixel once more, and writes it.
  EXPECT_EQ(untiled.l1, 256. * 32 * ((2 + 10 * 3) * 11 * 16 + 16 * 2 + 16 * 2));
}

}  // namespace

}  // namespace conv
