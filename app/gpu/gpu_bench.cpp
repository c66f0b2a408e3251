#include "app/measure/gpu_bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <numeric>

#include "app/check/check_cases.h"
#include "app/gpu/headless_executor.h"
#include "app/measure/turn.h"
#include "kernels/gpu/gpu_clock.h"
#include "kernels/ops/ceilings.h"

namespace conv {

namespace {

constexpr std::chrono::seconds longest_cool_down{60};
constexpr int most_pairs = 1024;  // of rotated buffers
constexpr float long_ms = 5;      // longer launches find the same cache state without another launch before them
constexpr int three = 3;          // runs of BenchClock::host
constexpr int ten = 10;           // launches of BenchClock::mean_of_10

using Steady = std::chrono::steady_clock;
float ms_since(Steady::time_point start) {
  return std::chrono::duration<float, std::milli>(Steady::now() - start).count();
}

float mean(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0f) / static_cast<float>(values.size());
}

// The time between two marks; the timer must have nothing in flight.
Result<float> timed(GpuExecutor& gpu, EventTimer& timer, const std::function<Result<void>()>& work) {
  CONV_TRY(timer.around(gpu.stream(), work));
  CONV_TRY(gpu.finish());
  const auto spans = CONV_TRY(timer.poll());
  return spans->front().ms();
}

// A row with what its launches need on the device.
struct GpuEntry {
  BenchEntry& entry;
  // What one launch reads, writes and uses as scratch. Warm launches share one; cold launches rotate.
  struct Pair {
    DeviceImage source, target;
    Workspace workspace;
  };
  std::vector<Pair> pairs;
  std::shared_ptr<const HostImage> host;  // for plans that begin in host memory
  Replay replay;
  EventTimer timer;
  float turn_ms = 0;  // per launch, in the current round

  Result<void> launch(GpuExecutor& gpu, std::size_t number = 0) {
    Pair& pair = pairs[number];
    const auto enqueued = gpu.enqueue({}, entry.plan, pair.workspace, pair.source, pair.target, host);
    return enqueued ? Result<void>{} : tl::unexpected(enqueued.error());
  }
  // The launches of a sample.
  Result<void> launch_all(GpuExecutor& gpu) {
    for (int i = 0; i < entry.row.launches; ++i) CONV_TRY(launch(gpu, static_cast<std::size_t>(i) % pairs.size()));
    return {};
  }
  bool brings_events() const { return entry.row.transfers || entry.plan->spread(); }
  // NPP ends the program if it cannot allocate memory, for example while launches are recorded.
  bool recordable() const { return !std::holds_alternative<NppStep>(entry.plan->steps.front()); }
};

class CudaBench final : public GpuBench {
 public:
  explicit CudaBench(GpuExecutor& gpu) : gpu_(gpu) {}
  Result<bool> measure(const std::vector<BenchEntry*>& entries, const GpuBenchJob& job) override;
  Result<Ceilings> ceilings() override;

 private:
  Result<void> set_up(GpuEntry& entry, const GpuBenchJob& job);
  int pairs_of(const BenchRow& row, const HostImage& source) const;
  Result<void> allocate(GpuEntry& entry, const HostImage& source, int pairs);
  Result<void> launch_first(GpuEntry& entry);
  Result<void> time_singles(GpuEntry& entry);
  Result<void> time_with_copies(GpuEntry& entry, const HostImage& source);
  Result<void> take_turn(GpuEntry& entry);
  Result<void> take_round(std::deque<GpuEntry>& measured, int round);
  Result<void> take_result(GpuEntry& entry);
  bool cool_down(const GpuBenchJob& job);

  GpuExecutor& gpu_;
};

int CudaBench::pairs_of(const BenchRow& row, const HostImage& source) const {
  if (!row.point.cold) return 1;
  const double pair_bytes = static_cast<double>(source.bytes.size()) * 2;
  return std::max(2, static_cast<int>(std::ceil(4.0 * static_cast<double>(gpu_.device().cache_bytes) / pair_bytes)));
}

Result<void> CudaBench::allocate(GpuEntry& entry, const HostImage& source, int pairs) {
  entry.pairs.resize(pairs);
  for (GpuEntry::Pair& pair : entry.pairs) {
    CONV_TRY(pair.source.upload(source, gpu_.stream()));
    pair.workspace.measure(entry.brings_events());
  }
  if (entry.entry.row.transfers) entry.host = std::make_shared<const HostImage>(source);
  return {};
}

// The error may be that scratch images do not fit into memory; then the GPU is still usable.
Result<void> CudaBench::launch_first(GpuEntry& entry) {
  entry.entry.row.other.first_ms = CONV_TRY(timed(gpu_, entry.timer, [&] { return entry.launch(gpu_); }));
  for (std::size_t pair = 1; pair < entry.pairs.size(); ++pair) CONV_TRY(entry.launch(gpu_, pair));
  return {};
}

Result<void> CudaBench::time_singles(GpuEntry& entry) {
  std::vector<float> singles;
  for (int i = 0; i < ten; ++i) {
    singles.push_back(CONV_TRY(timed(gpu_, entry.timer, [&] { return entry.launch(gpu_); })));
  }
  entry.entry.row.other.mean_of_10_ms = mean(singles);
  entry.entry.row.other.single_ms = summary_of(singles)->median;
  return {};
}

Result<void> CudaBench::time_with_copies(GpuEntry& entry, const HostImage& source) {
  const LaunchPlan& plan = *entry.entry.plan;
  std::vector<float> runs;
  HostImage image(plan.type_of({ImageRole::target}), plan.image);  // not timed: memory is allocated once
  for (int i = -1; i < three; ++i) {
    const auto start = Steady::now();
    CONV_TRY(entry.pairs[0].source.upload(source, gpu_.stream()));
    CONV_TRY(entry.launch(gpu_));
    CONV_TRY(entry.pairs[0].target.download(image, gpu_.stream()));
    if (i >= 0) runs.push_back(ms_since(start));
  }
  entry.entry.row.other.host_ms = mean(runs);
  return {};
}

// Everything except the samples: memory, compilation, the first launch, ten single launches, the recording. A row that
// cannot run is refused; an error means that the GPU is unusable.
Result<void> CudaBench::set_up(GpuEntry& entry, const GpuBenchJob& job) {
  BenchRow& row = entry.entry.row;
  const auto refuse = [&](const std::string& why) {
    entry.entry.refuse(why);
    entry.pairs.clear();
    return gpu_.check();
  };
  const HostImage& source = job.source(row.point);
  if (auto compiled = gpu_.compile_now(*entry.entry.plan); !compiled) return refuse(compiled.error().text);
  const int pairs = pairs_of(row, source);
  if (pairs > most_pairs) return refuse("an image this small always stays in the cache: cold times need a larger one");
  if (auto allocated = allocate(entry, source, pairs); !allocated) return refuse(allocated.error().text);
  CONV_TRY(gpu_.finish());
  if (auto launched = launch_first(entry); !launched) return refuse(launched.error().text);
  CONV_TRY(gpu_.finish());
  if (entry.brings_events()) {
    static_cast<void>(gpu_.poll(entry.pairs[0].workspace));
    return {};
  }
  CONV_TRY(time_singles(entry));
  if (job.copies) CONV_TRY(time_with_copies(entry, source));
  // A multiple of the pairs, so that the next replay begins with the same pair.
  row.launches = ceil_div(launches_of_turn(row.other.single_ms), pairs) * pairs;
  if (!entry.recordable()) return {};
  entry.replay = CONV_TRY(gpu_.record([&] { return entry.launch_all(gpu_); }));
  return {};
}

// Queues a turn, or runs it if the plan measures itself.
Result<void> CudaBench::take_turn(GpuEntry& entry) {
  if (entry.brings_events()) {
    CONV_TRY(entry.launch(gpu_));
    CONV_TRY(gpu_.finish());
    const auto spans = CONV_TRY(gpu_.poll(entry.pairs[0].workspace));
    entry.turn_ms = total_ms(*spans);
    return {};
  }
  // One untimed launch before the timed ones: the same cache state for every variant, and work for the GPU until the
  // events are queued.
  const auto sample = [&] { return entry.recordable() ? gpu_.replay(entry.replay) : entry.launch_all(gpu_); };
  if (entry.entry.row.other.single_ms < long_ms) CONV_TRY(sample());
  return entry.timer.around(gpu_.stream(), sample);
}

// A turn of each entry, and their times.
Result<void> CudaBench::take_round(std::deque<GpuEntry>& measured, int round) {
  for (std::size_t i = 0; i < measured.size(); ++i) CONV_TRY(take_turn(measured[in_turn(round, i, measured.size())]));
  CONV_TRY(gpu_.finish());
  for (GpuEntry& entry : measured) {
    if (entry.brings_events()) continue;
    const auto spans = CONV_TRY(entry.timer.poll());
    entry.turn_ms = spans->front().ms() / static_cast<float>(entry.entry.row.launches);
  }
  return {};
}

Result<void> CudaBench::take_result(GpuEntry& entry) {
  if (entry.entry.row.transfers) {
    entry.entry.result = entry.pairs[0].workspace.host_result();
    return {};
  }
  entry.entry.result = CONV_TRY(entry.pairs.back().target.download(gpu_.stream()));
  return {};
}

// False: the GPU is still throttling after the longest wait.
bool CudaBench::cool_down(const GpuBenchJob& job) {
  const auto throttles = [&] {
    const auto clock = gpu_clock(gpu_.device().bus);
    return clock && !clock->throttled().empty();
  };
  if (!job.cools_down || !throttles()) return true;
  if (job.tell) job.tell("waiting for the GPU to cool down, 60 s at most");
  const bool cooled = wait_while(throttles, longest_cool_down, job.stop);
  if (job.tell) job.tell("");
  return cooled;
}

Result<bool> CudaBench::measure(const std::vector<BenchEntry*>& entries, const GpuBenchJob& job) {
  std::deque<GpuEntry> measured;
  for (BenchEntry* entry : entries) {
    if (job.stop.stop_requested()) return true;
    GpuEntry& added = measured.emplace_back(GpuEntry{.entry = *entry});
    CONV_TRY(set_up(added, job));
    if (!entry->plan) measured.pop_back();
  }
  if (measured.empty()) return true;
  const bool cool = cool_down(job);
  std::optional<GpuClock> before, after;
  SteadyRounds rounds(job.protocol.rounds);
  for (int round = -1; rounds.more(); ++round) {  // the first round is a warm-up under load
    if (job.stop.stop_requested()) return cool;
    CONV_TRY(take_round(measured, round));
    (round < 0 ? before : after) = gpu_clock(gpu_.device().bus);
    const bool counts = round >= 0 && rounds.ended(after ? std::optional(after->sm_mhz) : std::nullopt);
    if (counts)
      for (GpuEntry& entry : measured) entry.entry.row.ms.push_back(entry.turn_ms);
  }
  for (GpuEntry& entry : measured) {
    BenchRow& row = entry.entry.row;
    row.sm_clock.rounds_thrown_away = rounds.thrown_away();
    if (before) row.sm_clock.mhz_before = before->sm_mhz;
    if (after) {
      row.sm_clock.mhz_after = after->sm_mhz;
      row.sm_clock.throttled = after->throttled();
    }
    CONV_TRY(take_result(entry));
  }
  return cool;
}

// The rate of a launch, work per time: the median of 16 samples.
Result<double> rate_of(GpuExecutor& gpu, const CeilingPlan& ceiling) {
  const auto plan = std::make_shared<const LaunchPlan>(ceiling.plan);
  CONV_TRY(gpu.compile_now(*plan));
  Workspace workspace;
  workspace.measure(false);
  DeviceImage source, target;
  CONV_TRY(source.upload(noise_image(plan->source, plan->format), gpu.stream()));
  const auto launch = [&]() -> Result<void> {
    const auto enqueued = gpu.enqueue({}, plan, workspace, source, target);
    return enqueued ? Result<void>{} : tl::unexpected(enqueued.error());
  };
  EventTimer timer;
  std::vector<float> samples;
  for (int round = -1; round < 16; ++round) {
    constexpr int launches = 10;
    CONV_TRY(launch());  // the GPU must be busy when the events are queued
    const auto all_launches = [&]() -> Result<void> {
      for (int i = 0; i < launches; ++i) CONV_TRY(launch());
      return {};
    };
    const float ms = CONV_TRY(timed(gpu, timer, all_launches));
    if (round >= 0) samples.push_back(ms / launches);
  }
  return ceiling.work / summary_of(samples)->median / 1e6;
}
Result<Ceilings> CudaBench::ceilings() {
  Ceilings found{.cache_bytes = gpu_.device().cache_bytes};
  double launches = 0;  // millions per ms
  double* into[] = {&found.copy_gb_per_s, &found.cached_copy_gb_per_s, &found.shared_gb_per_s, &found.gflop_per_s,
                    &launches};
  for (const Ceiling which :
       {Ceiling::copy, Ceiling::cached_copy, Ceiling::shared_memory, Ceiling::multiply_add, Ceiling::launch}) {
    const auto rate = CONV_TRY(rate_of(gpu_, ceiling_plan(which, gpu_.device().cache_bytes)));
    *into[static_cast<int>(which)] = rate;
  }
  found.launch_us = 1e-3 / launches;
  return found;
}

}  // namespace

std::unique_ptr<GpuBench> gpu_bench(HeadlessGpu& gpu) {
  return std::make_unique<CudaBench>(executor_of(gpu));
}

}  // namespace conv
