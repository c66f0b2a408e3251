// Times on the GPU between marks in streams, read some frames later without waiting.
#pragma once
#include <cuda_runtime_api.h>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/plan.h"

namespace conv {

// A moment that the host's clock and the main device's have in common. Owns its event.
class ClockAnchor {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // Waits until all that is in the stream is done.
  static Result<std::shared_ptr<const ClockAnchor>> create(cudaStream_t stream);
  ~ClockAnchor() { cudaEventDestroy(event_); }
  ClockAnchor(const ClockAnchor&) = delete;
  ClockAnchor& operator=(const ClockAnchor&) = delete;

  // When a later event of the main device passed, by the host's clock.
  Result<Time> time_of(cudaEvent_t event) const;

 private:
  explicit ClockAnchor(cudaEvent_t event) : event_(event) {}
  cudaEvent_t event_;
  Time passed_;
};

// Owns its events. Several measurements can be on their way; they come back in order. A mark is recorded in a stream of
// the device that is current.
class EventTimer {
 public:
  EventTimer() = default;
  ~EventTimer();
  EventTimer(EventTimer&&) noexcept = default;
  EventTimer& operator=(EventTimer&& other) noexcept;

  // The first mark of a measurement, number 0; drops one that was not finished. anchor: tells began().
  Result<void> begin(cudaStream_t stream, std::shared_ptr<const ClockAnchor> anchor = nullptr);
  // The next mark, and a span from the one before it to this one.
  Result<void> mark(cudaStream_t stream);
  // The next mark alone: its number.
  Result<int> record(cudaStream_t stream, int device = 0);
  // A span between two marks. origin: a mark of the same device that times count from.
  void span(int origin, int from, int to) { open_.spans.push_back({origin, from, to}); }
  cudaEvent_t event(int mark) const { return open_.events[mark].event; }
  // Hands the spans since begin over to poll. The last mark must come after all others.
  void finish();

  // Begin, a span over what the work queues, finish. After an error nothing is handed over.
  Result<void> around(cudaStream_t stream, const std::function<Result<void>()>& work,
                      std::shared_ptr<const ClockAnchor> anchor = nullptr);

  // The spans of the oldest finished measurement, once the GPU has passed its last mark.
  Result<std::optional<std::vector<StepSpan>>> poll();
  // When mark 0 of the measurement polled last passed; nothing of one without an anchor.
  std::optional<ClockAnchor::Time> began() const { return began_; }

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
    std::shared_ptr<const ClockAnchor> anchor;
  };
  void recycle(const Measurement& done);
  Result<std::vector<StepSpan>> spans_of(const Measurement& done);

  std::map<int, std::vector<cudaEvent_t>> spare_;  // by device
  Measurement open_;
  std::deque<Measurement> finished_;
  std::optional<ClockAnchor::Time> began_;
};

}  // namespace conv
