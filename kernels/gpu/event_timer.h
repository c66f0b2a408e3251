// Measures times on the GPU between marks in streams, and reads them some frames later without waiting.
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

// A moment known on both the host's clock and the device's clock. Owns its event.
class ClockAnchor {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // Waits until the stream is empty.
  static Result<std::shared_ptr<const ClockAnchor>> create(cudaStream_t stream);
  ~ClockAnchor() { cudaEventDestroy(event_); }
  ClockAnchor(const ClockAnchor&) = delete;
  ClockAnchor& operator=(const ClockAnchor&) = delete;

  // When a later event of the main device passed, on the host's clock.
  Result<Time> time_of(cudaEvent_t event) const;

 private:
  explicit ClockAnchor(cudaEvent_t event) : event_(event) {}
  cudaEvent_t event_;
  Time passed_;
};

// Owns its events. Several measurements can be in flight; they are returned in order. A mark is recorded in a stream of
// the current device.
class EventTimer {
 public:
  EventTimer() = default;
  ~EventTimer();
  EventTimer(EventTimer&&) noexcept = default;
  EventTimer& operator=(EventTimer&& other) noexcept;

  // Records the first mark of a measurement, number 0; drops a measurement that was not finished. anchor: enables
  // began().
  Result<void> begin(cudaStream_t stream, std::shared_ptr<const ClockAnchor> anchor = nullptr);
  // Records the next mark, and a span from the previous mark to it.
  Result<void> mark(cudaStream_t stream);
  // Records the next mark and returns its number.
  Result<int> record(cudaStream_t stream, int device = 0);
  // Adds a span between two marks. origin: the mark of the same device that times are relative to.
  void span(int origin, int from, int to) { open_.spans.push_back({origin, from, to}); }
  cudaEvent_t event(int mark) const { return open_.events[mark].event; }
  // Ends the measurement; poll will return its spans. The last mark must come after all others.
  void finish();

  // begin, a span around the work that is queued, finish. After an error nothing is measured.
  Result<void> around(cudaStream_t stream, const std::function<Result<void>()>& work,
                      std::shared_ptr<const ClockAnchor> anchor = nullptr);

  // The spans of the oldest finished measurement, once the GPU has passed its last mark.
  Result<std::optional<std::vector<StepSpan>>> poll();
  // When mark 0 of the measurement polled last passed; nothing if it had no anchor.
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
