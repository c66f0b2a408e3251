#include "app/pipeline/race.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/measure/turn.h"
#include "kernels/core/cost.h"
#include "kernels/core/registry.h"
#include "kernels/variants/support/plan_job.h"

namespace conv {

void Race::set(const RaceJob& job, const std::shared_ptr<const Taps>& taps, std::shared_ptr<const HostImage> source,
               const RunsOn& runs_on) {
  if (job_ == job && backend_ == &runs_on.backend) return;
  stop();
  job_ = job;
  backend_ = &runs_on.backend;
  on_gpu_ = runs_on.on_gpu;
  turn_ = round_ = 0;
  const Size2 size = source->size;
  what_ = fmt::format("{}×{} {} · {}, {}×{} · {} · block {}×{}", size.width, size.height,
                      info(job.inputs.lane.format).title, info(job.inputs.filter.kind).title, taps->size.width,
                      taps->size.height, info(job.inputs.border).title, job.inputs.lane.block.width,
                      job.inputs.lane.block.height);
  for (const std::string& id : job.variants) {
    RaceEntry& entry = entries_.emplace_back();
    entry.variant = find_variant(id);
    entry.launches = backend_->batches_turns() ? 0 : 1;
    const ConvSettings settings = applicable(*entry.variant, conv_settings(job.inputs, taps));
    entry.tolerance = tolerance_of(*entry.variant, settings);
    entry.less_exact = is_less_exact(*entry.variant, settings);
    Result<LaunchPlan> plan = plan_job(*entry.variant, size, settings, runs_on.limits);
    if (plan && on_gpu_ && plan->on_host()) plan = failure("runs on the CPU: no GPU time");
    if (plan) {
      runs_on.put_edits_into(*plan);
      entry.costs = step_costs(*plan);
      entry.plan = std::make_shared<const LaunchPlan>(std::move(*plan));
    } else {
      entry.state = RaceState::refused;
      entry.text = plan.error().text;
    }
  }
  backend_->start_race(std::move(source));
}

void Race::stop() {
  if (backend_) backend_->end_race();
  backend_ = nullptr;
  first_ticket_ += static_cast<int>(entries_.size());
  entries_.clear();
  job_.reset();
}

// Whose turn it is; null if no variant runs.
RaceEntry* Race::next() {
  const std::size_t count = entries_.size();
  for (std::size_t tried = 0; tried < count; ++tried) {
    if (turn_ == count) {
      turn_ = 0;
      ++round_;
    }
    RaceEntry& entry = entries_[in_turn(round_, turn_, count)];
    ++turn_;
    if (entry.runs()) return &entry;
  }
  return nullptr;
}

int Race::number_of(const RaceEntry& entry) const {
  return static_cast<int>(
      std::find_if(entries_.begin(), entries_.end(), [&](const RaceEntry& e) { return &e == &entry; }) -
      entries_.begin());
}

void Race::take_verdicts(ReferenceWorker& reference) {
  while (const auto checked = reference.take()) {
    const int number = checked->ticket - first_ticket_;
    if (number < 0 || number >= static_cast<int>(entries_.size())) continue;  // of the race before
    RaceEntry& entry = entries_[number];
    entry.verdict = checked->verdict;
    if (checked->verdict.pass) continue;
    entry.state = RaceState::failed;  // a wrong result has no time
    entry.text = fmt::format("off by {:.2g} of full scale at ({}, {})", checked->verdict.max_error,
                             checked->verdict.where.x, checked->verdict.where.y);
  }
}

void Race::add_turn(RaceEntry& entry, float ms) {
  const RaceSample turn = entry.flying.front();
  const float launch_ms = ms / static_cast<float>(std::max(1, entry.launches));
  if (entry.launches > 0) return entry.times.add({turn.round, launch_ms});
  // The first turn tells how many launches a turn needs; it is not a sample.
  entry.launches = launches_of_turn(launch_ms);
  entry.launch_ms = launch_ms;
}

// Takes the times that have arrived. The first new result is checked, one per frame.
Result<void> Race::collect(ReferenceWorker& reference) {
  for (RaceEntry& entry : entries_)
    while (!entry.flying.empty()) {
      const std::optional<Backend::TurnTime> turn = backend_->finished_turn(number_of(entry));
      if (!turn) break;
      if (turn->failed.empty()) {
        add_turn(entry, turn->ms);
        entry.has_result = true;
      } else {
        entry.state = RaceState::failed;
        entry.text = turn->failed;
      }
      entry.flying.pop_front();
    }
  // If none of its turns is in flight, the download waits only briefly.
  const auto unchecked = std::ranges::find_if(
      entries_, [](const RaceEntry& e) { return e.runs() && e.has_result && !e.sent && e.flying.empty(); });
  return unchecked == entries_.end() ? Result<void>{} : check(*unchecked, reference);
}

float Race::under_way_ms() const {
  float ms = 0;
  for (const RaceEntry& entry : entries_)
    for (const RaceSample& turn : entry.flying) ms += turn.ms;
  return ms;
}

// Compares its result with the reference.
Result<void> Race::check(RaceEntry& entry, ReferenceWorker& reference) {
  entry.sent = true;
  HostImage image = CONV_TRY(backend_->race_result(number_of(entry)));
  reference.check({first_ticket_ + number_of(entry), std::move(image), entry.tolerance});
  return {};
}

Result<void> Race::take_turn(RaceEntry& entry) {
  const Backend::Turn turn = CONV_TRY(backend_->start_turn(number_of(entry), entry.plan, std::max(1, entry.launches)));
  if (!turn.queued) {
    entry.state = turn.refused.empty() ? RaceState::compiling : RaceState::refused;
    entry.text = turn.refused;
    if (!turn.refused.empty()) entry.plan.reset();
    return {};
  }
  // One launch precedes the timed ones.
  const auto median = entry.times.summary();
  const float ms = static_cast<float>(entry.launches + 1) * (median ? median->median : entry.launch_ms);
  entry.flying.push_back({round_, ms});
  entry.state = RaceState::racing;
  entry.text.clear();
  return {};
}

Result<void> Race::advance(ReferenceWorker& reference) {
  take_verdicts(reference);
  CONV_TRY(collect(reference));
  for (std::size_t tried = 0; tried < entries_.size() && backend_->takes_turn(under_way_ms()); ++tried) {
    RaceEntry* entry = next();
    if (!entry) break;
    if (entry->launches == 0 && !entry->flying.empty()) continue;
    CONV_TRY(take_turn(*entry));
  }
  return {};
}

std::vector<std::string> Race::in_flight() const {
  std::vector<std::string> ids;
  for (const RaceEntry& entry : entries_)
    if (!entry.flying.empty()) ids.emplace_back(entry.variant->id);
  return ids;
}

const RaceTimes* Race::times_of(std::string_view variant) const {
  const auto entry = std::ranges::find_if(entries_, [&](const RaceEntry& e) { return e.variant->id == variant; });
  return entry != entries_.end() && entry->state == RaceState::racing ? &entry->times : nullptr;
}

void Race::fill(RaceStatus& status) const {
  status = {.running = running(), .on_cpu = !on_gpu_, .rounds = round_, .what = what_};
  std::vector<const RaceTimes*> ranked[2];
  std::vector<std::size_t> of[2];  // the ranked entries; less exact ones are ranked separately
  for (const RaceEntry& entry : entries_) {
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

}  // namespace conv
