// What warps do to memory: the rules on cases computed by hand, and recordings of all variants.
#define CONV_KERNEL_FILE "kernels/wrong.cu"
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "app/check/block_shapes.h"
#include "app/check/followed_thread.h"
#include "app/model/settings.h"
#include "kernels/core/blocks.h"
#include "kernels/cpu/twins.h"
#include "support.h"

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

constexpr Size2 image{1920, 1080};

// Fails for blocks that the variant cannot have.
Result<LaunchPlan> plan_of(const Variant& variant, PixelType format, Size2 block, int radius, Border border) {
  FilterSpec filter{.kind = variant.needs_equal_taps ? FilterKind::box : FilterKind::gaussian, .radius = radius};
  if (variant.fuses_edges) filter.kind = FilterKind::edges;
  ConvSettings settings;
  settings.taps = std::make_shared<const Taps>(*taps_of(filter));
  settings.format = format;
  settings.border = border;
  settings.block = block;
  return plan_job(variant, image, settings, cpu_limits());
}
LaunchPlan plan_of(std::string_view id, Size2 block, int radius, Border border = Border::replicate) {
  return *plan_of(*find_variant(id), PixelType::f32, block, radius, border);
}

const KernelStep& last_kernel(const LaunchPlan& plan) {
  return std::get<KernelStep>(plan.steps.back());
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

// Nsight Compute counts taps in global memory among its loads: 104 sectors of pixels, 968 of taps, 1071.8 seen.
TEST(WarpRecording, CountsSectorsOfTapsInGlobalMemory) {
  const auto sum = [](std::string_view variant) {
    const LaunchPlan plan = plan_of(variant, {16, 16}, 5);
    return sum_of(CpuExecutor::record_warps(plan, last_kernel(plan), {20, 20}));
  };
  EXPECT_EQ(sum("tile_nine_squares").taps.sectors, 8 * 121);  // one for each request
  EXPECT_EQ(sum("tile_linear").taps.requests, 8 * 121);
  EXPECT_EQ(sum("tile_linear").taps.sectors, 0);  // in constant memory
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
std::vector<const Variant*> variants_with_kernels() {
  std::vector<const Variant*> list;
  for (const Variant* variant : variants())
    if (variant->group != VariantGroup::cpu && !variant->chooses) list.push_back(variant);
  return list;
}
// What the panel shows at the last request of each warp adds up to the totals of the block.
TEST(TracedBlock, TheLastRequestsHaveTheTotals) {
  for (const std::string_view variant : {"tile_linear", "separable_stream"}) {
    const auto plan = std::make_shared<const LaunchPlan>(plan_of(variant, {16, 16}, 3));
    const TracedBlock block = traced_block({plan, &last_kernel(*plan), {2, 0}});
    EXPECT_EQ(block.question.block, (Point2{2, 0}));
    for (const MemoryRules& rules : memory_rules) {
      MemoryTotals phases, warps;
      for (const TracedPhase& phase : block.by(rules.generation).phases) phases.add(phase.totals);
      for (int warp = 0; warp < block.recording.warps(); ++warp)
        warps.add(totals_until(block, warp, block.requests_of(warp), rules.generation));
      for (const auto kind : {&MemoryTotals::shared_read, &MemoryTotals::shared_write, &MemoryTotals::global_read,
                              &MemoryTotals::global_write, &MemoryTotals::taps}) {
        EXPECT_EQ((phases.*kind).requests, (warps.*kind).requests);
        EXPECT_EQ((phases.*kind).wavefronts, (warps.*kind).wavefronts);
        EXPECT_EQ((phases.*kind).sectors, (warps.*kind).sectors);
        EXPECT_EQ((phases.*kind).idle_lanes, (warps.*kind).idle_lanes);
      }
      EXPECT_GT(phases.global_write.requests, 0);
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
        conv_cpu::trace_tap(0), conv_cpu::trace_shared(Access::read, 4 * (lane() + 3), 4);
        conv_cpu::trace_tap(0);
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

FollowedThread follow(const LaunchPlan& plan, Point2 block, Point2 pixel) {
  const auto shared = std::make_shared<const LaunchPlan>(plan);
  return followed_thread({{shared, &last_kernel(*shared), block}, pixel});
}

// 1080 is no multiple of 16: the blocks have 1088 rows, and the test of the coordinates switches off 8 rows of 1920
// threads.
TEST(FollowedThread, ComesFromTheGridAndItsBlock) {
  const FollowedThread thread = follow(plan_of("tile_linear", {16, 16}, 2), {60, 33}, {963, 540});
  EXPECT_EQ(thread.recording.thread, (Point2{3, 12}));
  EXPECT_THAT(origin_of(thread), testing::ElementsAre("thread (3, 12) of block (60, 33)",
                                                      "grid: ceil(1920 / 16) = 120 by ceil(1080 / 16) = 68 blocks",
                                                      "x = 60·16 + 3 = 963, y = 33·16 + 12 = 540",
                                                      "15360 of 2088960 threads write no pixel"));
}

// 20x20 pixels are loaded by 256 threads, so thread 0 loads number 0 and 256: row 12, column 16.
TEST(FollowedThread, GoesFromPositionToTileToMemory) {
  const FollowedThread thread = follow(plan_of("tile_linear", {16, 16}, 2), {0, 0}, {0, 0});
  const std::vector<ThreadStep>& steps = thread.recording.steps;
  ASSERT_EQ(steps.size(), 2u + 2 + 25 + 1 + 1);
  EXPECT_THAT(text_of(thread, steps[0]),
              testing::ElementsAre("reads pixel (-2, -2)", "outside the image: Replicate padding takes (0, 0)",
                                   "column -2 + 2 = 0, row -2 + 2 = 0 of the tile with its apron",
                                   "memory index 0·1920 + 0 = 0", "byte 4·0 = 0"));
  EXPECT_THAT(
      text_of(thread, steps[2]),
      testing::ElementsAre("reads pixel (14, 10)", "column 14 + 2 = 16, row 10 + 2 = 12 of the tile with its apron",
                           "memory index 10·1920 + 14 = 19214", "byte 4·19214 = 76856"));
  const auto last_tap = std::ranges::find_if(steps, [](const ThreadStep& step) { return step.tap == 24; });
  const std::vector<std::string> text = text_of(thread, *last_tap);
  EXPECT_TRUE(text[0].starts_with("reads shared memory, times tap 24 = 0.0"));
  EXPECT_TRUE(text[0].ends_with("(row 4, column 4)"));
  EXPECT_THAT(std::vector(text.begin() + 1, text.end()),
              testing::ElementsAre("source pixel (2, 2)", "column 2 + 2 = 4, row 2 + 2 = 4 of the tile with its apron",
                                   "byte 336, word 84, bank 20"));  // 4 · (4 · 20 + 4)
  EXPECT_THAT(text_of(thread, steps.back()),
              testing::ElementsAre("writes pixel (0, 0)", "memory index 0·1920 + 0 = 0", "byte 4·0 = 0"));
}

TEST(FollowedThread, FindsAPlane) {
  const LaunchPlan plan = *plan_of(*find_variant("global"), PixelType::rgb32f_soa, {16, 16}, 1, Border::zero);
  const FollowedThread thread = follow(plan, {0, 0}, {0, 5});
  const std::vector<ThreadStep>& steps = thread.recording.steps;
  EXPECT_THAT(text_of(thread, steps[0])[1], "outside the image: the value of the padding, Zero");
  EXPECT_THAT(text_of(thread, steps[1]),
              testing::ElementsAre(
                  testing::StartsWith("reads pixel (0, 4), times tap 1 = 0."), "memory index 4·1920 + 0 = 7680",
                  "SoA: in each of 3 planes, plane c begins 2073600·c pixels later", "byte 4·7680 = 30720 of a plane"));
}

ShapesQuestion question_of(const char* a, const char* b, int radius) {
  const FilterSpec filter{.radius = radius};
  const auto inputs = [&](const char* variant) {
    return PlanInputs{
        .lane = {.variant = variant, .format = PixelType::f32}, .filter = filter, .border = Border::replicate};
  };
  return {{inputs(a), inputs(b)}, {1920, 1080}, std::make_shared<const Taps>(*taps_of(filter))};
}

// 121 taps and the pixel itself are read by 8 warps. Two rows of 16 lanes conflict, a row of 32 does not.
TEST(BlockShapes, CountWhatEachShapeMovesForAPixel) {
  const BlockShapes shapes = *block_shapes(question_of("tile_linear", "global", 5), {});
  const auto cost = [&](int lane, Size2 block) {
    return *std::ranges::find(shapes.lanes[static_cast<std::size_t>(lane)], block, &ShapeCost::block);
  };
  EXPECT_EQ(shapes.lanes[0].size(), std::size(block_presets));
  EXPECT_EQ(cost(0, {16, 16}).written, 256);
  EXPECT_EQ(cost(0, {16, 16}).totals.shared_read.wavefronts, 122 * 8 * 2);
  EXPECT_EQ(cost(0, {32, 8}).totals.shared_read.wavefronts, 122 * 8);
  const ShapeCost square = cost(0, {16, 16});
  EXPECT_DOUBLE_EQ(square.wavefronts(), (122 * 8 * 2 + square.totals.shared_write.wavefronts) / 256.0);
  EXPECT_EQ(cost(1, {32, 8}).wavefronts(), 0);
  EXPECT_LT(cost(1, {32, 8}).sectors(), cost(1, {8, 8}).sectors());
  EXPECT_GT(cost(1, {32, 8}).sectors(), 10 * cost(0, {32, 8}).sectors());
}

TEST(BlockShapes, LeaveOutWhatIsRefusedAndStop) {
  // One thread per load: 32x32 pixels and their apron need 36x36 threads, more than a block may have.
  const ShapesQuestion question = question_of("tile_thread_per_load", "cpu_separable", 2);
  const BlockShapes shapes = *block_shapes(question, {});
  EXPECT_LT(shapes.lanes[0].size(), std::size(block_presets));
  EXPECT_FALSE(shapes.lanes[0].empty());
  EXPECT_TRUE(shapes.lanes[1].empty());  // no kernel
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(block_shapes(question, stopped.get_token()));
}

TEST_P(EveryKernel, IsFollowedInWords) {
  const Variant& variant = *GetParam();
  const Result<LaunchPlan> made = plan_of(variant, PixelType::rgba8, {16, 16}, 2, Border::mirror);
  if (!made) GTEST_SKIP() << made.error().text;
  const auto plan = std::make_shared<const LaunchPlan>(*made);
  for (const Step& any_step : plan->steps) {
    const auto* step = std::get_if<KernelStep>(&any_step);
    if (!step) continue;
    const FollowedThread thread = followed_thread({{plan, step, {0, 0}}, Point2{3, 5}});
    EXPECT_GE(origin_of(thread).size(), 1u);
    ASSERT_FALSE(thread.recording.steps.empty());
    for (const ThreadStep& s : thread.recording.steps) EXPECT_GE(text_of(thread, s).size(), 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryKernel, testing::ValuesIn(variants_with_kernels()),
                         [](const auto& param) { return test_name(param.param->id); });

}  // namespace

}  // namespace conv
