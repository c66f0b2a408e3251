#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <span>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/verdict.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

constexpr const char* unknown = "–";
constexpr const char* thin = "\u2009";

std::string ms_text(const std::optional<Summary>& ms) {
  return ms ? three_digits(ms->median) : unknown;
}

std::string megapixels_per_second(const AppStatus& status, const std::optional<Summary>& ms) {
  if (!ms || ms->median <= 0) return unknown;
  return three_digits(static_cast<double>(status.source.size.area()) / ms->median / 1000);
}

// Letter and variant, and the large number.
void draw_headline(PanelContext& context, int index) {
  const Palette& p = context.look.colours;
  const Fonts& fonts = context.look.fonts;
  const LaneStatus& lane = context.status.lanes[index];
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImGui::TextColored(p.lane[index], "%c", 'A' + index);
  ImGui::SameLine();
  ImGui::TextDisabled("%s", context.settings.lanes[index].variant.c_str());
  if (lane.on_cpu) {
    flow(ImGui::CalcTextSize("· CPU time").x);
    ImGui::TextDisabled("· CPU time");
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(8, 2) * scale);
  const auto& ms = context.status.best.ms[index];
  number(fonts, ms_text(ms), p.text, text_size::big);
  if (!ms) tooltip(lane.refusal.empty() ? "Not measured yet." : lane.refusal);
  ImGui::SameLine(0, 4 * scale);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + 14 * scale);
  number(fonts, "ms", p.quiet);
  ImGui::PopStyleVar();
}

std::string_view what_is_timed(const LaneStatus& lane) {
  if (lane.on_cpu) return "CPU time of all passes of the plan, by a steady clock.";
  if (lane.includes_transfers())
    return "CUDA events from the first upload to the last download: host memory to host memory.";
  return "CUDA events around the kernel passes only: no upload, no copy to the texture. One launch per frame.";
}

// The parts of the number.
void draw_details(const PanelContext& context, int index) {
  const Palette& p = context.look.colours;
  const LaneStatus& lane = context.status.lanes[index];
  const BestTimes& best = context.status.best;
  // As many lines without a time as with one: what is below does not move.
  const auto& ms = best.ms[index];
  caption(ms ? fmt::format("{} to {}{}ms, p10 to p90", three_digits(ms->p10), three_digits(ms->p90), thin)
             : std::string(unknown),
          p.quiet);
  tooltip(what_is_timed(lane));
  if (lane.times.cold_ms && !lane.on_cpu) {
    caption(fmt::format("first launch {}{}ms (cold, excluded)", three_digits(*lane.times.cold_ms), thin), p.quiet);
    tooltip(
        "Caches and clocks are cold at the first launch after a change. It is shown, but not one of the 64 samples.");
  }
  if (lane.includes_transfers()) caption("including both transfers", p.quiet);
  if (!lane.note.empty()) return caption(lane.note, lane.log.empty() ? p.quiet : p.fault);
  const int count = best.ms[index] ? best.ms[index]->count : 0;
  caption(fmt::format("{}{}Mpx/s · {} {} samples", megapixels_per_second(context.status, best.ms[index]), thin, count,
                      best.of_race ? "race" : "live"),
          p.quiet);
}

void draw_lane(PanelContext& context, int index) {
  const Palette& p = context.look.colours;
  const LaneStatus& lane = context.status.lanes[index];
  const float scale = ImGui::GetStyle().FontScaleMain;
  const ImVec2 top = ImGui::GetCursorScreenPos();
  ImGui::Indent(12 * scale);
  draw_headline(context, index);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(8, 2) * scale);
  draw_details(context, index);
  if (!lane.log.empty()) tooltip(lane.log);
  if (!lane.refusal.empty()) complaint(p, lane.refusal);
  ImGui::PopStyleVar();
  ImGui::Unindent(12 * scale);
  ImGui::GetWindowDrawList()->AddRectFilled(top, {top.x + 4 * scale, ImGui::GetCursorScreenPos().y - 8 * scale},
                                            ImGui::GetColorU32(p.lane[index]), 2 * scale);
}

// Below four fifths of the highest clock the GPU is throttling; an idle GPU has a low clock without harm.
void draw_clock(PanelContext& context) {
  const Palette& p = context.look.colours;
  const auto& clock = context.status.device.clock;
  caption(
      clock ? fmt::format("SM clock {} of {}{}MHz", clock->sm_mhz, clock->highest_sm_mhz, thin) : "SM clock unknown",
      p.quiet);
  tooltip(clock ? "From NVML, when these numbers were measured." : "The driver's NVML library does not report it.");
  if (!clock) return;
  const std::string why = clock->throttled();
  if (why.empty() && (clock->sm_mhz >= 0.8 * clock->highest_sm_mhz || !context.preferences.every_frame)) return;
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Text, p.fault);
  ImGui::PushFont(nullptr, text_size::caption);
  ImGui::TextUnformatted(why.empty() ? "LOW CLOCK" : "THROTTLED");
  ImGui::PopFont();
  ImGui::PopStyleColor();
  tooltip(why.empty() ? "The clock is below four fifths of its highest: times are longer than they could be."
                      : fmt::format("The GPU is throttling ({}): times are longer than normal.", why));
}

void draw_comparison(PanelContext& context) {
  const Palette& p = context.look.colours;
  const LanesVerdict verdict = verdict_on(context.status);
  if (verdict.text.empty()) return;
  ImGui::TextColored(verdict.faster < 0 ? p.text : p.lane[verdict.faster], "%s", verdict.text.c_str());
  caption(verdict.detail, p.quiet);
  tooltip(verdict_rule);
}

void set_up_history(float top) {
  ImPlot::SetupAxes(nullptr, nullptr, ImPlotAxisFlags_NoDecorations,
                    ImPlotAxisFlags_NoTickMarks | ImPlotAxisFlags_NoGridLines);
  ImPlot::SetupAxisLimits(ImAxis_X1, 0, Samples::capacity - 1, ImPlotCond_Always);
  ImPlot::SetupAxisLimits(ImAxis_Y1, 0, top > 0 ? top * 1.15 : 1, ImPlotCond_Always);
  ImPlot::SetupAxisFormat(ImAxis_Y1, [](double ms, char* text, int size, void*) {
    const auto written = fmt::format_to_n(text, size - 1, "{}", three_digits(ms));
    *written.out = '\0';
    return static_cast<int>(written.size);
  });
  const double ticks[] = {0, top > 0 ? top : 1.0};
  ImPlot::SetupAxisTicks(ImAxis_Y1, ticks, 2);
}

void draw_history(PanelContext& context) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  const Palette& p = context.look.colours;
  float top = 0;
  for (const LaneStatus& lane : context.status.lanes)
    if (lane.active)
      for (const float ms : lane.times.history) top = std::max(top, ms);
  if (!ImPlot::BeginPlot("##history", {-1, 112 * scale}, ImPlotFlags_CanvasOnly | ImPlotFlags_NoInputs)) return;
  set_up_history(top);
  for (int i = 0; i < 2; ++i) {
    const std::vector<float>& history = context.status.lanes[i].times.history;
    if (!context.status.lanes[i].active || history.empty()) continue;
    ImPlotSpec spec;
    spec.LineColor = p.lane[i];
    spec.LineWeight = 1.5f * scale;
    if (i == 1) spec.Marker = ImPlotMarker_Circle, spec.MarkerSize = 1.5f * scale;  // B differs also by shape
    ImPlot::PlotLine(i == 0 ? "A" : "B", history.data(), static_cast<int>(history.size()), 1, 0, spec);
  }
  ImPlot::EndPlot();
  caption(fmt::format("kernel, ms, last {} launches", Samples::capacity), p.quiet);
}

// A table of one line per stage: its name, A, and B if it is shown. All in ms.
class StageTable {
 public:
  StageTable(const PanelContext& context, bool with_b) : context_(context), with_b_(with_b) {
    const float width = 72 * ImGui::GetStyle().FontScaleMain;
    ImGui::TableSetupColumn("stage", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("A", ImGuiTableColumnFlags_WidthFixed, width);
    if (with_b) ImGui::TableSetupColumn("B", ImGuiTableColumnFlags_WidthFixed, width);
  }
  void row(std::string_view title, std::string_view tip, std::string_view a, std::string_view b = "") const {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    caption(title, context_.look.colours.quiet);
    tooltip(tip);
    cell(a);
    if (with_b_) cell(b);
  }

 private:
  void cell(std::string_view text) const {
    const Palette& p = context_.look.colours;
    ImGui::TableNextColumn();
    ImGui::PushFont(context_.look.fonts.numbers, text_size::caption);
    const float width = ImGui::CalcTextSize(text.data(), text.data() + text.size()).x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - width);
    ImGui::PopFont();
    number(context_.look.fonts, text, text == unknown ? p.quiet : p.text, text_size::caption);
  }

  const PanelContext& context_;
  bool with_b_;
};

// The passes in the list; those of several streams are in the timeline.
std::span<const StepTime> listed_passes(const LaneStatus& lane) {
  if (!lane.active || has_timeline(lane)) return {};
  return lane.times.steps;
}

// Named as in the plan. If the lanes' passes differ, they are numbered, and the tooltip has the names.
void draw_passes(const StageTable& table, std::span<const StepTime> a, std::span<const StepTime> b) {
  const std::size_t count = std::max(a.size(), b.size());
  if (count < 2) return;
  const auto name = [](std::span<const StepTime> steps, std::size_t i) {
    return i < steps.size() ? steps[i].title : std::string();
  };
  const auto time = [](std::span<const StepTime> steps, std::size_t i) {
    return i < steps.size() ? ms_text(steps[i].ms) : std::string(unknown);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::string of_a = name(a, i), of_b = name(b, i);
    if (of_a.empty() || of_b.empty() || of_a == of_b)
      table.row(fmt::format("  {}", of_a.empty() ? of_b : of_a), "One kernel of the plan.", time(a, i), time(b, i));
    else
      table.row(fmt::format("  pass {}", i + 1), fmt::format("A: {}. B: {}.", of_a, of_b), time(a, i), time(b, i));
  }
}

void draw_stages(PanelContext& context) {
  const AppStatus& status = context.status;
  const LaneStatus &a = status.lanes[0], &b = status.lanes[1];
  if (!ImGui::BeginTable("stages", b.active ? 3 : 2, ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_NoPadOuterX))
    return;
  const StageTable table(context, b.active);
  table.row("Stage, ms", "Medians of the last 64, in milliseconds.", "A", "B");
  table.row("Upload", "The source to the GPU, when it changes.", ms_text(status.source.upload_ms));
  for (const StepTime& made : status.source.conversions)
    table.row(made.title, "Conversions of the frame on the GPU, before the lanes.", ms_text(made.ms));
  draw_passes(table, listed_passes(a), listed_passes(b));
  table.row("Kernel",
            "All passes of the plan and nothing else. For variants that begin in host memory, also the transfers.",
            ms_text(a.times.kernel_ms), ms_text(b.times.kernel_ms));
  table.row("To texture", "Copying the result into the window's texture, on the GPU.", ms_text(a.times.to_texture_ms),
            ms_text(b.times.to_texture_ms));
  table.row("Map and unmap, host",
            "CPU time for giving the textures of all lanes to CUDA and back. It is done before the frame's kernels, "
            "where it takes no time of the GPU.",
            ms_text(status.frame.map_ms));
  table.row("GL draw", "Drawing the pictures, by a GL timer query.", ms_text(status.frame.draw_ms));
  table.row("Submit, host", "CPU time for queuing the frame's work on the GPU, including textures.",
            ms_text(status.frame.launch_ms));
  table.row("Panels, host", "CPU time of the window itself: status, panels and plots.",
            ms_text(status.frame.panels_ms));
  table.row("Swap, host", "Waiting until the driver accepts the frame; with VSync it waits here.",
            ms_text(status.frame.swap_ms));
  table.row("Whole frame", "From one frame to the next; with VSync it waits for the display.",
            ms_text(status.frame.ms));
  ImGui::EndTable();
}

std::string row_text(const PanelContext& context) {
  std::string text = "lane\tvariant\tformat\tblock\tsize\tradius\tkernel_ms\tp10\tp90\tMpx/s\tdevice\n";
  const Settings& s = context.settings;
  for (int i = 0; i < 2; ++i) {
    const LaneStatus& lane = context.status.lanes[i];
    if (!lane.active || !lane.times.kernel_ms) continue;
    text += fmt::format(
        "{}\t{}\t{}\t{}x{}\t{}x{}\t{}\t{:.5f}\t{:.5f}\t{:.5f}\t{}\t{}\n", i == 0 ? "A" : "B", s.lanes[i].variant,
        info(lane.plan ? lane.plan->format : s.lanes[i].format).id, s.lanes[i].block.width, s.lanes[i].block.height,
        context.status.source.size.width, context.status.source.size.height, s.filter.radius,
        lane.times.kernel_ms->median, lane.times.kernel_ms->p10, lane.times.kernel_ms->p90,
        megapixels_per_second(context.status, lane.times.kernel_ms), lane.on_cpu ? "CPU" : context.status.device.name);
  }
  return text;
}

void draw_lanes(PanelContext& context) {
  for (int i = 0; i < 2; ++i)
    if (context.status.lanes[i].active) {
      draw_lane(context, i);
      ImGui::Spacing();
    }
  if (context.status.lanes[1].active) draw_comparison(context);
}

void draw_timelines(PanelContext& context) {
  for (int i = 0; i < 2; ++i) draw_timeline(context, i);
  if (has_timeline(context.status.lanes[0]) || has_timeline(context.status.lanes[1]))
    caption("colour: kernel · filled: to the GPU · hollow: back", context.look.colours.quiet);
}

void draw_controls(PanelContext& context) {
  ImGui::Checkbox("VSync", &context.preferences.vsync);
  tooltip("Wait for the display before the next frame. Kernel times do not change.");
  ImGui::SameLine();
  ImGui::Checkbox("Run every frame", &context.preferences.every_frame);
  tooltip("Run the kernels each frame, as with a camera. Off: only when something changes.");
  if (ImGui::Button("Copy row")) context.commands.push_back(command::CopyText{row_text(context)});
  tooltip("Times and settings as tab-separated text.");
  const LaneStatus& a = context.status.lanes[0];
  if (a.interop || a.interop_reason.empty() || a.on_cpu) return;
  complaint(context.look.colours, "interop off: " + a.interop_reason);
  if (ImGui::Button("Retry")) context.commands.push_back(command::RetryInterop{});
}

}  // namespace

void draw_timing(PanelContext& context) {
  if (!context.ui.shown.timing) return;
  const Palette& p = context.look.colours;
  if (ImGui::Begin("Timing", nullptr, ImGuiWindowFlags_NoCollapse)) {
    // Without a GPU, the status bar says so.
    if (context.status.device.connecting)
      caption("Waiting for the GPU. Until it answers, kernels run on the CPU executor; times are CPU times.", p.fault);
    else if (context.status.device.no_gpu.empty())
      draw_clock(context);
    if (context.status.race.running) caption("The live view is paused during the race.", p.quiet);
    draw_lanes(context);
    draw_history(context);
    ImGui::Spacing();
    draw_timelines(context);
    draw_stages(context);
    draw_frame_path(context);
    ImGui::Spacing();
    draw_controls(context);
  }
  ImGui::End();
}

}  // namespace conv
