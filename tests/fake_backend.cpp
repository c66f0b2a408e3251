#include "fake_backend.h"

#include <algorithm>

namespace conv {

DeviceLimits FakeBackend::limits() const {
  DeviceLimits limits;
  limits.name = "Fake GPU";
  limits.compute_capability = 90;
  return limits;
}

Running FakeBackend::kernel_of(const LaneState& lane) const {
  const int age = frame_ - lane.since;
  if (age < script_.compiles_for) return Running::nothing;
  return age < script_.compiles_for + script_.general_for ? Running::general : Running::exact;
}

Result<Submitted> FakeBackend::submit(int index, const LaneJob& job) {
  LaneState& lane = lanes_[index];
  if (!script_.submit_error.empty()) return failure(script_.submit_error);
  if (lane.plan != job.plan.get()) {
    lane.plan = job.plan.get();
    lane.since = frame_;
    lane.launched = false;
  }
  if (!script_.compile_error.empty()) return Submitted{.running = Running::nothing, .error = script_.compile_error};
  const Running running = kernel_of(lane);
  if (running == Running::nothing) return Submitted{};
  lane.result = HostImage(job.plan->format, job.plan->image);
  CONV_TRY(executor_.run(*job.plan, *frames_.image(job.plan->format), lane.result));
  const bool first = !std::exchange(lane.launched, true);
  lane.in_flight.push_back({job.number, running, script_.kernel_ms * (first ? 10.0f : 1.0f), frame_});
  ++script_.launches;
  script_.most_in_flight = std::max(script_.most_in_flight, static_cast<int>(lane.in_flight.size()));
  return Submitted{.running = running};
}

Collected FakeBackend::collect(int index) {
  LaneState& lane = lanes_[index];
  Collected collected;
  while (!lane.in_flight.empty() && frame_ - lane.in_flight.front().frame >= script_.late_by) {
    const Launch launch = lane.in_flight.front();
    lane.in_flight.pop_front();
    collected.times.push_back({launch.number, launch.running, {{0, launch.ms}}});
    if (script_.to_texture_ms > 0) collected.to_texture_ms = script_.to_texture_ms;
  }
  return collected;
}

void FakeBackend::begin_frame(const FrameJob& job) {
  ++frame_;
  script_.textures = job.textures.size();
  script_.copies = std::ranges::any_of(job.plans, [](const auto& plan) { return plan->transfers(); });
}

Result<bool> FakeBackend::write_texture(int index, DisplayTexture& texture) {
  if (!script_.late_fault.empty()) script_.fault = std::exchange(script_.late_fault, {});
  if (!script_.fault.empty()) return failure(script_.fault);  // as every call after a fault
  if (!script_.texture_error.empty()) return failure(script_.texture_error);
  if (!script_.shows) return false;
  const HostImage& result = lanes_[index].result;
  const auto registers = [](GLuint, std::shared_ptr<void>& registration) -> Result<void> {
    if (!registration) registration = std::make_shared<int>();
    return {};
  };
  if (script_.in_place) texture.write_in_place(result.type, result.size, registers);
  return texture.upload(result).map([] { return true; });
}

Result<Backend::Turn> FakeBackend::start_turn(int racer, const std::shared_ptr<const LaunchPlan>& plan, int) {
  if (!script_.refused_racer.empty()) return Turn{.refused = script_.refused_racer};
  HostImage& result = results_[racer] = HostImage(plan->format, plan->image);
  CONV_TRY(executor_.run(*plan, *race_source_, result));
  turns_[racer].push_back(frame_);
  return Turn{.queued = true};
}

std::optional<Backend::TurnTime> FakeBackend::finished_turn(int racer) {
  auto& turns = turns_[racer];
  if (turns.empty() || frame_ - turns.front() < script_.late_by) return std::nullopt;
  turns.pop_front();
  return TurnTime{.ms = script_.kernel_ms};
}

BackendFactory fake_backends(FakeScript& script) {
  return {.connect = [answers = script.answers]() -> Result<void> {
            answers->wait(false);
            return {};
          },
          .create = [&script](const BackendOptions& options) -> Result<std::unique_ptr<Backend>> {
            if (!script.create_error.empty()) return failure(script.create_error);
            ++script.created;
            return std::make_unique<FakeBackend>(script, options);
          },
          .reset =
              [&script] {
                ++script.reset;
                script.fault.clear();
              }};
}

}  // namespace conv
