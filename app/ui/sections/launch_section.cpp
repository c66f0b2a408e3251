// Block, format and switches of the lanes, a column for each, and what the plans make of them.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <vector>

#include "app/measure/rankings.h"
#include "app/measure/tuning.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/cost.h"
#include "kernels/core/registry.h"
#include "kernels/core/units.h"
#include "kernels/variants/support/plan_job.h"

namespace conv {

namespace {

// A checkbox, a list or a slider, by the values that the switch has.
void draw_switch_value(const Switch& which, SwitchValues& values) {
  const std::string id = fmt::format("##{}", which.id);
  int value = values[which.id];
  if (std::ranges::equal(which.choices, choices::off_on)) {
    bool on = value != 0;
    if (ImGui::Checkbox(id.c_str(), &on)) values.set(which.id, on);
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

// Whether a kernel is launched in the chosen block shape.
bool takes_block(const LaunchPlan& plan, Size2 block) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    const auto* kernel = std::get_if<KernelStep>(&step);
    return kernel && kernel->block == block;
  });
}

// "32×8   0.0813 ms  fastest": its time when it was tuned.
std::string block_label(Size2 block, const std::optional<Tuning>& tuning) {
  std::string name = size_text(block);
  const BenchRow* row = tuning ? tuning->row_of(block) : nullptr;
  if (!row) return name;
  const bool first = std::find(tuning->fastest.begin(), tuning->fastest.end(), row) != tuning->fastest.end();
  return fmt::format("{:<7}{} ms{}", name, three_digits(row->summary().median),
                     !first                        ? ""
                     : tuning->fastest.size() == 1 ? "  fastest"
                                                   : "  tie");
}

// One lane in a table with a column for each.
struct LaneCell {
  int index;
  bool linked;  // its format and block are those of A
  LaneSettings& lane;
  const LaneStatus& status;
  BenchPoint here;  // what it runs
};

// A row: its label, and a control of each lane.
template <class Draw>
void row(std::vector<LaneCell>& cells, std::string_view label, std::string_view tip, Draw draw) {
  property(std::string(label).c_str(), std::string(tip).c_str());
  for (LaneCell& cell : cells) {
    if (cell.index > 0) {
      ImGui::TableNextColumn();
      ImGui::SetNextItemWidth(-FLT_MIN);
    }
    ImGui::PushID(cell.index);
    draw(cell);
    ImGui::PopID();
  }
}

// A row of a setting that B can share with A.
template <class Draw>
void linked_row(std::vector<LaneCell>& cells, std::string_view label, std::string_view tip, Draw draw) {
  row(cells, label, tip, [&](LaneCell& cell) {
    ImGui::BeginDisabled(cell.linked);
    draw(cell);
    ImGui::EndDisabled();
  });
}

// The letters over the columns.
void draw_letters(PanelContext& context, std::vector<LaneCell>& cells) {
  row(cells, "", "", [&](LaneCell& cell) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(context.look.colours.lane[cell.index], "%c", 'A' + cell.index);
    tooltip(cell.lane.variant);
    if (cell.index == 0) return;
    ImGui::SameLine();
    ImGui::Checkbox("as A", &context.settings.link_lanes);
    tooltip("Format and block of A. Off: a variant can be compared with itself in another format or block.");
  });
}

// What "auto" has chosen, and a button that measures all candidates.
void draw_choices(PanelContext& context, std::vector<LaneCell>& cells) {
  const auto chooses = [](const LaneCell& cell) { return find_variant(cell.lane.variant)->chooses; };
  if (std::ranges::none_of(cells, chooses)) return;
  row(cells, "Choice",
      "The variant for this image, format and filter. Filters of several passes choose one for each pass.",
      [&](LaneCell& cell) {
        if (!chooses(cell)) return;
        ImGui::AlignTextToFramePadding();
        ImGui::TextWrapped("%s", cell.status.plan ? cell.status.plan->chosen.c_str() : "–");
        const bool one_pass = context.status.filter.taps && context.status.filter.taps->chain.empty();
        ImGui::BeginDisabled(!one_pass || context.status.bench.running);
        if (ImGui::Button("Measure", {-1, 0}))
          context.commands.push_back(
              command::RunBench{{auto_job(cell.here, context.status.device.no_gpu.empty())}, {}});
        ImGui::EndDisabled();
        tooltip("Measure all candidates for this job, and use the result from then on.");
      });
}

void draw_format(LaneSettings& lane) {
  if (!begin_combo("##format", info(info(lane.format).aos).title)) return;
  for (const PixelTypeInfo& row : pixel_types)
    if (!is_planar(row.type) && ImGui::Selectable(std::string(row.title).c_str(), row.type == info(lane.format).aos))
      lane.format = in_layout(row.type, is_planar(lane.format));
  ImGui::EndCombo();
}

void draw_layout(LaneSettings& lane) {
  const bool one_channel = info(lane.format).channels == 1;
  ImGui::BeginDisabled(one_channel);
  if (begin_combo("##layout", is_planar(lane.format) ? "SoA" : "AoS")) {
    for (const bool planar : {false, true})
      if (ImGui::Selectable(planar ? "SoA, planes" : "AoS, interleaved", planar == is_planar(lane.format)))
        lane.format = in_layout(lane.format, planar);
    ImGui::EndCombo();
  }
  ImGui::EndDisabled();
  if (one_channel) tooltip("With one channel there is one layout.");
}

// Whether the reason of a refusal stands under the slider of the radius, or under the list of blocks.
bool is_refused_by_radius(const PanelContext& context, const LaneCell& cell) {
  return cell.status.refused_by_radius(context.settings.filter.radius);
}
bool is_refused_by_block(const PanelContext& context, const LaneCell& cell) {
  return !cell.status.refusal.empty() && !is_refused_by_radius(context, cell) &&
         cell.lane.block.area() > context.status.device.limits.max_threads_per_block;
}

void draw_block_list(const PanelContext& context, LaneCell& cell) {
  if (begin_combo("##block preset", size_text(cell.lane.block))) {
    const auto tuning = tuning_of(context.status.bench.results->rows, cell.here);
    for (const Size2 preset : block_presets)
      if (ImGui::Selectable(block_label(preset, tuning).c_str(), preset == cell.lane.block)) cell.lane.block = preset;
    ImGui::EndCombo();
  }
  if (is_refused_by_block(context, cell)) complaint(context.look.colours, cell.status.refusal);
}

void draw_block_sides(LaneSettings& lane) {
  int sides[] = {lane.block.width, lane.block.height};
  ImGui::PushStyleVarX(ImGuiStyleVar_FramePadding, 2 * ImGui::GetStyle().FontScaleMain);
  if (ImGui::DragInt2("##block sides", sides, 0.2f, 1, max_block_threads, "%d", ImGuiSliderFlags_AlwaysClamp))
    lane.block = {sides[0], sides[1]};
  ImGui::PopStyleVar();
  resettable(lane.block, Size2{16, 16});
}

void draw_tune(PanelContext& context, const LaneCell& cell) {
  const LaneStatus& status = cell.status;
  const bool off_gpu = !status.plan || status.plan->on_host() || !context.status.device.no_gpu.empty();
  const bool cannot = off_gpu || !takes_block(*status.plan, cell.lane.block);
  ImGui::BeginDisabled(cannot || context.status.bench.running);
  if (ImGui::Button("Tune", {-1, 0})) context.commands.push_back(command::RunBench{{tuning_job(cell.here)}, {}});
  ImGui::EndDisabled();
  tooltip(off_gpu  ? "Blocks can be timed on a GPU, with a variant that runs there."
          : cannot ? "This variant has its own block shapes."
                   : "Time every shape of the list on this image. The best is marked if it is outside the noise.");
}

void draw_switches(PanelContext& context, std::vector<LaneCell>& cells) {
  for (const Switch& which : switches) {
    if (std::ranges::none_of(cells, [&](const LaneCell& cell) { return has_switch(cell.lane, which); })) continue;
    row(cells, which.title, which.tip, [&](LaneCell& cell) {
      if (!has_switch(cell.lane, which)) {
        ImGui::AlignTextToFramePadding();
        ImGui::TextDisabled("–");
        return tooltip(fmt::format("{} does not have this switch.", cell.lane.variant));
      }
      const std::string reason = why_not(which, *find_variant(cell.lane.variant),
                                         conv_settings(cell.lane, context.settings, context.status.filter.taps));
      ImGui::BeginDisabled(!reason.empty());
      draw_switch_value(which, cell.lane.switches);
      if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) cell.lane.switches.set(which.id, which.standard);
      ImGui::EndDisabled();
      if (!reason.empty()) tooltip(reason);
    });
  }
}

// The first kernel of a lane's plan; null if there is none on the GPU or the CPU executor.
const KernelStep* first_kernel(const LaneCell& cell) {
  if (!cell.status.plan || cell.status.plan->on_host()) return nullptr;
  for (const Step& step : cell.status.plan->steps)
    if (const auto* kernel = std::get_if<KernelStep>(&step)) return kernel;
  return nullptr;
}

// What the plans make of the choices. Lanes without a kernel have a dash.
void draw_plans(const PanelContext& context, std::vector<LaneCell>& cells) {
  const Palette& p = context.look.colours;
  if (std::ranges::none_of(cells, first_kernel)) return;
  const auto fact = [&](const char* label, const char* tip, auto text_of) {
    row(cells, label, tip, [&](LaneCell& cell) {
      const KernelStep* kernel = first_kernel(cell);
      caption(kernel ? text_of(cell, *kernel) : "–", p.text);
    });
  };
  fact("Threads", "Of a block, and the warps that run them. Lanes of the last warp can be idle.",
       [&](const LaneCell&, const KernelStep& kernel) {
         const auto threads = static_cast<int>(kernel.block.area());
         const int lanes = context.status.device.limits.warp_size, warps = ceil_div(threads, lanes);
         const int idle = warps * lanes - threads;
         return fmt::format("{} = {} warp{}{}", threads, warps, warps == 1 ? "" : "s",
                            idle > 0 ? fmt::format(", {} lanes idle", idle) : "");
       });
  fact("Grid", "Blocks of the first kernel.",
       [](const LaneCell&, const KernelStep& kernel) { return size_text(kernel.grid); });
  std::vector<Cost> costs;
  for (const LaneCell& cell : cells) costs.push_back(first_kernel(cell) ? cost_of(*cell.status.plan) : Cost{});
  const auto of = [&](const LaneCell& cell) -> const Cost& { return costs[cell.index]; };
  if (std::ranges::any_of(costs, [](const Cost& cost) { return cost.shared_bytes > 0; })) {
    fact("Shared", "Shared memory of a block.",
         [&](const LaneCell& cell, const KernelStep&) { return bytes_text(of(cell).shared_bytes); });
    fact("Loads", "Global loads for each pixel of the result, all passes.",
         [&](const LaneCell& cell, const KernelStep&) {
           return fmt::format("{} per pixel", three_digits(of(cell).loads_per_pixel));
         });
  }
  if (std::ranges::any_of(costs, [](const Cost& cost) { return cost.transfer_bytes > 0; }))
    fact("Transfers", "Between host and GPU, both ways.",
         [&](const LaneCell& cell, const KernelStep&) { return bytes_text(of(cell).transfer_bytes); });
}

// Sentences about a lane; they need the whole width.
void draw_remarks(PanelContext& context, const LaneCell& cell, bool named) {
  const Palette& p = context.look.colours;
  const std::string name = named ? fmt::format("{}: ", static_cast<char>('A' + cell.index)) : "";
  if (!cell.status.refusal.empty() && !is_refused_by_radius(context, cell) && !is_refused_by_block(context, cell))
    complaint(p, name + cell.status.refusal);
  if (const auto tuning = tuning_of(context.status.bench.results->rows, cell.here))
    caption(name + tuning_text(*tuning, cell.lane.block), p.quiet);
  if (!cell.status.plan) return;
  if (!cell.status.plan->reason.empty()) caption(name + cell.status.plan->reason, p.quiet);
  if (cell.status.plan->on_host()) caption(name + "Runs on all cores of the CPU; blocks do not matter.", p.quiet);
}

void draw_block_row(PanelContext& context, std::vector<LaneCell>& cells) {
  linked_row(cells, "Block", "Threads of a block, x by y. 32 threads are a warp; every shape up to 1024 can run.",
             [&](LaneCell& cell) { draw_block_list(context, cell); });
}
void draw_format_row(std::vector<LaneCell>& cells) {
  linked_row(cells, "Format", "How a pixel is stored. Sums are float; alpha is kept.",
             [](LaneCell& cell) { draw_format(cell.lane); });
}
void draw_layout_row(std::vector<LaneCell>& cells) {
  linked_row(cells, "Layout", "SoA: each channel contiguous, so a warp's loads are consecutive.",
             [](LaneCell& cell) { draw_layout(cell.lane); });
}

// The lanes of this view. linked_b: what B runs while it shares format and block of A; its own are kept.
std::vector<LaneCell> cells_of(PanelContext& context, LaneSettings& linked_b) {
  Settings& settings = context.settings;
  std::vector<LaneCell> cells;
  for (int i = 0; i < (settings.view == ViewMode::single ? 1 : 2); ++i) {
    const bool linked = i > 0 && settings.link_lanes;
    LaneSettings& lane = linked ? linked_b : settings.lanes[i];
    cells.push_back(
        {.index = i,
         .linked = linked,
         .lane = lane,
         .status = context.status.lanes[i],
         .here = {
             .image = context.status.source.size, .filter = settings.filter, .border = settings.border, .lane = lane}});
  }
  return cells;
}

}  // namespace

bool has_switch(const LaneSettings& lane, const Switch& which) {
  const Variant& variant = *find_variant(lane.variant);
  return which.of_compiler || std::ranges::find(variant.switches, which.id) != variant.switches.end() ||
         (which.id == "rank_sum" && variant.needs_rank_1);
}

void draw_launch_rows(PanelContext& context, std::span<const Control> rows) {
  Settings& settings = context.settings;
  const int lanes = settings.view == ViewMode::single ? 1 : 2;
  const auto has = [&](Control row) { return std::ranges::find(rows, row) != rows.end(); };
  if (!begin_properties("rows", lanes)) return;
  LaneSettings linked_b = lane_settings(settings, 1);
  std::vector<LaneCell> cells = cells_of(context, linked_b);
  if (lanes > 1) draw_letters(context, cells);
  if (has(Control::block)) draw_block_row(context, cells);
  if (has(Control::format)) draw_format_row(cells);
  if (has(Control::layout)) draw_layout_row(cells);
  end_properties();
}

void draw_launch_section(PanelContext& context) {
  Settings& settings = context.settings;
  LaneSettings linked_b = lane_settings(settings, 1);
  std::vector<LaneCell> cells = cells_of(context, linked_b);
  const auto lanes = static_cast<int>(cells.size());
  if (begin_properties("launch", lanes)) {
    if (lanes > 1) draw_letters(context, cells);
    draw_block_row(context, cells);
    linked_row(cells, "Custom",
               "The same block by its width and height, 1 to 1024 each. Drag, or double-click to type.",
               [](LaneCell& cell) { draw_block_sides(cell.lane); });
    draw_format_row(cells);
    draw_layout_row(cells);
    linked_row(cells, "Fastest", "Finds the fastest block shape.", [&](LaneCell& cell) { draw_tune(context, cell); });
    draw_choices(context, cells);
    draw_switches(context, cells);
    draw_plans(context, cells);
    end_properties();
  }
  if (lanes > 1) settings.lanes[1].switches = cells[1].lane.switches;
  for (const LaneCell& cell : cells) draw_remarks(context, cell, lanes > 1);
}

}  // namespace conv
