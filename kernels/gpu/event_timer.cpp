#include "kernels/gpu/event_timer.h"

#include <utility>

#include "kernels/gpu/cuda_check.h"

namespace conv {

Result<std::shared_ptr<const ClockAnchor>> ClockAnchor::create(cudaStream_t stream) {
  cudaEvent_t event = nullptr;
  CONV_TRY_CUDA(cudaEventCreate(&event));
  const std::shared_ptr<ClockAnchor> anchor(new ClockAnchor(event));
  CONV_TRY_CUDA(cudaEventRecord(event, stream));
  CONV_TRY_CUDA(cudaEventSynchronize(event));
  anchor->passed_ = std::chrono::steady_clock::now();
  return anchor;
}

Result<ClockAnchor::Time> ClockAnchor::time_of(cudaEvent_t event) const {
  float ms = 0;
  CONV_TRY_CUDA(cudaEventElapsedTime(&ms, event_, event));
  return passed_ + std::chrono::duration_cast<Time::duration>(std::chrono::duration<float, std::milli>(ms));
}

EventTimer::~EventTimer() {
  recycle(open_);
  for (const Measurement& measurement : finished_) recycle(measurement);
  for (const auto& [device, events] : spare_)
    for (cudaEvent_t event : events) cudaEventDestroy(event);
}

EventTimer& EventTimer::operator=(EventTimer&& other) noexcept {
  std::swap(spare_, other.spare_);
  std::swap(open_, other.open_);
  std::swap(finished_, other.finished_);
  std::swap(began_, other.began_);
  return *this;
}

void EventTimer::recycle(const Measurement& done) {
  for (const Event& event : done.events) spare_[event.device].push_back(event.event);
}

Result<void> EventTimer::begin(cudaStream_t stream, std::shared_ptr<const ClockAnchor> anchor) {
  recycle(std::exchange(open_, {}));
  open_.anchor = std::move(anchor);
  CONV_TRY(record(stream));
  return {};
}

Result<int> EventTimer::record(cudaStream_t stream, int device) {
  std::vector<cudaEvent_t>& spare = spare_[device];
  if (spare.empty()) {
    cudaEvent_t event = nullptr;
    CONV_TRY_CUDA(cudaEventCreate(&event));
    spare.push_back(event);
  }
  open_.events.push_back({spare.back(), device});
  spare.pop_back();
  CONV_TRY_CUDA(cudaEventRecord(open_.events.back().event, stream));
  return static_cast<int>(open_.events.size()) - 1;
}

Result<void> EventTimer::mark(cudaStream_t stream) {
  const int to = CONV_TRY(record(stream));
  span(0, to - 1, to);
  return {};
}

void EventTimer::finish() {
  finished_.push_back(std::exchange(open_, {}));
}

Result<void> EventTimer::around(cudaStream_t stream, const std::function<Result<void>()>& work,
                                std::shared_ptr<const ClockAnchor> anchor) {
  CONV_TRY(begin(stream, std::move(anchor)));
  CONV_TRY(work());
  CONV_TRY(mark(stream));
  finish();
  return {};
}

Result<std::optional<std::vector<StepSpan>>> EventTimer::poll() {
  if (finished_.empty()) return std::nullopt;
  const cudaError_t status = cudaEventQuery(finished_.front().events.back().event);
  if (status == cudaErrorNotReady) return std::nullopt;
  CONV_TRY_CUDA(status);
  const Measurement done = std::move(finished_.front());
  finished_.pop_front();
  Result<std::vector<StepSpan>> spans = spans_of(done);
  recycle(done);
  if (!spans) return tl::unexpected(spans.error());
  return std::move(*spans);
}

Result<std::vector<StepSpan>> EventTimer::spans_of(const Measurement& done) {
  began_.reset();
  if (done.anchor) {
    began_ = CONV_TRY(done.anchor->time_of(done.events.front().event));
  }
  std::vector<StepSpan> spans;
  for (const Span& span : done.spans) {
    StepSpan& to = spans.emplace_back();
    const auto event = [&](int mark) { return done.events[mark].event; };
    if (span.from != span.origin)
      CONV_TRY_CUDA(cudaEventElapsedTime(&to.begin_ms, event(span.origin), event(span.from)));
    CONV_TRY_CUDA(cudaEventElapsedTime(&to.end_ms, event(span.origin), event(span.to)));
  }
  return spans;
}

}  // namespace conv
