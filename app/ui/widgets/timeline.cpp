#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

// Something that ran: its row, start and end.
struct Bar {
  std::size_t row = 0;
  float begin_ms = 0, end_ms = 0;
  ImVec4 colour;
  bool hollow = false;
  std::string what;
};

// From the start of the first to the end of the last.
StepSpan extent(const std::vector<Bar>& bars) {
  StepSpan all{bars.front().begin_ms, bars.front().end_ms};
  for (const Bar& bar : bars) all = {std::min(all.begin_ms, bar.begin_ms), std::max(all.end_ms, bar.end_ms)};
  return all;
}

// Rows of bars over the panel's width, which is their whole time.
void draw_bars(PanelContext& context, float label, const std::vector<std::string>& rows, const std::vector<Bar>& bars) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain, height = 12 * scale, gap = 3 * scale;
  const StepSpan all = extent(bars);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float left = top.x + label * scale, width = ImGui::GetContentRegionAvail().x - label * scale;
  const auto y = [&](std::size_t row) { return top.y + static_cast<float>(row) * (height + gap); };
  const auto x = [&](float ms) { return left + width * (ms - all.begin_ms) / std::max(all.ms(), 1e-6f); };
  ImDrawList* draw = ImGui::GetWindowDrawList();
  ImGui::PushFont(context.look.fonts.words, text_size::caption);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    draw->AddText({top.x, y(row) - 2 * scale}, ImGui::GetColorU32(p.quiet), rows[row].c_str());
    draw->AddLine({left, y(row) + height / 2}, {left + width, y(row) + height / 2}, ImGui::GetColorU32(p.hairline));
  }
  ImGui::PopFont();
  const auto draw_bar = [&](const Bar& bar) {
    const ImVec2 from{x(bar.begin_ms), y(bar.row)}, to{std::max(from.x + 1, x(bar.end_ms)), y(bar.row) + height};
    const ImU32 colour = ImGui::GetColorU32(bar.colour);
    bar.hollow ? draw->AddRect(from, to, colour) : draw->AddRectFilled(from, to, colour);
    if (ImGui::IsMouseHoveringRect(from, to) && ImGui::IsWindowHovered())
      ImGui::SetTooltip("%s",
                        fmt::format("{}: {} ms, from {} to {} ms", bar.what, three_digits(bar.end_ms - bar.begin_ms),
                                    three_digits(bar.begin_ms), three_digits(bar.end_ms))
                            .c_str());
  };
  for (const bool hollow : {false, true})  // work is drawn over waiting
    for (const Bar& bar : bars)
      if (bar.hollow == hollow) draw_bar(bar);
  ImGui::Dummy({label * scale + width, static_cast<float>(rows.size()) * (height + gap)});
}

bool moves_to_host(const Step& step) {
  return base_of(step).writes.role == ImageRole::host_target;
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
  if (!has_timeline(lane) || lane.times.timeline.empty() || lane.times.timeline.size() != lane.plan->steps.size())
    return;
  const Palette& p = context.look.colours;
  const LaunchPlan& plan = *lane.plan;
  std::map<std::pair<int, int>, std::size_t> row_of;
  for (const Step& step : plan.steps) row_of.try_emplace({base_of(step).device, base_of(step).stream}, 0);
  std::vector<std::string> rows;
  for (auto& [place, row] : row_of) {
    row = rows.size();
    rows.push_back(plan.transfers()                           ? fmt::format("stream {}", place.second + 1)
                   : context.status.device.limits.devices > 1 ? fmt::format("GPU {}", place.first)
                                                              : fmt::format("sim. GPU {}", place.second + 1));
  }
  // Kernels in the lane's colour, copies to the device filled, copies back hollow.
  std::vector<Bar> bars;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const StepBase& step = base_of(plan.steps[i]);
    const bool kernel = std::holds_alternative<KernelStep>(plan.steps[i]);
    bars.push_back({.row = row_of[{step.device, step.stream}],
                    .begin_ms = lane.times.timeline[i].begin_ms,
                    .end_ms = lane.times.timeline[i].end_ms,
                    .colour = kernel ? p.lane[index] : p.quiet,
                    .hollow = moves_to_host(plan.steps[i]),
                    .what = fmt::format("{} ({})", step.title, kind_of(plan.steps[i]))});
  }
  caption(fmt::format("Timeline of {}, last launch: {} ms", index == 0 ? "A" : "B",
                      three_digits(total_ms(lane.times.timeline))),
          p.text);
  draw_bars(context, 84, rows, bars);
  if (lane.on_cpu) caption("The CPU executor has one stream: nothing overlaps.", p.quiet);
}

namespace {

std::string row_title(const TracedStage& stage, const std::string& processor) {
  switch (stage.by) {
    case TracedBy::source: return "source";
    case TracedBy::window: return "window";
    case TracedBy::graphics: return "OpenGL";
    case TracedBy::processor: break;
  }
  if (stage.device > 0) return fmt::format("{} {}", processor, stage.device);
  return stage.stream > 0 ? fmt::format("stream {}", stage.stream + 1) : processor;
}

// The rows of a trace, in the order of their threads, devices and streams, and which one each stage belongs to.
struct TraceRows {
  using Key = std::tuple<TracedBy, int, int>;
  std::vector<std::string> titles;
  std::map<Key, std::size_t> row_of;

  TraceRows(const std::vector<TracedStage>& stages, const std::string& processor) {
    std::map<Key, std::string> title_of;
    for (const TracedStage& stage : stages) title_of.try_emplace(key(stage), row_title(stage, processor));
    for (const auto& [place, title] : title_of) {
      row_of.emplace(place, titles.size());
      titles.push_back(title);
    }
  }
  static Key key(const TracedStage& stage) { return {stage.by, stage.device, stage.stream}; }
};

// Stages of A and B have their lane's colour. Others differ from their neighbours in shade.
std::vector<Bar> bars_of(const std::vector<TracedStage>& stages, const TraceRows& rows, const Palette& p) {
  std::vector<Bar> bars;
  std::vector<int> in_row(rows.titles.size());
  for (const TracedStage& stage : stages) {
    const std::size_t row = rows.row_of.at(TraceRows::key(stage));
    const ImVec4 shade = in_row[row]++ % 2 == 0 ? p.quiet : p.disabled;
    const std::string what = stage.lane < 0 ? stage.title : fmt::format("{} {}", char('A' + stage.lane), stage.title);
    bars.push_back({.row = row,
                    .begin_ms = stage.begin_ms,
                    .end_ms = stage.end_ms,
                    .colour = stage.lane == 0 || stage.lane == 1 ? p.lane[stage.lane] : shade,
                    .hollow = stage.waits,
                    .what = what});
  }
  return bars;
}

}  // namespace

void draw_frame_timeline(PanelContext& context) {
  const std::shared_ptr<const FrameTrace> trace = context.status.frame.trace;
  context.ui.wants.trace = true;
  if (!trace || trace->stages().empty()) return;
  const TraceRows rows(trace->stages(), context.status.device.no_gpu.empty() ? "GPU" : "CPU");
  const std::vector<Bar> bars = bars_of(trace->stages(), rows, context.look.colours);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  caption(fmt::format("Timeline of one frame: {} ms", three_digits(extent(bars).ms())), context.look.colours.text);
  tooltip(
      "The latest frame, by the host's clock; 0 is where the window began it. The clocks of GPU and OpenGL are "
      "compared "
      "with the host's in the same frame. Hollow: waiting. The timeline stays still while the mouse is on it.");
  draw_bars(context, 60, rows.titles, bars);
  const ImVec2 bottom{top.x + ImGui::GetContentRegionAvail().x, ImGui::GetCursorScreenPos().y};
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(top, bottom)) context.ui.wants.trace = false;
}

}  // namespace conv
