// When the stages of one frame ran, on the host's clock: the frame as a timeline.
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

// What works in parallel, in the order in which a frame passes it.
enum class TracedBy { source, window, processor, graphics };

struct TracedStage {
  std::string title;
  TracedBy by = TracedBy::window;
  int device = 0, stream = 0;      // of a processor
  int lane = -1;                   // -1: of all lanes
  bool waits = false;              // for its time, for the display, or for another stage
  float begin_ms = 0, end_ms = 0;  // since the start of the window's frame; the source's stages are before it
  float ms() const { return end_ms - begin_ms; }
};

class FrameTrace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit FrameTrace(Time start) : start_(start) {}
  Time start() const { return start_; }

  void add(TracedStage stage, Time from, Time to);
  // Processors report some frames later: came() for each report that was announced. What began before this frame
  // belongs to an earlier one.
  void await() { ++awaited_; }
  // Adds the steps of a plan; the spans are relative to `began`. plan: null if it does not exist any more.
  void came(const LaunchPlan* plan, int lane, Time began, const std::vector<StepSpan>& spans);
  // Adds one stage.
  void came(TracedStage stage, Time began, const StepSpan& span);
  // The window has finished its part.
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
