// What the pipeline reports to the panels.
#include <fmt/format.h>

#include <algorithm>

#include "app/live/kernel_twin.h"
#include "app/pipeline/pipeline.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

// Whether both have times of the same kind, and correct results.
bool comparable(const Lane& a, const Lane& b) {
  const auto sound = [](const Lane& lane) { return lane.settled && lane.plan() && lane.planned->exhibit.empty(); };
  return b.active && a.on_cpu == b.on_cpu && sound(a) && sound(b) && a.plan()->transfers() == b.plan()->transfers();
}

void fill_filter(const ChosenFilter& filter, AppStatus& status) {
  status.filter.error = filter.error;
  if (!filter.taps) return;
  status.filter.taps = filter.taps;
  status.filter.rank = filter.taps->rank;
  status.filter.rank_1_error = filter.rank_1_error;
  status.filter.bell = filter.taps->row;
}

}  // namespace

void Pipeline::fill_times(AppStatus& status) const {
  const UploadReport uploads = on_.gpu ? on_.gpu->uploads() : UploadReport{};
  status.source.upload_ms = uploads.ms;
  status.source.upload_bytes = uploads.bytes;
  status.source.conversions = uploads.conversions;
  status.device.clock = on_.gpu ? on_.gpu->clock() : std::nullopt;
  status.frame.map_ms = lanes_.map_host_ms().summary();
  race_.fill(status.race);
  for (int i = 0; i < max_lanes; ++i) lanes_[i].report_times(status.lanes[i]);
  status.best = best_times();
}

// Of a lane whose settings the race has: it runs all variants with those of lane A.
const RaceTimes* Pipeline::race_times_of(const Lane& lane) const {
  if (!race_.running() || !lane.active || !lane.planned || !lanes_[0].planned) return nullptr;
  LaneSettings as_a = lanes_[0].planned->inputs.lane;
  as_a.variant = lane.planned->inputs.lane.variant;
  return lane.planned->inputs.lane == as_a ? race_.times_of(as_a.variant) : nullptr;
}

BestTimes Pipeline::best_times() const {
  const Lane &a = lanes_[0], &b = lanes_[1];
  const bool compares = comparable(a, b);
  const RaceTimes *of_a = race_times_of(a), *of_b = race_times_of(b);
  if (of_a && (of_b || !b.active))
    return {.of_race = true,
            .ms = {of_a->summary(), of_b ? of_b->summary() : std::nullopt},
            .comparison = compares ? compare_racers(*of_a, *of_b) : Comparison{}};
  return {
      .ms = {a.times.kernel_ms.summary(), b.active ? b.times.kernel_ms.summary() : std::nullopt},
      .comparison = compares ? compare_lanes(a.times.kernel_ms.values(), b.times.kernel_ms.values()) : Comparison{}};
}

bool Pipeline::times_are_of(const AppStatus& status) const {
  return std::equal(lanes_.begin(), lanes_.end(), status.lanes.begin(), [](const Lane& lane, const LaneStatus& shown) {
    if (!lane.active || !shown.active) return lane.active == shown.active;
    return lane.times.series == shown.times.generation && shown.times.kernel_ms && shown.times.kernel_ms->count >= 8;
  });
}

void Pipeline::fill(AppStatus& status) const {
  const DeviceReport device = on_.gpu ? on_.gpu->device() : on_.cpu.device();
  status.device.no_gpu = no_gpu_;
  status.device.connecting = connecting_.valid();
  status.device.name = device.name;
  if (!device.architecture.empty()) status.device.architecture = device.architecture;
  status.device.detail = device.detail;
  status.device.limits = limits();
  if (const auto& picture = on_.frames.picture()) {
    status.source.name = picture->name;
    status.source.note = picture->note;
    status.source.size = picture->size;
    status.source.channels = picture->channels;
  }
  status.code.kernels = sources_.texts();
  status.code.kernels_from = kernels_from_;
  status.code.edited_here.clear();
  for (const auto& [file, text] : sources_.used()) status.code.edited_here.insert(file);
  fill_filter(filter_, status);
  status.picture.reference_progress = reference_.progress();
  for (int i = 0; i < max_lanes; ++i) {
    lanes_[i].report(status.lanes[i]);
    LaneStatus& lane = status.lanes[i];
    lane.outdated = lanes_[i].plan() ? live_.outdated(*lanes_[i].plan(), sources_, !lanes_[i].on_cpu) : "";
    const Variant* variant = lanes_[i].planned ? find_variant(lanes_[i].planned->inputs.lane.variant) : nullptr;
    lane.edited = variant ? live_.report(kernel_file_of(*variant)) : nullptr;
    if (lane.log.empty()) lane.log = lane.outdated;  // its lines are marked in the source
  }
}

}  // namespace conv
