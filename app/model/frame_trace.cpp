#include "app/model/frame_trace.h"

#include <utility>

namespace conv {

void FrameTrace::add(TracedStage stage, Time from, Time to) {
  stage.begin_ms = ms_between(start_, from);
  stage.end_ms = ms_between(start_, to);
  stages_.push_back(std::move(stage));
}

void FrameTrace::came(TracedStage stage, Time began, const StepSpan& span) {
  if (began < start_) return;
  --awaited_;
  const float origin = ms_between(start_, began);
  stage.begin_ms = origin + span.begin_ms;
  stage.end_ms = origin + span.end_ms;
  stages_.push_back(std::move(stage));
}

void FrameTrace::came(const LaunchPlan* plan, int lane, Time began, const std::vector<StepSpan>& spans) {
  if (began < start_) return;
  --awaited_;
  if (!plan || plan->steps.size() != spans.size()) return;
  awaited_ += static_cast<int>(spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const StepBase& step = base_of(plan->steps[i]);
    came({.title = std::string(plan->title_of(i)),
          .by = TracedBy::processor,
          .device = step.device,
          .stream = step.stream,
          .lane = lane},
         began, spans[i]);
  }
}

}  // namespace conv
