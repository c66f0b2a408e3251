#include "app/measure/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "app/check/check_cases.h"
#include "app/measure/bench_file.h"
#include "app/measure/rankings.h"
#include "app/measure/turn.h"
#include "kernels/core/cost.h"
#include "kernels/gpu/gpu_clock.h"
#if defined(CONV_WITH_CUDA)
#include "kernels/gpu/npp.h"
#endif
#include "kernels/ops/ceilings.h"
#include "kernels/ops/peers.h"

namespace {

constexpr double whole_check = 2e7;  // multiply-adds of a reference over all pixels, for each thread

// All of them, or those at the top and the bottom, where padding counts, and two in a hundred between.
std::vector<int> checked_rows(Size2 result, Size2 taps, int channels, int block_height, int threads) {
  if (static_cast<double>(result.area()) * static_cast<double>(taps.area()) * channels <= whole_check * threads)
    return {};
  const int band = std::min(result.height / 4, taps.height / 2 + 2 * block_height);
  std::vector<int> rows;
  for (int y = 0; y < result.height; ++y)
    if (y < band || y >= result.height - band || y % 50 == 25) rows.push_back(y);
  return rows;
}

}  // namespace

struct BenchEngine::Entry {
  BenchRow row;
  std::shared_ptr<const Taps> taps;
  std::shared_ptr<const LaunchPlan> plan;  // null: refused
  float tolerance = 0;
  const Peer* peer = nullptr;
  HostImage result;
#if defined(CONV_WITH_CUDA)
  // What one launch reads, writes and works in. Warm launches share one; cold ones take turns.
  struct Pair {
    DeviceImage source, target;
    Workspace workspace;
  };
  std::vector<Pair> pairs;
  std::shared_ptr<const HostImage> host;  // of plans that begin there
  Replay replay;
  EventTimer timer;
  float turn_ms = 0;  // of the round at hand, a launch

  Result<void> launch(GpuExecutor& gpu, std::size_t number = 0) {
    Pair& pair = pairs[number];
    const auto enqueued = gpu.enqueue(0, plan, pair.workspace, pair.source, pair.target, host);
    return enqueued ? Result<void>{} : tl::unexpected(enqueued.error());
  }
  // Those of a sample.
  Result<void> launch_all(GpuExecutor& gpu) {
    for (int i = 0; i < row.launches; ++i)
      if (auto launched = launch(gpu, static_cast<std::size_t>(i) % pairs.size()); !launched) return launched;
    return {};
  }
  bool brings_events() const {
    return row.transfers || plan->spread();
  }
  // NPP ends the program where memory it asks for cannot be had, as while launches are recorded.
  bool recordable() const {
    return !std::holds_alternative<NppStep>(plan->steps.front());
  }
#endif
  // A wrong result has no time.
  void refuse_time(std::string why) {
    row.text = std::move(why);
    row.ms.clear();
  }
  void refuse(const std::string& why) {
    plan = nullptr;
    row.state = RowState::refused;
    row.text = why.substr(0, why.find('\n'));
  }
};

BenchEnvironment BenchEngine::environment() const {
  BenchEnvironment e{.processor = processor_.name(), .version = CONV_VERSION};
  if (const DeviceInfo* device = processor_.device()) {
    e.driver = device->driver;
    e.cuda = fmt::format("{}.{}", device->runtime_version / 1000, device->runtime_version % 1000 / 10);
    e.cache_bytes = device->cache_bytes;
    e.bandwidth_gb_per_s = device->bandwidth_gb_per_s;
    if (const auto clock = gpu_clock(device->bus)) e.highest_mhz = clock->highest_sm_mhz;
  }
  return e;
}

void BenchEngine::plan(Entry& entry) {
  BenchRow& row = entry.row;
  row.date = now_utc();
  const Result<Taps> taps = taps_of(row.point.filter);
  if (!taps) return entry.refuse(taps.error().text);
  entry.taps = std::make_shared<const Taps>(*taps);
  row.taps = taps->size;
  const Peer* peer = entry.peer = find_peer(row.point.lane.variant);
  if (peer && !processor_.on_gpu()) return entry.refuse("measured on an NVIDIA GPU alone");
  const Variant& variant = peer ? *peer : *find_variant(row.point.lane.variant);
  const ConvSettings settings = conv_settings({.lane = row.point.lane, .border = row.point.border}, entry.taps);
  DeviceLimits limits = processor_.limits();
#if defined(CONV_WITH_CUDA)
  if (peer) limits.no_npp = why_no_npp();
#endif
  Result<LaunchPlan> planned = plan_job(variant, row.point.image, settings, limits);
  const bool on_host = planned && planned->on_host();
  row.processor = processor_.name();
  if (on_host) {
    const auto* step = std::get_if<HostStep>(&planned->steps.front());
    row.processor = step && step->one_core ? "CPU, one thread" : fmt::format("CPU, {} threads", processor_.threads());
  }
  if (!planned) return entry.refuse(planned.error().text);
  if (row.point.cold && (on_host || !processor_.on_gpu() || planned->transfers() || planned->spread()))
    return entry.refuse("cold caches are a GPU's, for plans that stay on it and on one stream");
  row.transfers = planned->transfers();
  const Cost cost = cost_of(*planned);
  row.compulsory_bytes = cost.compulsory_bytes;
  row.transfer_bytes = cost.transfer_bytes;
  row.multiply_adds = is_copy(row.point.lane.variant) ? 0 : cost.multiply_adds;
  const bool a_level_apart = peer && peer->a_level_apart && is_8_bit(settings.format);
  entry.tolerance = a_level_apart ? a_level : tolerance_of(variant, settings);
  row.less_exact = a_level_apart || is_less_exact(variant, settings);
  entry.plan = std::make_shared<const LaunchPlan>(std::move(*planned));
}

const HostImage& BenchEngine::source_of(const BenchPoint& point) {
  if (!source_point_ || source_point_->image != point.image || source_point_->lane.format != point.lane.format) {
    source_ = noise_image(point.image, point.lane.format);
    source_point_ = point;
  }
  return source_;
}

const Reference& BenchEngine::reference_of(const BenchPoint& point) {
  if (!reference_point_ || reference_point_->image != point.image ||
      reference_point_->lane.format != point.lane.format || reference_point_->filter != point.filter ||
      reference_point_->border != point.border) {
    const Size2 taps = taps_of(point.filter)->size;
    ReferenceWork work{.pool = &pool_, .stop = stop_};
    if (point.filter.kind != FilterKind::edges)  // whose stages need each other's rows
      work.rows = checked_rows(target_size(point.image, {taps.width / 2, taps.height / 2}, point.border), taps,
                               info(point.lane.format).channels, point.lane.block.height, pool_.threads());
    reference_ = ::reference_of(source_of(point), point.filter, point.border, 0, work);
    reference_point_ = stop_.stop_requested() ? std::nullopt : std::optional(point);
  }
  return reference_;
}

void BenchEngine::check(Entry& entry) {
  if (is_copy(entry.row.point.lane.variant)) {
    const bool same = entry.result.bytes == source_of(entry.row.point).bytes;
    entry.row.checked_share = 1;
    entry.row.state = same ? RowState::measured : RowState::wrong;
    if (!same) entry.refuse_time("not the image");
    return;
  }
  const Reference& reference = reference_of(entry.row.point);
  const bool with_alpha = !entry.peer || !entry.peer->filters_alpha;
  const Verdict verdict = compare(entry.result, reference, entry.tolerance, with_alpha);
  BenchRow& row = entry.row;
  row.max_error = verdict.max_error;
  row.checked_share = reference.rows.empty()
                          ? 1
                          : static_cast<double>(reference.rows.size()) / static_cast<double>(reference.size.height);
  row.state = verdict.pass ? RowState::measured : RowState::wrong;
  if (verdict.pass) return;
  entry.refuse_time(fmt::format("wrong by {:.2g} at ({}, {})", verdict.max_error, verdict.where.x, verdict.where.y));
}

void BenchEngine::measure_on_cpu(const std::vector<Entry*>& entries, const std::stop_token& stop) {
  for (int round = -1; round < protocol_.rounds; ++round)  // the first one warms up
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (stop.stop_requested()) return;
      Entry& entry = *entries[in_turn(round, i, entries.size())];
      std::vector<float>& ms = entry.row.ms;
      const float spent = std::accumulate(ms.begin(), ms.end(), 0.0f);
      if (!entry.plan || (round >= protocol_.host_rounds && spent > protocol_.host_budget_ms)) continue;
      const auto spans = processor_.run(*entry.plan, source_of(entry.row.point), entry.result);
      if (!spans)
        entry.refuse(spans.error().text);
      else if (round < 0)
        entry.row.first_ms = total_ms(*spans);
      else
        ms.push_back(total_ms(*spans));
    }
}

#if defined(CONV_WITH_CUDA)
namespace {

constexpr std::chrono::seconds longest_cool_down{60};
constexpr int most_pairs = 1024;  // of buffers that take turns
constexpr float long_ms = 5;      // launches that take longer need no other before them to find the same caches
constexpr int three = 3;          // runs of BenchClock::host
constexpr int ten = 10;           // launches of BenchClock::mean_of_10

using Steady = std::chrono::steady_clock;
float ms_since(Steady::time_point start) {
  return std::chrono::duration<float, std::milli>(Steady::now() - start).count();
}

float mean(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0f) / static_cast<float>(values.size());
}

// Between two marks; nothing may be on its way in the timer.
Result<float> timed(GpuExecutor& gpu, EventTimer& timer, const std::function<Result<void>()>& work) {
  if (auto queued = timer.around(gpu.stream(), work); !queued) return tl::unexpected(queued.error());
  if (auto finished = gpu.finish(); !finished) return tl::unexpected(finished.error());
  const auto spans = timer.poll();
  if (!spans) return tl::unexpected(spans.error());
  return (*spans)->front().ms();
}

}  // namespace

// Everything that is not a sample: memory, compilation, the first launch, ten single ones, the recording.
Result<void> BenchEngine::set_up(Entry& entry) {
  GpuExecutor& gpu = *processor_.gpu();
  BenchRow& row = entry.row;
  const HostImage& source = source_of(row.point);
  if (auto compiled = gpu.compile_now(*entry.plan); !compiled) {
    entry.refuse(compiled.error().text);
    return {};
  }
  int pairs = 1;
  if (row.point.cold) {
    const double pair_bytes = static_cast<double>(source.bytes.size()) * 2;
    const double wanted = std::ceil(4.0 * static_cast<double>(processor_.device()->cache_bytes) / pair_bytes);
    if (wanted > most_pairs) {
      entry.refuse("so small an image stays in the cache whatever is done: cold needs a larger one");
      return {};
    }
    pairs = std::max(2, static_cast<int>(wanted));
  }
  entry.pairs.resize(pairs);
  for (Entry::Pair& pair : entry.pairs) {
    if (auto uploaded = pair.source.upload(source, gpu.stream()); !uploaded) {
      entry.refuse(uploaded.error().text);
      entry.pairs.clear();
      return {};
    }
    pair.workspace.measure(entry.brings_events());
  }
  if (row.transfers) entry.host = std::make_shared<const HostImage>(source);
  if (auto finished = gpu.finish(); !finished) return finished;
  const auto first = timed(gpu, entry.timer, [&] { return entry.launch(gpu); });
  if (!first) {  // memory for scratch images, say
    entry.refuse(first.error().text);
    return gpu.check();
  }
  row.first_ms = *first;
  for (std::size_t pair = 1; pair < entry.pairs.size(); ++pair)
    if (auto launched = entry.launch(gpu, pair); !launched) {
      entry.refuse(launched.error().text);
      return gpu.check();
    }
  if (auto finished = gpu.finish(); !finished) return finished;
  if (entry.brings_events()) {
    static_cast<void>(gpu.poll(entry.pairs[0].workspace));
    return {};
  }
  std::vector<float> singles;
  for (int i = 0; i < ten; ++i) {
    const auto single = timed(gpu, entry.timer, [&] { return entry.launch(gpu); });
    if (!single) return tl::unexpected(single.error());
    singles.push_back(*single);
  }
  row.mean_of_10_ms = mean(singles);
  row.single_ms = summary_of(singles)->median;
  if (copies_) {
    std::vector<float> runs;
    HostImage image(entry.plan->type_of({ImageRole::target}), entry.plan->image);  // in no time: memory is made once
    for (int i = -1; i < three; ++i) {
      const auto start = Steady::now();
      if (auto uploaded = entry.pairs[0].source.upload(source, gpu.stream()); !uploaded) return uploaded;
      if (auto launched = entry.launch(gpu); !launched) return launched;
      if (auto downloaded = entry.pairs[0].target.download(image, gpu.stream()); !downloaded) return downloaded;
      if (i >= 0) runs.push_back(ms_since(start));
    }
    row.host_ms = mean(runs);
  }
  row.launches =
      ceil_div(launches_of_turn(row.single_ms), pairs) * pairs;  // the next replay begins where this one began
  if (!entry.recordable()) return {};
  auto recorded = gpu.record([&] { return entry.launch_all(gpu); });
  if (!recorded) return tl::unexpected(recorded.error());
  entry.replay = std::move(*recorded);
  return {};
}

// Queues a turn, or takes it where the plan brings its own events.
Result<void> BenchEngine::take_turn(Entry& entry) {
  GpuExecutor& gpu = *processor_.gpu();
  if (entry.brings_events()) {
    if (auto launched = entry.launch(gpu); !launched) return launched;
    if (auto finished = gpu.finish(); !finished) return finished;
    const auto spans = gpu.poll(entry.pairs[0].workspace);
    if (!spans) return tl::unexpected(spans.error());
    entry.turn_ms = total_ms(**spans);
    return {};
  }
  // Untimed before timed: the same caches for everybody, and work for the GPU until the events are queued.
  const auto sample = [&] { return entry.recordable() ? gpu.replay(entry.replay) : entry.launch_all(gpu); };
  if (entry.row.single_ms < long_ms)
    if (auto replayed = sample(); !replayed) return replayed;
  return entry.timer.around(gpu.stream(), sample);
}

// What waiting does not mend once is not waited for again.
void BenchEngine::cool_down(const std::stop_token& stop) {
  const auto held_down = [&] {
    const auto clock = gpu_clock(processor_.device()->bus);
    return clock && !clock->throttled().empty();
  };
  if (!cools_down_ || !held_down()) return;
  if (tell_) tell_("waiting for the GPU to cool down, 60 s at most");
  cools_down_ = wait_while(held_down, longest_cool_down, stop);
  if (tell_) tell_("");
}

Result<void> BenchEngine::measure_on_gpu(const std::vector<Entry*>& entries, const std::stop_token& stop) {
  GpuExecutor& gpu = *processor_.gpu();
  std::vector<Entry*> racing;
  for (Entry* entry : entries) {
    if (stop.stop_requested()) return {};
    if (auto ready = set_up(*entry); !ready) return ready;
    if (entry->plan) racing.push_back(entry);
  }
  if (racing.empty()) return {};
  cool_down(stop);
  std::optional<GpuClock> before, after;
  SteadyRounds rounds(protocol_.rounds);
  for (int round = -1; rounds.more(); ++round) {  // the first one warms up: the clock is that of work
    if (stop.stop_requested()) return {};
    for (std::size_t i = 0; i < racing.size(); ++i)
      if (auto taken = take_turn(*racing[in_turn(round, i, racing.size())]); !taken) return taken;
    if (auto finished = gpu.finish(); !finished) return finished;
    (round < 0 ? before : after) = gpu_clock(processor_.device()->bus);
    const bool counts = round >= 0 && rounds.ended(after ? std::optional(after->sm_mhz) : std::nullopt);
    for (Entry* entry : racing) {
      if (!entry->brings_events()) {
        const auto spans = entry->timer.poll();
        if (!spans) return tl::unexpected(spans.error());
        entry->turn_ms = (*spans)->front().ms() / static_cast<float>(entry->row.launches);
      }
      if (counts) entry->row.ms.push_back(entry->turn_ms);
    }
  }
  for (Entry* entry : racing) {
    entry->row.rounds_thrown_away = rounds.thrown_away();
    if (before) entry->row.mhz_before = before->sm_mhz;
    if (after) {
      entry->row.mhz_after = after->sm_mhz;
      entry->row.throttled = after->throttled();
    }
    if (entry->row.transfers) {
      entry->result = entry->pairs[0].workspace.host_result();
    } else {
      Result<HostImage> downloaded = entry->pairs.back().target.download(gpu.stream());
      if (!downloaded) return tl::unexpected(downloaded.error());
      entry->result = std::move(*downloaded);
    }
  }
  return {};
}

// Work of a launch over its time: median of 16 samples.
static Result<double> rate_of(GpuExecutor& gpu, const CeilingPlan& ceiling) {
  const auto plan = std::make_shared<const LaunchPlan>(ceiling.plan);
  if (auto compiled = gpu.compile_now(*plan); !compiled) return tl::unexpected(compiled.error());
  Workspace workspace;
  workspace.measure(false);
  DeviceImage source, target;
  if (auto uploaded = source.upload(noise_image(plan->source, plan->format), gpu.stream()); !uploaded)
    return tl::unexpected(uploaded.error());
  const auto launch = [&]() -> Result<void> {
    const auto enqueued = gpu.enqueue(0, plan, workspace, source, target);
    return enqueued ? Result<void>{} : tl::unexpected(enqueued.error());
  };
  EventTimer timer;
  std::vector<float> samples;
  for (int round = -1; round < 16; ++round) {
    constexpr int launches = 10;
    if (auto before = launch(); !before) return tl::unexpected(before.error());  // the GPU is at work when events come
    const auto ms = timed(gpu, timer, [&]() -> Result<void> {
      for (int i = 0; i < launches; ++i)
        if (auto launched = launch(); !launched) return launched;
      return {};
    });
    if (!ms) return tl::unexpected(ms.error());
    if (round >= 0) samples.push_back(*ms / launches);
  }
  return ceiling.work / summary_of(samples)->median / 1e6;
}
#endif

Result<Ceilings> BenchEngine::ceilings() {
  Ceilings found{.processor = processor_.name(), .date = now_utc()};
#if defined(CONV_WITH_CUDA)
  if (processor_.on_gpu()) {
    found.cache_bytes = processor_.device()->cache_bytes;
    double launches = 0;  // millions a ms
    double* into[] = {&found.copy_gb_per_s, &found.cached_copy_gb_per_s, &found.shared_gb_per_s, &found.gflop_per_s,
                      &launches};
    for (const Ceiling which :
         {Ceiling::copy, Ceiling::cached_copy, Ceiling::shared_memory, Ceiling::multiply_add, Ceiling::launch}) {
      const auto rate = rate_of(*processor_.gpu(), ceiling_plan(which, processor_.device()->cache_bytes));
      if (!rate) return tl::unexpected(rate.error());
      *into[static_cast<int>(which)] = *rate;
    }
    found.launch_us = 1e-3 / launches;
    return found;
  }
#endif
  return failure("roofs are a GPU's: none was found");
}

Result<std::vector<BenchRow>> BenchEngine::measure(const BenchGroup& group, const std::stop_token& stop) {
  stop_ = stop;
  std::vector<Entry> entries(group.size());
  std::vector<Entry*> on_gpu, on_cpu;
  for (std::size_t i = 0; i < group.size(); ++i) {
    entries[i].row.point = group[i];
    plan(entries[i]);
    if (entries[i].plan) (processor_.on_gpu() && !entries[i].plan->on_host() ? on_gpu : on_cpu).push_back(&entries[i]);
  }
  measure_on_cpu(on_cpu, stop);
#if defined(CONV_WITH_CUDA)
  if (!on_gpu.empty())
    if (auto measured = measure_on_gpu(on_gpu, stop); !measured) return tl::unexpected(measured.error());
#endif
  std::vector<BenchRow> rows;
  for (Entry& entry : entries) {
    if (stop.stop_requested()) return std::vector<BenchRow>{};
    if (entry.plan) check(entry);
    if (stop.stop_requested()) return std::vector<BenchRow>{};  // the reference may not be whole
    rows.push_back(std::move(entry.row));
  }
  hold_against_baselines(rows);
  return rows;
}

static std::filesystem::path kept_rankings(const std::string& processor) {
  const std::filesystem::path folder = results_folder();
  return folder.empty() ? folder : folder / folder_of(processor) / (std::string(auto_id) + ".json");
}

void use_kept_rankings(Processor& processor, const BenchEnvironment& environment) {
  if (const auto kept = read_results(kept_rankings(environment.processor)); kept && kept->environment == environment)
    processor.set_rankings(rankings_of(kept->rows));
}

Result<void> keep_rankings(std::span<const BenchRow> rows, const BenchEnvironment& environment) {
  const std::span<const BenchRow> measured = rows_of(rows, auto_id);
  const std::filesystem::path file = kept_rankings(environment.processor);
  if (measured.empty() || file.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  std::vector<BenchRow> all;
  if (std::filesystem::exists(file, error)) {
    const auto kept = read_results(file);
    if (!kept) return failure(kept.error().text + "; move it away, so that auto can go by what was measured now");
    if (kept->environment == environment) all = kept->rows;
  }
  for (const BenchRow& row : measured) put_row(all, row);
  const auto written = BenchFile::create(file, environment, std::move(all));
  return written ? Result<void>{} : tl::unexpected(written.error());
}

Result<void> run_job(BenchEngine& engine, const BenchJob& job, const std::function<bool(const std::string& key)>& done,
                     const std::function<Result<void>(const BenchRow&)>& on_row, const std::stop_token& stop) {
  engine.with_copies(job.copies);
  for (const BenchGroup& group : job.groups) {
    if (stop.stop_requested()) return {};
    if (std::all_of(group.begin(), group.end(), [&](const BenchPoint& point) { return done(key_of(point)); })) continue;
    Result<std::vector<BenchRow>> rows = engine.measure(group, stop);
    if (!rows) return tl::unexpected(rows.error());
    for (BenchRow& row : *rows) {
      row.preset = job.id;
      if (done(key_of(row.point))) continue;
      if (auto taken = on_row(row); !taken) return taken;
    }
  }
  return {};
}
