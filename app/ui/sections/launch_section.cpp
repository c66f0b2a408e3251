// The variant of each lane with its format, block and switches.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/measure/rankings.h"
#include "app/measure/tuning.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/cost.h"
#include "kernels/core/registry.h"
#include "kernels/variants/support/plan_job.h"

namespace conv {

namespace {

// A checkbox, a list or a slider, by the values that the switch has.
static void draw_switch_value(const Switch& which, SwitchValues& values) {
  const std::string id = fmt::format("##{}", which.id);
  int value = values[which.id];
  if (which.choices.size() == 2) {
    bool on = value == which.high;
    if (ImGui::Checkbox(id.c_str(), &on)) values.set(which.id, on ? which.high : which.low);
    ImGui::SameLine();
    ImGui::TextDisabled("%s", value_text(which, values[which.id]).c_str());
  } else if (!which.choices.empty()) {
    if (begin_combo(id.c_str(), value_text(which, value))) {
      for (int v = which.low; v <= which.high; ++v)
        if (ImGui::Selectable(value_text(which, v).c_str(), v == value)) values.set(which.id, v);
      ImGui::EndCombo();
    }
  } else if (slider(id.c_str(), value, which.low, which.high, "%d")) {
    values.set(which.id, value);
  }
}

void draw_switches(PanelContext& context, LaneSettings& lane) {
  const Variant& variant = *find_variant(lane.variant);
  const ConvSettings settings = conv_settings(lane, context.settings, context.status.filter.taps);
  for (const Switch& which : switches) {
    const bool own = std::find(variant.switches.begin(), variant.switches.end(), which.id) != variant.switches.end() ||
                     (which.id == "rank_sum" && variant.needs_rank_1);
    if (!own && !which.of_compiler) continue;  // a switch of other variants
    const std::string reason = why_not(which, variant, settings);
    property(std::string(which.title).c_str(), std::string(which.tip).c_str());
    ImGui::BeginDisabled(!reason.empty());
    draw_switch_value(which, lane.switches);
    if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) lane.switches.set(which.id, which.standard);
    ImGui::EndDisabled();
    if (!reason.empty()) tooltip(reason);
  }
}

// Whether a kernel is launched in the chosen block shape.
bool takes_block(const LaunchPlan& plan, Size2 block) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    const auto* kernel = std::get_if<KernelStep>(&step);
    return kernel && kernel->block == block;
  });
}

// "32×8   0.0813 ms  fastest": its time when it was tuned.
std::string block_label(Size2 block, const std::optional<Tuning>& tuning) {
  const std::string name = size_text(block);
  const BenchRow* row = tuning ? tuning->row_of(block) : nullptr;
  if (!row) return name;
  const bool first = std::find(tuning->fastest.begin(), tuning->fastest.end(), row) != tuning->fastest.end();
  return fmt::format("{:<7}{} ms{}", name, three_digits(row->summary().median),
                     !first                        ? ""
                     : tuning->fastest.size() == 1 ? "  fastest"
                                                   : "  tie");
}

// What "auto" has chosen, and a button that measures all candidates.
void draw_choice(PanelContext& context, const LaneStatus& status, const BenchPoint& here) {
  property("Choice",
           "The variant for this image, format and filter. Filters of several passes choose one for each pass.");
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(status.plan ? status.plan->chosen.c_str() : "–");
  const bool one_pass = context.status.filter.taps && context.status.filter.taps->chain.empty();
  ImGui::BeginDisabled(!one_pass || context.status.bench.running);
  if (ImGui::Button("Measure", {-1, 0}))
    context.commands.push_back(command::RunBench{{auto_job(here, context.status.device.no_gpu.empty())}, {}});
  ImGui::EndDisabled();
  tooltip("Measure all candidates for this job, and use the result from then on.");
}

void draw_format(LaneSettings& lane) {
  property("Format", "How a pixel is stored. Sums are float; alpha is kept.");
  if (begin_combo("##format", info(info(lane.format).aos).title)) {
    for (const PixelTypeInfo& row : pixel_types)
      if (!is_planar(row.type) && ImGui::Selectable(std::string(row.title).c_str(), row.type == info(lane.format).aos))
        lane.format = in_layout(row.type, is_planar(lane.format));
    ImGui::EndCombo();
  }
  property("Layout", "SoA: each channel contiguous, so a warp's loads are consecutive.");
  ImGui::BeginDisabled(info(lane.format).channels == 1);
  int planar = is_planar(lane.format);
  if (ImGui::Combo("##layout", &planar, "AoS, interleaved\0SoA, planes\0"))
    lane.format = in_layout(lane.format, planar != 0);
  ImGui::EndDisabled();
  if (info(lane.format).channels == 1) tooltip("With one channel there is one layout.");
}

// The result of tuning this lane, or nothing.
std::string draw_block(PanelContext& context, LaneSettings& lane, const LaneStatus& status, const BenchPoint& here) {
  property("Block", "Threads of a block, x by y. 32 threads are a warp; every shape of up to 1024 threads can run.");
  const auto tuning = tuning_of(context.status.bench.results->rows, here);
  ImGui::SetNextItemWidth(-ImGui::CalcTextSize("Tune").x - 3 * ImGui::GetStyle().FramePadding.x);
  if (begin_combo("##block preset", size_text(lane.block))) {
    for (const Size2 preset : block_presets)
      if (ImGui::Selectable(block_label(preset, tuning).c_str(), preset == lane.block)) lane.block = preset;
    ImGui::EndCombo();
  }
  ImGui::SameLine(0, ImGui::GetStyle().FramePadding.x);
  const bool off_gpu = !status.plan || status.plan->on_host() || !context.status.device.no_gpu.empty();
  const bool cannot = off_gpu || !takes_block(*status.plan, lane.block);
  ImGui::BeginDisabled(cannot || context.status.bench.running);
  if (ImGui::Button("Tune")) context.commands.push_back(command::RunBench{{tuning_job(here)}, {}});
  ImGui::EndDisabled();
  tooltip(off_gpu  ? "Blocks can be timed on a GPU, with a variant that runs there."
          : cannot ? "This variant has its own block shapes."
                   : "Time every shape of the list on this image. The best is marked if it is outside the noise.");
  property("Custom", "The same block by its width and height, 1 to 1024 each.");
  int sides[] = {lane.block.width, lane.block.height};
  if (ImGui::DragInt2("##block sides", sides, 0.2f, 1, max_block_threads, "%d", ImGuiSliderFlags_AlwaysClamp))
    lane.block = {sides[0], sides[1]};
  resettable(lane.block, Size2{16, 16});
  return tuning ? tuning_text(*tuning, lane.block) : "";
}

// What the plan makes of the choice.
void draw_plan(const PanelContext& context, const LaneStatus& status) {
  const Palette& p = context.look.colours;
  if (!status.plan) return;
  const LaunchPlan& plan = *status.plan;
  if (!plan.reason.empty()) caption(plan.reason, p.quiet);
  if (plan.on_host()) return caption("Runs on all cores of the CPU; blocks do not matter.", p.quiet);
  const auto first = std::find_if(plan.steps.begin(), plan.steps.end(),
                                  [](const Step& s) { return std::holds_alternative<KernelStep>(s); });
  const auto& step = std::get<KernelStep>(*first);
  const auto threads = static_cast<int>(step.block.area());
  const int lanes = context.status.device.limits.warp_size, warps = ceil_div(threads, lanes),
            idle = warps * lanes - threads;
  caption(fmt::format("{} threads = {} warp{}; grid {}", threads, warps, warps == 1 ? "" : "s", size_text(step.grid)),
          p.quiet);
  if (idle > 0) caption(fmt::format("{} warps, {} lanes idle", warps, idle), p.fault);
  const Cost cost = cost_of(plan);
  if (cost.shared_bytes > 0)
    caption(fmt::format("{:.1f} KB shared, {} loads per pixel", cost.shared_bytes / 1024.0,
                        three_digits(cost.loads_per_pixel)),
            p.quiet);
  if (cost.transfer_bytes > 0)
    caption(fmt::format("{:.1f} MB between host and GPU, both ways", static_cast<double>(cost.transfer_bytes) / 1e6),
            p.quiet);
}

void draw_lane_launch(PanelContext& context, int index, bool linked) {
  const Palette& p = context.look.colours;
  LaneSettings& lane = context.settings.lanes[index];
  const LaneStatus& status = context.status.lanes[index];
  ImGui::PushID(index);
  std::string tuned;  // the result of tuning this lane
  if (begin_properties("launch")) {
    property("Variant", "The kernel that runs. Each entry's tooltip explains its idea.");
    draw_variant_chooser(context, index, "##variant");
    ImGui::BeginDisabled(linked);
    const BenchPoint here{.image = context.status.source.size,
                          .filter = context.settings.filter,
                          .border = context.settings.border,
                          .lane = lane};
    if (find_variant(lane.variant)->chooses) draw_choice(context, status, here);
    draw_format(lane);
    tuned = draw_block(context, lane, status, here);
    ImGui::EndDisabled();
    draw_switches(context, lane);
    end_properties();
  }
  // A radius that is too large is said under its slider.
  if (!status.refusal.empty() && !status.refused_by_radius(context.settings.filter.radius))
    complaint(p, status.refusal);
  if (!tuned.empty()) caption(tuned, p.quiet);
  draw_plan(context, status);
  ImGui::PopID();
}

}  // namespace

void draw_launch_section(PanelContext& context) {
  Settings& settings = context.settings;
  const Palette& p = context.look.colours;
  const bool side = settings.view != ViewMode::single;
  if (side) ImGui::TextColored(p.lane[0], "A");
  draw_lane_launch(context, 0, false);
  if (!side) return;
  ImGui::Spacing();
  ImGui::AlignTextToFramePadding();
  ImGui::TextColored(p.lane[1], "B");
  ImGui::SameLine();
  ImGui::Checkbox("Format and block as A", &settings.link_lanes);
  tooltip("Off: a variant can be compared with itself in another format or with another block.");
  draw_lane_launch(context, 1, settings.link_lanes);
}

}  // namespace conv
