// Why the times of lanes A and B are what they are: the counted parts with their shares, and what a change could gain.
#include <fmt/format.h>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/units.h"

namespace conv {

BenchPoint point_of(const PanelContext& context, int lane) {
  const Settings& settings = context.settings;
  return {.image = context.status.source.size,
          .filter = settings.filter,
          .border = settings.border,
          .lane = lane_settings(settings, lane)};
}

namespace {

// A time and what it is explained with.
struct Asked {
  ExplainQuestion question;
  double ms = 0;
  bool with_launch = false;
  Ceilings ceilings;
  std::string from;  // "NVIDIA H200, 2026-11-25": where the time was measured, if not here
  std::string what;  // whose time it is
};

// The lane's own time on this GPU. Nothing, with a reason, if there is none.
std::optional<Asked> own_time(PanelContext& context, int lane, std::string& why_not) {
  const LaneStatus& status = context.status.lanes[lane];
  const BestTimes& best = context.status.best;
  const BenchStatus& bench = context.status.bench;
  if (!bench.ceilings) {
    if (bench.error.empty() && !bench.running) context.commands.push_back(command::MeasureCeilings{});
    why_not = bench.error.empty() ? "Measuring the highest rates of this GPU…" : bench.error;
    return {};
  }
  if (!status.plan || status.on_cpu || status.includes_transfers() || status.plan->spread() || !best.ms[lane]) {
    why_not =
        status.on_cpu || !status.plan ? "Only kernels in one stream of a GPU are explained." : "There is no time yet.";
    return {};
  }
  return Asked{.question = {.texts = context.status.code.kernels,
                            .architecture = context.status.device.architecture,
                            .point = point_of(context, lane),
                            .plan = status.plan,
                            .rows = bench.results,
                            .limits = context.status.device.limits},
               .ms = best.ms[lane]->median,
               .with_launch = !best.of_race,
               .ceilings = *bench.ceilings,
               .what = best.of_race ? "Median of the race." : "Median of the live launches, one per frame."};
}

// The shipped time of the lane's variant at the setting nearest to the window's.
std::optional<Asked> shipped_time(PanelContext& context, int lane, std::string& why_not) {
  context.ui.wants.shipped = true;
  const auto& gpu = context.status.shipped;
  if (!gpu) {
    why_not = "Reading the results that come with Convoscope…";
    return {};
  }
  const NearestShipped nearest = nearest_shipped(*gpu, point_of(context, lane), context.settings.iterations);
  for (const BenchRow& row : nearest.rows)
    if (row.point.lane.variant == context.settings.lanes[lane].variant && row.state == RowState::measured)
      return Asked{.question = {.texts = context.status.code.kernels,
                                .architecture = fmt::format("sm_{}", gpu->limits.compute_capability),
                                .point = row.point,
                                .rows = {gpu, &gpu->results},
                                .limits = gpu->limits,
                                .multiprocessor = gpu->multiprocessor},
                   .ms = row.summary().median,
                   .ceilings = gpu->ceilings,
                   .from = row.elsewhere,
                   .what = nearest.what};
  why_not = "This variant has no time among the results that come with Convoscope.";
  return {};
}

void draw_part(const PanelContext& context, const LimitTime& time, double measured_ms, int lane) {
  const Palette& p = context.look.colours;
  const LimitInfo& limit = limits_of_speed[static_cast<std::size_t>(time.limit)];
  const float scale = ImGui::GetStyle().FontScaleMain;
  const ImVec4 ink = time.decides ? p.text : p.quiet;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  caption(limit.title, ink);
  tooltip(limit.what);
  ImGui::TableNextColumn();
  const float height = ImGui::GetTextLineHeight(), width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy({width, height});
  const auto share = static_cast<float>(time.ms.value_or(0) / measured_ms);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled({at.x, at.y + 3 * scale}, {at.x + width, at.y + height - 3 * scale}, ImGui::GetColorU32(p.raised),
                      2 * scale);
  if (share > 0)
    list->AddRectFilled({at.x, at.y + 3 * scale}, {at.x + width * std::min(share, 1.0f), at.y + height - 3 * scale},
                        ImGui::GetColorU32(time.decides ? p.lane[lane] : p.disabled), 2 * scale);
  ImGui::TableNextColumn();
  number(context.look.fonts, time.ms ? three_digits(*time.ms) : "–", ink, text_size::caption);
  if (!time.ms) tooltip("Not counted.");
  ImGui::TableNextColumn();
  number(context.look.fonts, time.ms ? fmt::format("{:.0f} %", 100 * share) : "–", ink, text_size::caption);
}

void draw_step(const PanelContext& context, const StepExplanation& step, double measured_ms, int lane) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {4 * scale, 0});
  const bool open = ImGui::BeginTable(step.title.c_str(), 4, ImGuiTableFlags_NoSavedSettings);
  ImGui::PopStyleVar();
  if (!open) return;
  ImGui::TableSetupColumn(step.title.c_str(), ImGuiTableColumnFlags_WidthFixed, 140 * scale);
  ImGui::TableSetupColumn("##bar");
  ImGui::TableSetupColumn("ms", ImGuiTableColumnFlags_WidthFixed, 56 * scale);
  ImGui::TableSetupColumn("share", ImGuiTableColumnFlags_WidthFixed, 44 * scale);
  header_row();
  for (const LimitTime& time : step.times) draw_part(context, time, measured_ms, lane);
  ImGui::EndTable();
}

// How much each memory moves, so that the lanes can be compared.
void draw_traffic(const PanelContext& context, const Traffic& traffic, Size2 image) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {4 * scale, 0});
  const bool open = ImGui::BeginTable("traffic", 3, ImGuiTableFlags_NoSavedSettings);
  ImGui::PopStyleVar();
  if (!open) return;
  ImGui::TableSetupColumn("moved in the whole launch");
  ImGui::TableSetupColumn("bytes", ImGuiTableColumnFlags_WidthFixed, 90 * scale);
  ImGui::TableSetupColumn("per pixel", ImGuiTableColumnFlags_WidthFixed, 90 * scale);
  header_row();
  const auto row = [&](const char* memory, double bytes, const char* what) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    caption(memory, p.text);
    tooltip(fmt::format("{}\nCounted in the block in the middle, times the blocks.{}", what,
                        traffic.through_texture ? " Reads through the texture are not counted." : ""));
    ImGui::TableNextColumn();
    number(context.look.fonts, bytes_text(bytes), p.text, text_size::caption);
    ImGui::TableNextColumn();
    number(context.look.fonts, fmt::format("{} B", three_digits(bytes / static_cast<double>(image.area()))), p.quiet,
           text_size::caption);
  };
  row("shared memory", traffic.shared, "Each wavefront of its banks counts as 128 bytes.");
  row("L1 cache", traffic.l1, "The sectors of 32 bytes that each request of a warp needs.");
  row("L2 cache", traffic.l2, "The same sectors, each once for a block.");
  row("memory", traffic.memory, "Each byte of the source and of the result once.");
  ImGui::EndTable();
}

void draw_hints(const PanelContext& context, const Explanation& all) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  if (all.hints.empty()) return caption("No change of what was counted would gain 2 % of the time.", p.quiet);
  if (!ImGui::BeginTable("hints", 3, ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_RowBg)) return;
  ImGui::TableSetupColumn("counted");
  ImGui::TableSetupColumn("could gain", ImGuiTableColumnFlags_WidthFixed, 96 * scale);
  ImGui::TableSetupColumn("measured", ImGuiTableColumnFlags_WidthFixed, 160 * scale);
  header_row();
  for (const SpeedHint& hint : all.hints) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    caption(hint.counted, p.text);
    ImGui::TableNextColumn();
    number(context.look.fonts,
           fmt::format("≤ {} ms\n≤ {:.0f} %", three_digits(hint.at_most_ms), 100 * hint.at_most_ms / all.measured_ms),
           p.text, text_size::caption);
    tooltip("Never more than this: the other parts still take their time.");
    ImGui::TableNextColumn();
    caption(hint.measured, p.quiet);
  }
  ImGui::EndTable();
}

void draw_lane(PanelContext& context, int lane) {
  const Palette& p = context.look.colours;
  ImGui::TextColored(p.lane[lane], "%c  %s", 'A' + lane, context.settings.lanes[lane].variant.c_str());
  std::string why_not;
  const std::optional<Asked> asked =
      context.status.device.no_gpu.empty() ? own_time(context, lane, why_not) : shipped_time(context, lane, why_not);
  if (!asked) return caption(why_not, p.quiet);
  context.ui.wants.explanation[lane] = asked->question;
  const auto& answer = context.status.explained[lane];
  if (!answer || answer->question != asked->question) return caption("compiling and counting", p.quiet);
  if (answer->steps.empty()) return caption(answer->why_not, p.quiet);
  std::vector<StepCounts> counts = answer->steps;
  const auto& occupancy = context.status.lanes[lane].occupancy;
  if (!asked->question.multiprocessor && occupancy.size() == counts.size())
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i].waves = occupancy[i].waves;
  const Explanation all = explain(counts, asked->ceilings, asked->ms, asked->with_launch, answer->others);
  ImGui::SameLine();
  number(context.look.fonts, fmt::format("{} ms", three_digits(asked->ms)), p.text);
  if (!asked->from.empty()) {
    caption_beside(asked->from, p.quiet);
    tooltip("No GPU was found here. This time comes with Convoscope.");
  }
  ImGui::PushTextWrapPos();
  ImGui::TextUnformatted(all.verdict.c_str());
  ImGui::PopTextWrapPos();
  // In a wide panel what could be gained is beside the parts, otherwise below.
  const bool wide = ImGui::GetContentRegionAvail().x > 720 * ImGui::GetStyle().FontScaleMain;
  if (ImGui::BeginTable("parts and hints", wide ? 2 : 1, ImGuiTableFlags_NoSavedSettings)) {
    ImGui::TableNextColumn();
    for (const StepExplanation& step : all.steps) draw_step(context, step, all.measured_ms, lane);
    draw_traffic(context, traffic_of(counts), asked->question.point.image);
    ImGui::TableNextColumn();
    draw_hints(context, all);
    ImGui::EndTable();
  }
  caption(asked->what, p.quiet);
}

}  // namespace

void draw_explanation(PanelContext& context) {
  if (!context.ui.shown.explain) return;
  if (ImGui::Begin("Explain", &context.ui.shown.explain)) {
    const int lanes = context.status.lanes[1].active ? 2 : 1;
    if (ImGui::BeginTable("lanes", lanes, ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingStretchSame)) {
      for (int i = 0; i < lanes; ++i) {
        ImGui::TableNextColumn();
        ImGui::PushID(i);
        draw_lane(context, i);
        ImGui::PopID();
      }
      ImGui::EndTable();
    }
  }
  ImGui::End();
}

}  // namespace conv
