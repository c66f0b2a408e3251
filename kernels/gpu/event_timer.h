// Times on the GPU between marks in streams, read some frames later without waiting.
#pragma once
#include <cuda_runtime_api.h>

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/plan.h"

// Owns its events. Several measurements can be on their way; they come back in order. A mark is recorded in a stream of
// the device that is current.
class EventTimer {
 public:
  EventTimer() = default;
  ~EventTimer();
  EventTimer(EventTimer&&) noexcept = default;
  EventTimer& operator=(EventTimer&& other) noexcept;

  // The first mark of a measurement, number 0; drops one that was not finished.
  Result<void> begin(cudaStream_t stream);
  // The next mark, and a span from the one before it to this one.
  Result<void> mark(cudaStream_t stream);
  // The next mark alone: its number.
  Result<int> record(cudaStream_t stream, int device = 0);
  // A span between two marks. origin: a mark of the same device that times count from.
  void span(int origin, int from, int to) { open_.spans.push_back({origin, from, to}); }
  cudaEvent_t event(int mark) const { return open_.events[mark].event; }
  // Hands the spans since begin over to poll. The last mark must come after all others.
  void finish();

  // The spans of the oldest finished measurement, once the GPU has passed its last mark.
  Result<std::optional<std::vector<StepSpan>>> poll();

 private:
  struct Event {
    cudaEvent_t event;
    int device;
  };
  struct Span {
    int origin, from, to;
  };
  struct Measurement {
    std::vector<Event> events;
    std::vector<Span> spans;
  };
  void recycle(const Measurement& done);

  std::map<int, std::vector<cudaEvent_t>> spare_;  // by device
  Measurement open_;
  std::deque<Measurement> finished_;
};
