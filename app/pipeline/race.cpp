#include "app/pipeline/race.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/measure/turn.h"
#include "kernels/core/cost.h"
#include "kernels/core/registry.h"
#include "kernels/variants/support/plan_job.h"

namespace {

constexpr float frame_ms = 8;  // of kernel time under way at once, so that the window keeps its rate
constexpr int first_compiler_lane = 1000;

}  // namespace

void Race::set(const RaceJob& job, const std::shared_ptr<const Taps>& taps, Size2 source, const DeviceLimits& limits,
               bool on_gpu) {
  if (job_ == job && on_gpu_ == on_gpu) return;
  entries_.clear();
  job_ = job;
  on_gpu_ = on_gpu;
  turn_ = round_ = 0;
  what_ = fmt::format("{}×{} {} · {}, {}×{} · {} · block {}×{}", source.width, source.height,
                      info(job.inputs.lane.format).title, info(job.inputs.filter.kind).title, taps->size.width,
                      taps->size.height, info(job.inputs.border).title, job.inputs.lane.block.width,
                      job.inputs.lane.block.height);
  submitted_ = -1;
  for (const std::string& id : job.variants) {
    Entry& entry = entries_.emplace_back();
    entry.variant = find_variant(id);
    const ConvSettings settings = applicable(*entry.variant, conv_settings(job.inputs, taps));
    entry.tolerance = tolerance_of(*entry.variant, settings);
    entry.less_exact = is_less_exact(*entry.variant, settings);
    Result<LaunchPlan> plan = plan_job(*entry.variant, source, settings, limits);
    if (plan && on_gpu && plan->on_host()) plan = failure("runs on the CPU: no GPU time");
    if (plan) {
      entry.costs = step_costs(*plan);
      entry.plan = std::make_shared<const LaunchPlan>(std::move(*plan));
    } else {
      entry.state = RaceState::refused;
      entry.text = plan.error().text;
    }
  }
}

void Race::stop() {
  entries_.clear();
  job_.reset();
}

// Whose turn it is; null when nobody runs.
Race::Entry* Race::next() {
  const std::size_t count = entries_.size();
  for (std::size_t tried = 0; tried < count; ++tried) {
    if (turn_ == count) {
      turn_ = 0;
      ++round_;
    }
    Entry& entry = entries_[in_turn(round_, turn_, count)];
    ++turn_;
    if (runs(entry)) return &entry;
  }
  return nullptr;
}

int Race::number_of(const Entry& entry) const {
  return static_cast<int>(std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return &e == &entry; }) -
                          entries_.begin());
}

void Race::take_verdicts(ReferenceWorker& reference) {
  while (const auto checked = reference.take()) {
    if (checked->ticket >= static_cast<int>(entries_.size())) continue;
    Entry& entry = entries_[checked->ticket];
    entry.verdict = checked->verdict;
    if (checked->verdict.pass) continue;
    entry.state = RaceState::failed;  // a wrong result has no time
    entry.text = fmt::format("off by {:.2g} at ({}, {})", checked->verdict.max_error, checked->verdict.where.x,
                             checked->verdict.where.y);
  }
}

void Race::advance_on_cpu(CpuWorker& cpu, ReferenceWorker& reference, const std::shared_ptr<const HostImage>& source) {
  take_verdicts(reference);
  if (submitted_ >= 0) {
    Entry& entry = entries_[submitted_];
    std::optional<CpuResult> result = cpu.take(CpuWorker::race_lane);
    if (!result && cpu.busy(CpuWorker::race_lane)) return;
    if (result && !result->error.empty()) {
      entry.state = RaceState::failed;
      entry.text = result->error;
    } else if (result && result->job.plan == entry.plan) {
      entry.state = std::max(entry.state, RaceState::racing);
      entry.times.add({round_, total_ms(result->spans)});
      if (!std::exchange(entry.sent, true)) reference.check({submitted_, std::move(result->image), entry.tolerance});
    }
    submitted_ = -1;
  }
  if (Entry* entry = next()) {
    submitted_ = number_of(*entry);
    cpu.submit(CpuWorker::race_lane, {entry->plan, source});
  }
}

#if defined(CONV_WITH_CUDA)
void Race::collect() {
  for (Entry& entry : entries_) {
    while (!entry.flying.empty()) {
      const auto spans = entry.timer.poll();
      if (!spans || !*spans) break;
      const RaceSample turn = entry.flying.front();
      entry.flying.pop_front();
      const float ms = (*spans)->front().ms() / static_cast<float>(std::max(1, entry.launches));
      if (entry.launches > 0) {
        entry.times.add({turn.round, ms});
        continue;
      }
      // The first turn tells how many launches make one long enough, and is no sample.
      entry.launches = launches_of_turn(ms);
      entry.launch_ms = ms;
    }
  }
}

Result<void> Race::take_turn(GpuExecutor& gpu, Entry& entry, int compiler_lane, const DeviceImage& source,
                             const std::shared_ptr<const HostImage>& host) {
  entry.workspace.measure(false);
  const auto launch = [&] {
    return gpu.enqueue(compiler_lane, entry.plan, entry.workspace, source, entry.target,
                       entry.plan->transfers() ? host : nullptr);
  };
  // Outside the events: brings instance and taps to the device, and the same state of the caches to everybody.
  const Result<Enqueued> warm = launch();
  if (!warm) return tl::unexpected(warm.error());
  if (warm->running != Running::exact) {
    entry.state = warm->error.empty() ? RaceState::compiling : RaceState::refused;
    entry.text = warm->error.substr(0, warm->error.find('\n'));
    if (!warm->error.empty()) entry.plan.reset();
    return {};
  }
  const int launches = std::max(1, entry.launches);
  const auto queued = entry.timer.around(gpu.stream(), [&]() -> Result<void> {
    for (int i = 0; i < launches; ++i)
      if (const Result<Enqueued> enqueued = launch(); !enqueued) return tl::unexpected(enqueued.error());
    return {};
  });
  if (!queued) return queued;
  const auto median = entry.times.summary();
  entry.flying.push_back({round_, static_cast<float>(launches + 1) * (median ? median->median : entry.launch_ms)});
  entry.state = RaceState::racing;
  entry.text.clear();
  return {};
}

Result<void> Race::advance_on_gpu(GpuExecutor& gpu, ReferenceWorker& reference, const DeviceImage& source,
                                  const std::shared_ptr<const HostImage>& host) {
  take_verdicts(reference);
  collect();
  float under_way = 0;
  for (const Entry& entry : entries_)
    for (const RaceSample& turn : entry.flying) under_way += turn.ms;
  bool downloaded = false;
  for (std::size_t tried = 0; tried < entries_.size() && under_way < frame_ms; ++tried) {
    Entry* entry = next();
    if (!entry) break;
    const int number = number_of(*entry);
    if (entry->launches == 0 && !entry->flying.empty()) continue;
    // With nothing of it under way the download waits for little; one a frame.
    if (!downloaded && entry->launches > 0 && !entry->sent && entry->flying.empty()) {
      downloaded = entry->sent = true;
      Result<HostImage> image = entry->target.download(gpu.stream());
      if (!image) return tl::unexpected(image.error());
      reference.check({number, std::move(*image), entry->tolerance});
    }
    if (auto taken = take_turn(gpu, *entry, first_compiler_lane + number, source, host); !taken) return taken;
    if (!entry->flying.empty()) under_way += entry->flying.back().ms;
  }
  return {};
}
#endif

std::vector<std::string> Race::in_flight() const {
  std::vector<std::string> ids;
#if defined(CONV_WITH_CUDA)
  for (const Entry& entry : entries_)
    if (!entry.flying.empty()) ids.emplace_back(entry.variant->id);
#endif
  return ids;
}

void Race::fill(RaceStatus& status) const {
  status = {.running = running(), .on_cpu = !on_gpu_, .rounds = round_, .what = what_};
  std::vector<const RaceTimes*> ranked[2];
  std::vector<std::size_t> of[2];  // the ranked ones among the entries; what is less exact is ranked apart
  for (const Entry& entry : entries_) {
    RaceEntryStatus& to = status.entries.emplace_back();
    to.variant = entry.variant->id;
    to.state = entry.state;
    to.text = entry.text;
    to.transfers = entry.plan && entry.plan->transfers();
    to.less_exact = entry.less_exact;
    to.costs = entry.costs;
    to.checked = entry.verdict.has_value();
    if (entry.verdict) to.error = entry.verdict->max_error;
    if (entry.state != RaceState::racing) continue;
    to.ms = entry.times.summary();
    to.interval = entry.times.interval();
    if (!to.checked || to.transfers) continue;
    ranked[entry.less_exact].push_back(&entry.times);
    of[entry.less_exact].push_back(status.entries.size() - 1);
  }
  for (const bool less_exact : {false, true}) {
    const auto& times = ranked[less_exact];
    const std::vector<int> places = places_of(times);
    const auto first = std::min_element(times.begin(), times.end(), [](const RaceTimes* a, const RaceTimes* b) {
      return a->interval().median < b->interval().median;
    });
    for (std::size_t i = 0; i < times.size(); ++i) {
      RaceEntryStatus& to = status.entries[of[less_exact][i]];
      to.place = places[i];
      to.against_first = compare_racers(**first, *times[i]);
    }
  }
}
