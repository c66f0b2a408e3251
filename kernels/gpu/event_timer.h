// Durations on the GPU between marks in a stream, read some frames later without waiting.
#pragma once
#include <cuda_runtime_api.h>

#include <deque>
#include <optional>
#include <vector>

#include "kernels/core/error.h"

// Owns its events. Several measurements can be on their way; they come back in order.
class EventTimer {
 public:
  EventTimer() = default;
  ~EventTimer();
  EventTimer(EventTimer&&) noexcept = default;
  EventTimer& operator=(EventTimer&& other) noexcept;

  // The first mark of a measurement; drops one that was not finished.
  Result<void> begin(cudaStream_t stream);
  Result<void> mark(cudaStream_t stream);
  // Hands the marks since begin over to poll.
  void finish();

  // Milliseconds between neighbouring marks of the oldest finished measurement, once the GPU has passed its last mark.
  Result<std::optional<std::vector<float>>> poll();

 private:
  std::vector<cudaEvent_t> spare_, open_;
  std::deque<std::vector<cudaEvent_t>> finished_;
};
