// When the stages of one frame ran, by the host's clock: the way of a frame as a timeline.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/plan.h"

namespace conv {

inline float ms_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<float, std::milli>(to - from).count();
}

// Who works at the same time as the others, in the order of the way.
enum class TracedBy { source, window, processor, graphics };

struct TracedStage {
  std::string title;
  TracedBy by = TracedBy::window;
  int device = 0, stream = 0;      // of a processor
  int lane = -1;                   // that it is of; -1: of all
  bool waits = false;              // for its time, the display, another
  float begin_ms = 0, end_ms = 0;  // since the window's frame began; the source comes before it
  float ms() const { return end_ms - begin_ms; }
};

class FrameTrace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit FrameTrace(Time start) : start_(start) {}
  Time start() const { return start_; }

  void add(TracedStage stage, Time from, Time to);
  // What processors do is known some frames later: came() for each of these. What began before this frame is of an
  // earlier one.
  void await() { ++awaited_; }
  // The steps of a plan, in spans that count from `began`; null: of one that is no more.
  void came(const LaunchPlan* plan, int lane, Time began, const std::vector<StepSpan>& spans);
  // One stage.
  void came(TracedStage stage, Time began, const StepSpan& span);
  // The window's part of it is over.
  void end() { ended_ = true; }
  bool ended() const { return ended_; }
  bool whole() const { return ended_ && awaited_ == 0; }
  const std::vector<TracedStage>& stages() const { return stages_; }

 private:
  Time start_;
  int awaited_ = 0;
  bool ended_ = false;
  std::vector<TracedStage> stages_;
};

}  // namespace conv
