// What warps do to memory: the rules on cases computed by hand, and recordings of all variants.
#define CONV_KERNEL_FILE "kernels/wrong.cu"
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "kernels/core/blocks.h"
#include "kernels/cpu/cpu_executor.h"
#include "kernels/cpu/twins.h"
#include "traced_plans.h"

namespace conv {

namespace {

using conv_cpu::Access;
using conv_cpu::Space;
using conv_cpu::Way;

constexpr auto now = Generation::today, then = Generation::g80;

// A warp whose lane i accesses `bytes` bytes at address(i).
std::vector<LaneAccess> warp(int bytes, auto address, int lanes = 32) {
  std::vector<LaneAccess> list;
  for (int lane = 0; lane < lanes; ++lane) list.push_back({lane, address(lane), bytes});
  return list;
}
// One word per lane, `stride` words apart.
std::vector<LaneAccess> words_apart(int stride, int lanes = 32) {
  return warp(
      4, [&](int lane) { return 4LL * stride * lane; }, lanes);
}
// Two rows of a 16x16 block in a tile whose rows are `pitch` words apart.
std::vector<LaneAccess> two_rows(int pitch) {
  return warp(4, [&](int lane) { return 4LL * (lane / 16 * pitch + lane % 16); });
}

// Banks of today: word w is in bank w % 32.
TEST(SharedMemory, CasesByHand) {
  EXPECT_EQ(wavefronts(now, {}), 0);                 // nobody takes part
  EXPECT_EQ(wavefronts(now, words_apart(1, 1)), 1);  // a single lane
  EXPECT_EQ(wavefronts(now, words_apart(1)), 1);     // words 0 to 31: each bank once
  EXPECT_EQ(wavefronts(now, words_apart(0)), 1);     // one word for all lanes: broadcast
  EXPECT_EQ(wavefronts(now, words_apart(2)), 2);     // words 0, 2, ... 62: the even banks twice
  EXPECT_EQ(wavefronts(now, words_apart(3)), 1);     // pixels of three floats: 3 and 32 have no common factor
  EXPECT_EQ(wavefronts(now, words_apart(32)), 32);   // a column of a 32 wide tile: bank 0 only
  EXPECT_EQ(wavefronts(now, words_apart(33)), 1);    // with one word of padding per row
  EXPECT_EQ(wavefronts(now, words_apart(16)), 16);   // banks 0 and 16
  // 16x16 threads, radius 5: rows of 26 words. Banks 0 to 15, and 26 to 31 with 0 to 9: 0 to 9 are used twice.
  EXPECT_EQ(wavefronts(now, two_rows(26)), 2);
  // Rows of 48 words: banks 0 to 15, and 48 % 32 = 16 to 31.
  EXPECT_EQ(wavefronts(now, two_rows(48)), 1);
  // Rows of 32 words: both rows in banks 0 to 15.
  EXPECT_EQ(wavefronts(now, two_rows(32)), 2);
  // Bytes 0 to 31: 8 words in 8 banks, 4 lanes in each word.
  EXPECT_EQ(wavefronts(now, warp(1, [](int lane) { return lane; })), 1);
  // Every fourth lane has the word 32 later: banks 0, 4, 8 ... have two words.
  EXPECT_EQ(wavefronts(now, warp(4, [](int lane) { return 4LL * (lane + (lane % 8 == 0 ? 32 : 0)); })), 1);
  EXPECT_EQ(wavefronts(now, warp(4, [](int lane) { return 4LL * (lane / 2 + lane % 2 * 32); })), 2);
  // 8 bytes: 16 lanes have 32 words, so half a warp fills the banks.
  EXPECT_EQ(wavefronts(now, warp(8, [](int lane) { return 8LL * lane; })), 2);
  // Every second pair of words: 16 lanes use banks 0, 1, 4, 5 ... twice.
  EXPECT_EQ(wavefronts(now, warp(8, [](int lane) { return 16LL * lane; })), 4);
  // 16 bytes: 8 lanes fill the banks.
  EXPECT_EQ(wavefronts(now, warp(16, [](int lane) { return 16LL * lane; })), 4);
  // The copy engine brings a row of 1024 bytes: 8 times all banks.
  EXPECT_EQ(wavefronts(now, std::vector<LaneAccess>{{0, 0, 1024}}), 8);
}

TEST(SharedMemory, WithoutConflictsThePartsRemain) {
  EXPECT_EQ(least_wavefronts(now, words_apart(32)), 1);
  EXPECT_EQ(least_wavefronts(now, warp(16, [](int) { return 0LL; })), 4);
  EXPECT_EQ(least_wavefronts(now, std::vector<LaneAccess>{{0, 0, 1024}}), 8);
  EXPECT_EQ(least_wavefronts(now, std::vector<LaneAccess>{{0, 64, 576}}), 5);  // 144 words
  EXPECT_EQ(wavefronts(now, std::vector<LaneAccess>{{0, 64, 576}}), 5);
  EXPECT_EQ(least_wavefronts(then, words_apart(16)), 2);
  EXPECT_EQ(least_wavefronts(then, words_apart(1, 16)), 1);
}

TEST(SharedMemory, AStrideConflictsByItsCommonFactorWith32) {
  for (int stride = 1; stride <= 96; ++stride)
    EXPECT_EQ(wavefronts(now, words_apart(stride)), std::gcd(stride, 32)) << stride;
}

TEST(SharedMemory, APermutationOfARowHasNoConflict) {
  std::mt19937 random(1);
  std::vector<int> order(32);
  std::iota(order.begin(), order.end(), 0);
  for (int round = 0; round < 100; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    EXPECT_EQ(wavefronts(now, warp(4, [&](int lane) { return 4LL * order[lane]; })), 1);
  }
}

TEST(SharedMemory, AllBanksFurtherNothingChanges) {
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    std::vector<LaneAccess> lanes = warp(4, [&](int) { return static_cast<long long>(4 * (random() % 200)); });
    const int before = wavefronts(now, lanes), before_then = wavefronts(then, lanes);
    for (LaneAccess& lane : lanes) lane.address += 128;
    EXPECT_EQ(wavefronts(now, lanes), before);
    EXPECT_EQ(wavefronts(then, lanes), before_then);
    EXPECT_GE(distinct_words(lanes), before);
    EXPECT_GE(32 * before, distinct_words(lanes));
  }
}

// A G80 serves half-warps with 16 banks.
TEST(SharedMemory, CasesByHandThen) {
  EXPECT_EQ(wavefronts(then, words_apart(1)), 2);    // two halves
  EXPECT_EQ(wavefronts(then, words_apart(0)), 2);    // broadcast in each half
  EXPECT_EQ(wavefronts(then, words_apart(16)), 32);  // all in bank 0
  EXPECT_EQ(wavefronts(then, words_apart(17)), 2);
  // 8 banks twice: a step serves one lane of each, the next step the others.
  EXPECT_EQ(wavefronts(then, words_apart(2)), 4);
  // 16 bytes are 4 words with 4 lanes each. Steps serve 4 + 3, 3 + 2, 2 + 1 and 1 lanes.
  EXPECT_EQ(wavefronts(then, warp(1, [](int lane) { return lane; })), 8);
  // A row of a 16 wide block is a half-warp: the pitch does not matter.
  EXPECT_EQ(wavefronts(then, two_rows(26)), 2);
  // 8 bytes are two instructions of 4 bytes with a stride of two words.
  EXPECT_EQ(wavefronts(then, warp(8, [](int lane) { return 8LL * lane; })), 8);
}

double efficiency(const GlobalTraffic& traffic) {
  return static_cast<double>(traffic.used_bytes) / static_cast<double>(traffic.moved_bytes);
}

TEST(GlobalMemory, CasesByHand) {
  const auto sectors = [](const auto& lanes) { return global_traffic(now, lanes).transactions; };
  EXPECT_EQ(sectors(words_apart(1)), 4);  // 128 bytes
  EXPECT_EQ(efficiency(global_traffic(now, words_apart(1))), 1);
  // 4 bytes later: bytes 4 to 131 touch sectors 0 to 4.
  const GlobalTraffic shifted = global_traffic(now, warp(4, [](int lane) { return 4LL * lane + 4; }));
  EXPECT_EQ(shifted.transactions, 5);
  EXPECT_DOUBLE_EQ(efficiency(shifted), 128.0 / 160);
  EXPECT_EQ(sectors(words_apart(2)), 8);  // 256 bytes, half of them used
  EXPECT_DOUBLE_EQ(efficiency(global_traffic(now, words_apart(2))), 0.5);
  EXPECT_EQ(sectors(words_apart(0)), 1);
  EXPECT_DOUBLE_EQ(efficiency(global_traffic(now, words_apart(0))), 4.0 / 32);
  EXPECT_EQ(sectors(words_apart(8)), 32);                                      // a sector per lane
  EXPECT_EQ(sectors(warp(4, [](int lane) { return 4LL * (31 - lane); })), 4);  // backwards
  EXPECT_EQ(sectors(warp(1, [](int lane) { return lane; })), 1);               // bytes
  EXPECT_EQ(sectors(warp(8, [](int lane) { return 8LL * lane; })), 8);         // 256 bytes
  EXPECT_EQ(sectors(warp(16, [](int lane) { return 16LL * lane; })), 16);      // 512 bytes
  EXPECT_EQ(sectors(warp(1, [](int lane) { return 3LL * lane; })), 3);         // one channel of RGB8: 96 bytes
  EXPECT_EQ(sectors(two_rows(1920)), 4);                                       // 64 bytes in each of two rows
  EXPECT_EQ(sectors(warp(4, [](int lane) { return 4LL * (lane + lane / 16 * 1904 + 1); })), 6);  // 3 sectors a row
  EXPECT_EQ(sectors(std::vector<LaneAccess>{{0, 0, 1024}}), 32);  // a row by the copy engine
}

TEST(GlobalMemory, CasesByHandThen) {
  const GlobalTraffic aligned = global_traffic(then, words_apart(1));
  EXPECT_EQ(aligned.transactions, 2);  // one of 64 bytes for each half-warp
  EXPECT_EQ(aligned.moved_bytes, 128);
  // Not at a multiple of 64 bytes: each lane gets its own transaction of 32 bytes.
  const GlobalTraffic shifted = global_traffic(then, warp(4, [](int lane) { return 4LL * lane + 4; }));
  EXPECT_EQ(shifted.transactions, 32);
  EXPECT_DOUBLE_EQ(efficiency(shifted), 128.0 / 1024);
  // Two lanes exchanged: lane k no longer has the k-th word.
  EXPECT_EQ(global_traffic(then, warp(4, [](int lane) { return 4LL * (lane ^ 1); })).transactions, 32);
  // Lanes may be missing.
  EXPECT_EQ(global_traffic(then, std::vector<LaneAccess>{{3, 12, 4}, {9, 36, 4}}).transactions, 1);
  EXPECT_EQ(global_traffic(then, warp(8, [](int lane) { return 8LL * lane; })).transactions, 2);    // 128 bytes
  EXPECT_EQ(global_traffic(then, warp(16, [](int lane) { return 16LL * lane; })).transactions, 4);  // 2 for each half
  EXPECT_EQ(global_traffic(then, warp(1, [](int lane) { return lane; })).transactions, 32);  // bytes are not coalesced
}

MemoryTotals sum_of(const WarpRecording& recording) {
  return sum_of(recording, now);
}
double wavefronts_per_read(std::string_view variant, Size2 block, int radius) {
  const LaunchPlan plan = plan_of(variant, block, radius);
  const RequestTotals reads = sum_of(CpuExecutor::record_warps(plan, last_kernel(plan), {20, 20})).shared_read;
  return static_cast<double>(reads.wavefronts) / static_cast<double>(reads.requests);
}

// Rows of 26 and of 20 words overlap in the banks; rows of 32 threads are a warp each.
TEST(WarpRecording, SeesTheConflictsOfSquareBlocks) {
  for (const std::string_view variant : {"tile_linear", "tile_unrolled"})
    for (const int radius : {2, 5}) {
      EXPECT_DOUBLE_EQ(wavefronts_per_read(variant, {16, 16}, radius), 2) << variant;
      EXPECT_DOUBLE_EQ(wavefronts_per_read(variant, {32, 8}, radius), 1) << variant;
    }
}

// All threads of a warp use the same tap at the same time.
TEST(WarpRecording, SeesThatTapsAreBroadcast) {
  for (const std::string_view variant : {"global", "constant", "tile_linear", "separable_tiles"}) {
    const LaunchPlan plan = plan_of(variant, {16, 16}, 5);
    const RequestTotals taps = sum_of(CpuExecutor::record_warps(plan, last_kernel(plan), {20, 20})).taps;
    EXPECT_EQ(taps.requests, variant == "separable_tiles" ? 8 * 11 : 8 * 121) << variant;
    EXPECT_EQ(taps.words, taps.requests) << variant;
    EXPECT_EQ(taps.accesses, 32 * taps.requests) << variant;
  }
}

// 16 floats that begin at a multiple of 8 floats touch 2 sectors, otherwise 3; 1 of the 11 columns is aligned. A warp
// has two rows, and reads its own pixels once more. 32 floats in one row: 4 sectors or 5.
TEST(WarpRecording, SeesTheSectorsOfUnalignedRows) {
  const auto sectors_per_read = [](Size2 block) {
    const LaunchPlan plan = plan_of("global", block, 5);
    const RequestTotals reads = sum_of(CpuExecutor::record_warps(plan, last_kernel(plan), {20, 20})).global_read;
    EXPECT_EQ(reads.requests, 8 * 122);
    return static_cast<double>(reads.sectors) / static_cast<double>(reads.requests);
  };
  EXPECT_DOUBLE_EQ(sectors_per_read({16, 16}), (11 * (10 * 6 + 4) + 4) / 122.0);
  EXPECT_DOUBLE_EQ(sectors_per_read({32, 8}), (11 * (10 * 5 + 4) + 4) / 122.0);
}

// The whitepaper's figure 9: threads that would begin before the apron do nothing, so that the pixels of the tile begin
// at a multiple of 16.
TEST(WarpRecording, SeesTheIdleThreadsThatAlignTheRows) {
  SwitchValues align;
  align.set("align", 1);
  const LaunchPlan plan =
      *plan_of(*find_variant("separable_whitepaper"), PixelType::f32, {16, 16}, 5, Border::replicate, align);
  const auto& rows = std::get<KernelStep>(plan.steps.front());
  const WarpRecording recording = CpuExecutor::record_warps(plan, rows, {1, 20});
  const auto load = std::ranges::find_if(recording.requests, [&](const WarpRequest& r) {
    return recording.sites[r.site].space == Space::global && recording.sites[r.site].access == Access::read;
  });
  const auto first = std::ranges::find_if(load->address, [](long long address) { return address >= 0; });
  const auto idle = first - load->address.begin();
  EXPECT_EQ(idle, 16 - 5);
  EXPECT_EQ((*first - 4 * idle) % 64, 0);  // thread 0 would read at a multiple of 16 pixels
  for (long long lane = idle; lane < rows.block.width; ++lane)
    EXPECT_EQ(load->address[lane], *first + 4 * (lane - idle));
}

// Where the padding's value is used, lanes take no part. The others must stay together: all lanes of a request read the
// same tap's pixel.
TEST(WarpRecording, KeepsLanesTogetherAtTheBorder) {
  const LaunchPlan plan = plan_of("global", {16, 16}, 3, Border::zero);
  const WarpRecording recording = CpuExecutor::record_warps(plan, last_kernel(plan), {0, 0});
  EXPECT_LE(sum_of(recording).global_read.requests, 8 * 50);
  int with_idle_lanes = 0;
  for (const WarpRequest& request : recording.requests) {
    if (recording.sites[request.site].space != Space::global) continue;
    const std::vector<LaneAccess> lanes = request.accesses();
    with_idle_lanes += lanes.size() < 32;
    const auto own_place = [](int lane) { return 4LL * (lane / 16 * 1920 + lane % 16); };
    for (const LaneAccess& lane : lanes)
      EXPECT_EQ(lane.address - own_place(lane.lane), lanes.front().address - own_place(lanes.front().lane));
  }
  EXPECT_GT(with_idle_lanes, 20);
}

KernelStep step_of(conv_cpu::Kernel kernel, Size2 block) {
  KernelStep step;
  step.kernel.cpu = {kernel, kernel};
  step.reads = {ImageRole::source};
  step.writes = {ImageRole::target};
  step.block = block;
  cover(step, block);
  step.shared_bytes = 4096;
  return step;
}
WarpRecording recorded(conv_cpu::Kernel kernel, Size2 block = {32, 1}) {
  const LaunchPlan plan{.format = PixelType::f32, .source = block, .image = block, .tables = {{{1.0f}, {0, 0}}}};
  return CpuExecutor::record_warps(plan, step_of(kernel, block), {0, 0});
}
int lane() {
  return conv_cpu::current_thread->thread.x;
}

// Two branches are two instructions, even if they read the same bytes.
TEST(WarpRecording, DoesNotFoldDivergentCode) {
  const WarpRecording recording = recorded([](ConvArgs) {
    if (lane() % 2 == 0)
      conv_cpu::trace_shared(Access::read, 4 * lane(), 4);
    else
      conv_cpu::trace_shared(Access::read, 4 * lane(), 4);
    conv_cpu::trace_shared(Access::write, 4 * lane(), 4);
  });
  ASSERT_EQ(recording.requests.size(), 3u);
  EXPECT_EQ(recording.requests[0].accesses().size(), 16u);
  EXPECT_EQ(recording.requests[1].accesses().size(), 16u);
  EXPECT_EQ(recording.requests[2].accesses().size(), 32u);
  EXPECT_EQ(recording.sites[recording.requests[2].site].access, Access::write);
  const MemoryTotals sum = sum_of(recording);
  EXPECT_EQ(sum.shared_read.requests, 2);
  EXPECT_EQ(sum.shared_read.idle_lanes, 32);
  EXPECT_EQ(sum.shared_read.wavefronts, 2);
}

// A loop that some lanes leave earlier; after a barrier the lanes are together again.
TEST(WarpRecording, CountsAnewAfterABarrier) {
  const WarpRecording recording = recorded([](ConvArgs) {
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < (lane() < 8 ? 3 : 1); ++i) conv_cpu::trace_shared(Access::read, 4 * (lane() + 32 * i), 4);
      conv_cpu::block_barrier();
    }
  });
  std::vector<std::size_t> lanes;
  for (const WarpRequest& request : recording.requests) lanes.push_back(request.accesses().size());
  EXPECT_EQ(lanes, (std::vector<std::size_t>{32, 8, 8, 32, 8, 8}));
  EXPECT_EQ(recording.epochs(), 2);
}

TEST(WarpRecording, JoinsWhatOneInstructionAccesses) {
  const auto read_words = [](int bytes) {
    for (int i = 0; i < 8; ++i) conv_cpu::trace_shared(Access::read, 32 * lane() + 4 * i, bytes);
  };
  static auto read = read_words;
  const WarpRecording in_words = recorded([](ConvArgs) {
    const conv_cpu::Transfer words(Way::thread, 16);
    read(4);
  });
  EXPECT_EQ(sum_of(in_words).shared_read.requests, 2);  // 32 bytes in words of 16
  const WarpRecording one_by_one = recorded([](ConvArgs) { read(4); });
  EXPECT_EQ(sum_of(one_by_one).shared_read.requests, 8);
  const WarpRecording row = recorded([](ConvArgs) {
    if (lane() > 0) return;
    const conv_cpu::Transfer whole(Way::bulk_copy, conv_cpu::whole_row);
    read(4);
  });
  EXPECT_EQ(sum_of(row).shared_read.requests, 1);
  EXPECT_EQ(row.requests.front().bytes[0], 32);
  EXPECT_EQ(sum_of(row).shared_read.idle_lanes, 0);  // nobody waits for the copy engine
  // A pixel of three floats takes three instructions.
  const WarpRecording three = recorded([](ConvArgs) { conv_cpu::trace_shared(Access::read, 12 * lane(), 12); });
  EXPECT_EQ(sum_of(three).shared_read.requests, 3);
  EXPECT_EQ(sum_of(three).shared_read.wavefronts, 3);
}

// Lanes leave out runs of a loop, or run an inner loop less often than others: they are in step again in the next run.
// The counts agree with Nsight Compute's on an H100: 36.4 wavefronts a block, 841.7, 54.3 and 42 requests.
TEST(WarpRecording, KeepsLanesInStepInLoops) {
  const auto sum = [](std::string_view variant, Size2 block) {
    const LaunchPlan plan = plan_of(variant, block, 5);
    return sum_of(CpuExecutor::record_warps(plan, last_kernel(plan), {20, 20}));
  };
  // 18 rows of 42 pixels: one request for 32, one for the other 10.
  const RequestTotals nested = sum("tile_nested", {32, 8}).shared_write;
  EXPECT_EQ(nested.requests, 36);
  EXPECT_EQ(nested.wavefronts, 36);
  EXPECT_EQ(nested.accesses, 42 * 18);
  // Two adjacent rows of 16 pixels have no conflict, whichever lanes take part.
  const RequestTotals no_apron = sum("tile_no_apron", {16, 16}).shared_read;
  EXPECT_EQ(no_apron.wavefronts, no_apron.requests);
  // Nine squares: 8 warps store the middle and the ones at its sides, those of 5 rows above and below 3 warps each.
  EXPECT_EQ(sum("tile_nine_squares", {16, 16}).shared_write.requests, 3 * (8 + 3 + 3));
}

// A row of 5 + 128 + 5 pixels with 4 a lane: from each side a lane needs the 4 pixels of the next one and 1 of that
// behind it.
TEST(WarpRecording, CountsShufflesAndProductsWithoutMemory) {
  const auto recorded = [](std::string_view variant) {
    const LaunchPlan plan = plan_of(variant, {16, 16}, 5);
    return CpuExecutor::record_warps(plan, last_kernel(plan), middle_block(last_kernel(plan)));
  };
  const WarpRecording rows = recorded("direct_shuffle");
  EXPECT_EQ(rows.shuffles, 2 * (4 + 1) * sum_of(rows).global_read.requests);
  EXPECT_EQ(rows.matrix_products, 0);
  EXPECT_GT(recorded("separable_tensor").matrix_products, 0);
  EXPECT_EQ(recorded("tile_linear").shuffles, 0);
}

// Nsight Compute counts taps in global memory among its loads: 104 sectors of pixels, 968 of taps, 1071.8 seen.
TEST(WarpRecording, CountsSectorsOfTapsInGlobalMemory) {
  const auto sum = [](std::string_view variant) {
    const LaunchPlan plan = plan_of(variant, {16, 16}, 5);
    return sum_of(CpuExecutor::record_warps(plan, last_kernel(plan), {20, 20}));
  };
  EXPECT_EQ(sum("tile_nine_squares").taps.sectors, 8 * 121);  // one for each request
  EXPECT_EQ(sum("tile_linear").taps.requests, 8 * 121);
  EXPECT_EQ(sum("tile_linear").taps.sectors, 0);     // in constant memory
  EXPECT_EQ(sum("direct_shuffle").taps.sectors, 0);  // in the code that is compiled for this job
}

class EveryKernel : public testing::TestWithParam<const Variant*> {};

// The bytes that all lanes access are those that the block's recording counts pixel by pixel, and the plan announces.
TEST_P(EveryKernel, AccessesWhatTheBlockDoes) {
  const Variant& variant = *GetParam();
  for (const Size2 block : block_presets) {
    if (is_sanitized && block.height != 16) continue;
    for (const PixelType format : {PixelType::f32, PixelType::rgba8}) {
      const Result<LaunchPlan> made = plan_of(variant, format, block, 5, Border::replicate);
      if (!made) continue;
      const LaunchPlan& plan = *made;
      for (const Step& any_step : plan.steps) {
        const auto* step = std::get_if<KernelStep>(&any_step);
        if (!step) continue;
        const Point2 middle = middle_block(*step);
        const WarpRecording recording = CpuExecutor::record_warps(plan, *step, middle);
        const BlockRecording counted = CpuExecutor::record(plan, *step, middle);
        ASSERT_TRUE(recording.complete);
        long long read = 0, written = 0, taps = 0, shared_end = 0;
        for (const WarpRequest& request : recording.requests) {
          const AccessSite& site = recording.sites[request.site];
          for (const LaneAccess& lane : request.accesses()) {
            if (site.space == Space::taps) ++taps;
            if (site.space == Space::shared) shared_end = std::max(shared_end, lane.address + lane.bytes);
            if (site.space == Space::global) (site.access == Access::read ? read : written) += lane.bytes;
          }
        }
        const auto bytes_of = [&](ImageRef ref) { return info(plan.type_of(ref)).bytes; };
        const std::string what =
            fmt::format("{} {} {} {}x{}", variant.id, step->title, info(format).id, block.width, block.height);
        const long long pixels = counted.source_reads * bytes_of(step->reads);
        EXPECT_LE(read, pixels) << what;
        // These read some pixels channel by channel.
        const bool by_channels = variant.id == "tile_batched" || variant.id == "fft";
        EXPECT_GE(read, by_channels ? pixels / info(plan.type_of(step->reads)).channels : pixels) << what;
        EXPECT_EQ(written, counted.target_writes * bytes_of(step->writes)) << what;
        EXPECT_EQ(taps, counted.tap_reads) << what;
        EXPECT_EQ(shared_end, counted.shared_bytes) << what;
        EXPECT_LE(shared_end, step->shared_bytes) << what;
      }
    }
  }
}
ThreadRecording recorded_thread(conv_cpu::Kernel kernel, Point2 thread) {
  const LaunchPlan plan{.format = PixelType::f32, .source = {32, 1}, .image = {32, 1}, .tables = {{{1.0f}, {0, 0}}}};
  return CpuExecutor::record_thread(plan, step_of(kernel, {32, 1}), {0, 0}, thread);
}

TEST(ThreadRecording, HasOneThreadsAccessesInOrder) {
  const ThreadRecording recording = recorded_thread(
      [](ConvArgs) {
        conv_cpu::trace_question(lane() - 1, 0);
        conv_cpu::trace_pixel(Access::read, conv_cpu::whole_pixel<float>, std::max(0, lane() - 1), 0, 32, 1);
        conv_cpu::trace_shared(Access::write, 4 * lane(), 4);
        conv_cpu::block_barrier();
        conv_cpu::trace_tap(0, nullptr), conv_cpu::trace_shared(Access::read, 4 * (lane() + 3), 4);
        conv_cpu::trace_tap(0, nullptr);
        conv_cpu::trace_shared(Access::write, 4 * lane(), 4);  // a sum, not a copy
        conv_cpu::trace_shared(Access::read, 4 * lane(), 4);
        conv_cpu::trace_pixel(Access::write, conv_cpu::whole_pixel<float>, lane(), 0, 32, 1);
      },
      {0, 0});
  ASSERT_EQ(recording.steps.size(), 7u);
  const auto& steps = recording.steps;
  EXPECT_EQ(steps[0].asked, (Point2{-1, 0}));
  EXPECT_EQ(steps[0].pixel, (Point2{0, 0}));
  EXPECT_EQ(steps[1].holds, (Point2{-1, 0}));
  EXPECT_EQ(steps[1].epoch, 0);
  // One line reads a tap and the pixel that lane 3 has stored.
  EXPECT_EQ(steps[2].space, Space::shared);
  EXPECT_EQ(steps[2].tap, 0);
  EXPECT_EQ(steps[2].holds, (Point2{2, 0}));
  EXPECT_EQ(steps[2].epoch, 1);
  EXPECT_EQ(steps[3].space, Space::taps);
  EXPECT_EQ(steps[5].holds, std::nullopt);
  EXPECT_EQ(steps[5].tap, std::nullopt);
  EXPECT_EQ(steps[6].access, Access::write);
  EXPECT_EQ(steps[6].pixel, (Point2{0, 0}));
}

// Where a line of the kernel multiplies a pixel by a tap, the pixel is the tap's distance from one that the thread
// writes. This finds the pixel through shared memory, too.
TEST_P(EveryKernel, MultipliesEachTapByItsPixel) {
  const Variant& variant = *GetParam();
  const Result<LaunchPlan> made = plan_of(variant, PixelType::f32, {16, 16}, 2, Border::mirror);
  if (!made) GTEST_SKIP() << made.error().text;
  for (const Step& any_step : made->steps) {
    const auto* step = std::get_if<KernelStep>(&any_step);
    if (!step || step->second_stage_bytes > 0) continue;  // their first stage is for other pixels
    const BlockRecording block = CpuExecutor::record(*made, *step, {0, 0});
    const Size2 radius = made->tables[step->taps].radius;
    const int columns = 2 * radius.width + 1;
    for (const std::size_t thread : {0u, 17u}) {
      const std::vector<Point2>& written = block.written[thread];
      const int width = step->block.width, id = static_cast<int>(thread);
      std::set<int> taps;
      for (const ThreadStep& s : CpuExecutor::record_thread(*made, *step, {0, 0}, {id % width, id / width}).steps) {
        if (!s.tap || s.space == Space::taps) continue;
        if (s.space == Space::shared && !s.holds) continue;  // a result, not a copy
        taps.insert(*s.tap);
        const Point2 read = s.space == Space::shared ? *s.holds : s.asked;
        const Point2 centre{read.x - step->origin.x - *s.tap % columns + radius.width,
                            read.y - step->origin.y - *s.tap / columns + radius.height};
        EXPECT_TRUE(std::ranges::find(written, centre) != written.end())
            << fmt::format("{}: thread {} multiplies tap {} by ({}, {})", to_text(s.line), id, *s.tap, read.x, read.y);
      }
      // tile_no_apron leaves out what is not in the tile.
      const bool all_taps = variant.id == "global" || variant.id == "constant" ||
                            (variant.id.starts_with("tile_") && variant.id != "tile_no_apron");
      if (all_taps && !written.empty()) {
        EXPECT_EQ(taps.size(), made->tables[step->taps].values.size()) << id;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryKernel, testing::ValuesIn(variants_with_kernels()),
                         [](const auto& param) { return test_name(param.param->id); });

}  // namespace

}  // namespace conv
