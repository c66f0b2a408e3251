#include "kernels/gpu/event_timer.h"

#include <utility>

#include "kernels/gpu/cuda_check.h"

EventTimer::~EventTimer() {
  finished_.push_back(std::move(open_));
  finished_.push_back(std::move(spare_));
  for (const auto& events : finished_)
    for (cudaEvent_t event : events) cudaEventDestroy(event);
}

EventTimer& EventTimer::operator=(EventTimer&& other) noexcept {
  std::swap(spare_, other.spare_);
  std::swap(open_, other.open_);
  std::swap(finished_, other.finished_);
  return *this;
}

Result<void> EventTimer::begin(cudaStream_t stream) {
  spare_.insert(spare_.end(), open_.begin(), open_.end());
  open_.clear();
  return mark(stream);
}

Result<void> EventTimer::mark(cudaStream_t stream) {
  if (spare_.empty()) {
    cudaEvent_t event = nullptr;
    CONV_TRY_CUDA(cudaEventCreate(&event));
    spare_.push_back(event);
  }
  open_.push_back(spare_.back());
  spare_.pop_back();
  CONV_TRY_CUDA(cudaEventRecord(open_.back(), stream));
  return {};
}

void EventTimer::finish() {
  finished_.push_back(std::exchange(open_, {}));
}

Result<std::optional<std::vector<float>>> EventTimer::poll() {
  if (finished_.empty()) return std::nullopt;
  const cudaError_t status = cudaEventQuery(finished_.front().back());
  if (status == cudaErrorNotReady) return std::nullopt;
  CONV_TRY_CUDA(status);
  std::vector<cudaEvent_t> events = std::move(finished_.front());
  finished_.pop_front();
  std::vector<float> durations;
  for (std::size_t i = 1; i < events.size(); ++i) {
    float ms = 0;
    CONV_TRY_CUDA(cudaEventElapsedTime(&ms, events[i - 1], events[i]));
    durations.push_back(ms);
  }
  spare_.insert(spare_.end(), events.begin(), events.end());
  return durations;
}
