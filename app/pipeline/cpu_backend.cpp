#include "app/pipeline/cpu_backend.h"

#include <fmt/format.h>

#include "kernels/ops/whole_images.h"

namespace conv {

DeviceReport CpuBackend::device() const {
  return {.name = fmt::format("CPU executor, {} threads", worker_.threads())};
}

Collected CpuBackend::collect(int index) {
  std::optional<CpuResult> result = worker_.take(index);
  if (!result) return {};
  const CpuJob& done = result->job;
  if (!result->error.empty()) return {.result_of = done.job, .is_preview = done.is_preview, .failed = result->error};
  if (done.trace) done.trace->came(done.job.plan.get(), index, result->began, result->spans);
  results_[index] = std::move(result->image);
  if (done.is_preview) return {.result_of = done.job, .is_preview = true};
  return {.times = {{done.job.number, Running::exact, std::move(result->spans)}}, .result_of = done.job};
}

Result<Submitted> CpuBackend::submit(int index, const LaneJob& job) {
  worker_.submit(index, {job, frames_.image(job.plan->format), trace_});
  if (trace_) trace_->await();
  return Submitted{.running = Running::exact, .later = true};
}

Result<bool> CpuBackend::write_texture(int index, DisplayTexture& texture) {
  const HostImage& result = results_[index];
  const PixelType shown = info(result.type).display;
  if (shown == result.type) return texture.upload(result).map([] { return true; });
  HostImage drawn(shown, result.size);
  convert_on_host(result, drawn);
  return texture.upload(drawn).map([] { return true; });
}

void CpuBackend::start_race(std::shared_ptr<const HostImage> source) {
  end_race();
  race_source_ = std::move(source);
}

void CpuBackend::end_race() {
  worker_.cancel(CpuWorker::race_lane);
  racer_ = -1;
}

Result<Backend::Turn> CpuBackend::start_turn(int racer, const std::shared_ptr<const LaunchPlan>& plan, int) {
  worker_.submit(CpuWorker::race_lane, {.job = {.plan = plan}, .source = race_source_});
  racer_ = racer;
  return Turn{.queued = true};
}

std::optional<Backend::TurnTime> CpuBackend::finished_turn(int racer) {
  if (racer != racer_) return std::nullopt;
  std::optional<CpuResult> result = worker_.take(CpuWorker::race_lane);
  if (!result) return std::nullopt;
  racer_ = -1;
  if (!result->error.empty()) return TurnTime{.failed = result->error};
  race_image_ = std::move(result->image);
  return TurnTime{.ms = total_ms(result->spans)};
}

}  // namespace conv
