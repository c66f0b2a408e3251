#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/ui/panels.h"
#include "app/ui/widgets.h"

namespace {

bool moves_to_host(const Step& step) {
  return base_of(step).writes.role == ImageRole::host_target;
}

// Kernels in the lane's colour, ways to the device filled, ways back hollow.
void draw_bar(ImDrawList* draw, const Palette& p, int lane, const Step& step, ImVec2 from, ImVec2 to) {
  if (std::holds_alternative<KernelStep>(step))
    draw->AddRectFilled(from, to, ImGui::GetColorU32(p.lane[lane]));
  else if (moves_to_host(step))
    draw->AddRect(from, to, ImGui::GetColorU32(p.quiet));
  else
    draw->AddRectFilled(from, to, ImGui::GetColorU32(p.quiet));
}

std::string_view kind_of(const Step& step) {
  return std::holds_alternative<KernelStep>(step) ? "kernel" : moves_to_host(step) ? "download" : "copy";
}

}  // namespace

bool has_timeline(const LaneStatus& lane) {
  return lane.active && lane.plan && (lane.plan->spread() || lane.plan->transfers());
}

void draw_timeline(PanelContext& context, int index) {
  const LaneStatus& lane = context.status.lanes[index];
  if (!has_timeline(lane) || lane.timeline.size() != lane.plan->steps.size()) return;
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain, height = 12 * scale, gap = 3 * scale, label = 84 * scale;
  const LaunchPlan& plan = *lane.plan;
  std::map<std::pair<int, int>, int> rows;
  for (const Step& step : plan.steps) rows.try_emplace({base_of(step).device, base_of(step).stream}, 0);
  int row = 0;
  for (auto& [place, number] : rows) number = row++;

  const float total = std::max(total_ms(lane.timeline), 1e-6f);
  float start = lane.timeline.front().begin_ms;
  for (const StepSpan& span : lane.timeline) start = std::min(start, span.begin_ms);
  caption(fmt::format("Timeline of {}, last launch: {} ms", index == 0 ? "A" : "B", three_digits(total)), p.text);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - label;
  ImGui::PushFont(context.look.fonts.words, text_size::caption);
  for (const auto& [place, number] : rows) {
    const float y = top.y + static_cast<float>(number) * (height + gap);
    const std::string text = plan.transfers()                    ? fmt::format("stream {}", place.second + 1)
                             : context.status.limits.devices > 1 ? fmt::format("GPU {}", place.first)
                                                                 : fmt::format("sim. GPU {}", place.second + 1);
    draw->AddText({top.x, y - 2 * scale}, ImGui::GetColorU32(p.quiet), text.c_str());
    draw->AddLine({top.x + label, y + height / 2}, {top.x + label + width, y + height / 2},
                  ImGui::GetColorU32(p.hairline));
  }
  ImGui::PopFont();
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const StepBase& step = base_of(plan.steps[i]);
    const StepSpan& span = lane.timeline[i];
    const float y = top.y + static_cast<float>(rows[{step.device, step.stream}]) * (height + gap);
    const ImVec2 from{top.x + label + width * (span.begin_ms - start) / total, y};
    const ImVec2 to{std::max(from.x + 1, top.x + label + width * (span.end_ms - start) / total), y + height};
    draw_bar(draw, p, index, plan.steps[i], from, to);
    if (ImGui::IsMouseHoveringRect(from, to))
      ImGui::SetTooltip("%s",
                        fmt::format("{} ({}): {} ms, from {} to {} ms", step.title, kind_of(plan.steps[i]),
                                    three_digits(span.ms()), three_digits(span.begin_ms), three_digits(span.end_ms))
                            .c_str());
  }
  ImGui::Dummy({label + width, static_cast<float>(rows.size()) * (height + gap)});
  if (lane.on_cpu) caption("The CPU executor has one stream: nothing overlaps.", p.quiet);
}
