// When the stages of the window's frames run: their medians, and one frame out of many as a timeline.
#pragma once
#include <array>
#include <chrono>
#include <memory>

#include "app/measure/time_samples.h"
#include "app/model/status.h"

namespace conv {

class FrameTimes {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // In the order of a frame; each begins where the one before ends.
  enum class Stage { input, submit, panels, gl_calls, swap, end };

  // Starts a frame. Returns the time since the start of the last one in ms; 16 for the first.
  float begin();
  // The window slept: the next frame is counted as the first one is.
  void pause() { began_[static_cast<std::size_t>(Stage::input)] = {}; }
  // `stage` begins now.
  void enter(Stage stage);
  // The frame was given to the display. arrived: the moving source's frame that it shows; may be null.
  void end(const Frame* arrived);

  // Traces one frame if requested, if the last trace is old, and if lanes can be timed.
  void trace_if(bool wanted, bool lane_is_free, const Frame* arrived);
  // The trace of this frame; null if it is not traced.
  std::shared_ptr<FrameTrace> trace() const { return trace_ && !trace_->ended() ? trace_ : nullptr; }
  // The trace of this frame, or of an earlier frame whose times are still to arrive.
  FrameTrace* unfinished_trace() const { return trace_.get(); }

  Time frame_start() const { return at(Stage::input); }
  void report(FrameStatus& status) const;
  std::optional<Summary> latency_ms() const { return latency_ms_.summary(); }
  // The last complete trace; null before the first.
  std::shared_ptr<const FrameTrace> last_trace() const { return last_trace_; }

 private:
  Time at(Stage stage) const { return began_[static_cast<std::size_t>(stage)]; }

  std::array<Time, static_cast<std::size_t>(Stage::end) + 1> began_{};
  Samples frame_ms_, submit_ms_, panels_ms_, swap_ms_, latency_ms_;
  std::shared_ptr<FrameTrace> trace_;  // in progress
  std::shared_ptr<const FrameTrace> last_trace_;
};

}  // namespace conv
