#include "app/shell/frame_times.h"

#include <algorithm>
#include <utility>

namespace conv {

using Clock = std::chrono::steady_clock;

namespace {

constexpr auto trace_period = std::chrono::milliseconds(250);
constexpr auto trace_patience =
    std::chrono::seconds(5);  // for times that may never arrive, for example of a lane that was closed

}  // namespace

float FrameTimes::begin() {
  const Time last = frame_start();
  enter(Stage::input);
  if (last == Time{}) return 16;
  const float elapsed_ms = ms_between(last, frame_start());
  frame_ms_.add(elapsed_ms);
  return elapsed_ms;
}

void FrameTimes::enter(Stage stage) {
  began_[static_cast<std::size_t>(stage)] = Clock::now();
}

void FrameTimes::end(const Frame* arrived) {
  enter(Stage::end);
  submit_ms_.add(ms_between(at(Stage::submit), at(Stage::panels)));
  panels_ms_.add(ms_between(at(Stage::panels), at(Stage::gl_calls)));
  swap_ms_.add(ms_between(at(Stage::swap), at(Stage::end)));
  if (arrived) latency_ms_.add(ms_between(arrived->captured, at(Stage::end)));
  if (!trace()) return;
  trace_->add({.title = "input"}, at(Stage::input), at(Stage::submit));
  trace_->add({.title = "submit"}, at(Stage::submit), at(Stage::panels));
  trace_->add({.title = "panels"}, at(Stage::panels), at(Stage::gl_calls));
  trace_->add({.title = "GL calls"}, at(Stage::gl_calls), at(Stage::swap));
  trace_->add({.title = "swap", .waits = true}, at(Stage::swap), at(Stage::end));
  trace_->end();
}

void FrameTimes::trace_if(bool wanted, bool lane_is_free, const Frame* arrived) {
  const Time start = frame_start();
  if (trace_ && trace_->whole()) last_trace_ = std::exchange(trace_, nullptr);
  if (trace_ && start - trace_->start() > trace_patience) trace_.reset();
  const bool fresh = last_trace_ && start - last_trace_->start() < trace_period;
  if (!wanted || !lane_is_free || trace_ || fresh) return;
  trace_ = std::make_shared<FrameTrace>(start);
  if (!arrived) return;
  trace_->add({.title = "decode", .by = TracedBy::source}, arrived->decoding_began(), arrived->decoded);
  trace_->add({.title = "until its time and a frame of the window", .by = TracedBy::source, .waits = true},
              arrived->decoded, std::max(arrived->decoded, start));
}

void FrameTimes::report(FrameStatus& status) const {
  status.ms = frame_ms_.summary();
  status.launch_ms = submit_ms_.summary();
  status.panels_ms = panels_ms_.summary();
  status.swap_ms = swap_ms_.summary();
  status.display_fps = status.ms ? 1000 / status.ms->median : 0;
}

}  // namespace conv
