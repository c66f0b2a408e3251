#include "app/ui/panels/thread_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

constexpr int steps_per_second = 4;

// The thread, if it is one of this kernel.
const FollowedThread* thread_of(const PanelContext& context, const KernelStep& step) {
  const auto& thread = context.status.thread;
  return thread && thread->question.block.step == &step && !thread->recording.steps.empty() ? thread.get() : nullptr;
}

int last_step(const FollowedThread& thread) {
  return static_cast<int>(thread.recording.steps.size()) - 1;
}

void draw_controls(ThreadView& view, const FollowedThread& thread) {
  const int last = last_step(thread);
  ImGui::PushItemFlag(ImGuiItemFlags_ButtonRepeat, true);
  if (ImGui::Button("<")) --view.step;
  tooltip("The step before. Ctrl+Page up");
  ImGui::SameLine();
  if (ImGui::Button(">")) ++view.step;
  tooltip("The next step. Ctrl+Page down");
  ImGui::PopItemFlag();
  ImGui::SameLine();
  if (ImGui::Button(view.playing ? "Pause###play" : "Play###play")) view.playing = !view.playing;
  ImGui::SameLine();
  int shown = std::clamp(view.step, 0, last) + 1;
  ImGui::SetNextItemWidth(-1);
  if (ImGui::SliderInt("##step", &shown, 1, last + 1, fmt::format("step %d of {}", grouped(last + 1)).c_str(),
                       ImGuiSliderFlags_AlwaysClamp))
    view.step = shown - 1;
  if (view.playing && ImGui::GetTime() > view.next_step) {
    view.step = view.step < last ? view.step + 1 : 0;
    view.next_step = ImGui::GetTime() + 1.0 / steps_per_second;
  }
  view.step = std::clamp(view.step, 0, last);
}

}  // namespace

bool is_in(conv_cpu::CallSite site, std::string_view file) {
  return to_text(site).starts_with(fmt::format("{}:", file));
}

void draw_thread_steps(PanelContext& context, const KernelStep& step, bool is_short) {
  const Palette& p = context.look.colours;
  const FollowedThread* thread = thread_of(context, step);
  if (!thread) return caption("recording", p.quiet);
  ThreadView& view = context.ui.panels.thread;
  draw_controls(view, *thread);
  const std::vector<ThreadStep>& steps = thread->recording.steps;
  const ThreadStep& now = steps[static_cast<std::size_t>(view.step)];
  std::vector<std::string> lines = text_of(*thread, now);
  if (!is_in(now.line, step.kernel.file)) lines.push_back("in " + to_text(now.line));
  if (view.step > 0 && now.epoch != steps[static_cast<std::size_t>(view.step) - 1].epoch)
    lines.emplace_back("after a barrier: all threads of the block have come this far");
  if (is_short) {
    caption(lines.front(), p.text);
    return tooltip(fmt::format("{}\n{}", fmt::join(lines, "\n"), fmt::join(origin_of(*thread), "\n")));
  }
  for (const std::string& line : lines) caption(line, &line == &lines.front() ? p.text : p.quiet);
  ImGui::Separator();
  for (const std::string& line : origin_of(*thread)) caption(line, p.quiet);
  if (!thread->recording.complete)
    caption(fmt::format("Only the first {} steps are recorded.", grouped(ThreadRecording::most_steps)), p.fault);
}

int line_of_step(const PanelContext& context, const KernelStep& step) {
  const FollowedThread* thread = thread_of(context, step);
  if (!thread) return 0;
  const int at = std::clamp(context.ui.panels.thread.step, 0, last_step(*thread));
  const conv_cpu::CallSite& line = thread->recording.steps[static_cast<std::size_t>(at)].line;
  return is_in(line, step.kernel.file) ? line.line : 0;
}

void go_to_line(PanelContext& context, const KernelStep& step, int line) {
  const FollowedThread* thread = thread_of(context, step);
  if (!thread) return;
  ThreadView& view = context.ui.panels.thread;
  const std::vector<ThreadStep>& steps = thread->recording.steps;
  const int count = last_step(*thread) + 1;
  for (int i = 1; i <= count; ++i) {
    const int at = (view.step + i) % count;
    const conv_cpu::CallSite& site = steps[static_cast<std::size_t>(at)].line;
    if (site.line != line || !is_in(site, step.kernel.file)) continue;
    view.step = at;
    view.playing = false;
    return;
  }
}

}  // namespace conv
