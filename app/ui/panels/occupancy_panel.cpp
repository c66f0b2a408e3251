// The GPU resources that both lanes' kernels use, and what that leaves space for: on the GPU that is here, or on
// another one by its data sheet.
#include <fmt/format.h>
#include <implot.h>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/units.h"

namespace conv {

namespace {

void draw_curve(PanelContext& context, const StepOccupancy& step, Size2 block, int lane) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain, height = 14 * scale, label = 64 * scale;
  const float width = std::min(220 * scale, ImGui::GetContentRegionAvail().x - label - 48 * scale);
  for (const StepOccupancy::Point& point : step.curve) {
    const bool here = point.block == block;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::Dummy({label + width + 48 * scale, height});
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
    list->AddText(at, ImGui::GetColorU32(here ? p.text : p.quiet), size_text(point.block).c_str());
    const auto share = static_cast<float>(point.share.value_or(0));
    if (point.share)
      list->AddRectFilled({at.x + label, at.y + 2 * scale}, {at.x + label + width * share, at.y + height - 2 * scale},
                          ImGui::GetColorU32(here ? p.lane[lane] : p.disabled), 2 * scale);
    list->AddText({at.x + label + (point.share ? width * share : 0) + 6 * scale, at.y},
                  ImGui::GetColorU32(here ? p.text : p.quiet),
                  point.share ? fmt::format("{:.0f} %", 100 * share).c_str() : "refused");
    ImGui::PopFont();
  }
}

void draw_step(PanelContext& context, const StepOccupancy& step, int lane) {
  const Palette& p = context.look.colours;
  const Occupancy& o = step.occupancy;
  const KernelResources& r = step.resources;
  number(context.look.fonts, fmt::format("{:.0f} %", 100 * o.share()), p.text, text_size::title);
  ImGui::SameLine();
  caption(fmt::format("{}: {} of {} warps on a multiprocessor", step.title, o.warps, o.most_warps), p.quiet);
  caption(fmt::format("limited by {}", o.limiter), p.text);
  if (o.blocks != step.counted_blocks) caption(fmt::format("CUDA reports {} blocks", step.counted_blocks), p.fault);
  caption(fmt::format("{} registers per thread · {} of shared memory per block · {} of local memory per "
                      "thread · {:.2f} waves · {:.0f} % of threads write a pixel",
                      r.registers, bytes_text(r.shared_bytes), bytes_text(r.local_bytes), step.waves,
                      100 * step.writing_share),
          p.quiet);
  tooltip("A wave is the number of blocks that all multiprocessors run at once. 1.05 waves take nearly as long as 2.");
  draw_curve(context, step, r.block, lane);
}

// What is known without a compiler.
void draw_planned(const PanelContext& context, const LaneStatus& lane) {
  for (const KernelStep* step : kernel_steps(lane))
    caption(
        fmt::format("{}: {} threads per block · {} of shared memory · {} blocks · {:.0f} % of threads write a pixel",
                    step->title, step->block.area(), bytes_text(step->shared_bytes), grouped(step->grid.area()),
                    100.0 * static_cast<double>(step->threads.writing) /
                        static_cast<double>(std::max(1ll, step->threads.total()))),
        context.look.colours.quiet);
}

// What the plans of lanes A and B are made from; nothing for a lane that is not shown.
std::array<std::optional<PlanInputs>, 2> shown_lanes(const PanelContext& context) {
  const Settings& settings = context.settings;
  std::array<std::optional<PlanInputs>, 2> lanes;
  for (int i = 0; i < 2; ++i)
    if (context.status.lanes[i].active)
      lanes[i] = PlanInputs{lane_settings(settings, i), settings.filter, settings.border, settings.border_value,
                            settings.iterations};
  return lanes;
}

// The GPU to compute the figures for; null: the one that is here.
const GpuModel* draw_gpus(PanelContext& context) {
  const DeviceStatus& device = context.status.device;
  const bool here = device.no_gpu.empty();
  const GpuModel*& chosen = context.ui.panels.occupancy.gpu;
  const GpuModel* gpu = chosen || here ? chosen : &gpu_model_h200();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("GPU");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(16 * ImGui::GetFontSize());
  if (begin_combo("##gpu", gpu ? gpu->name : device.name)) {
    if (here && ImGui::Selectable(fmt::format("{} (here)", device.name).c_str(), !gpu)) chosen = nullptr;
    for (const GpuModel& model : gpu_models())
      if (ImGui::Selectable(std::string(model.name).c_str(), gpu == &model)) chosen = &model;
    ImGui::EndCombo();
  }
  tooltip("The figures are computed for this GPU. It does not have to be in this computer.");
  return gpu;
}

// The limits of a GPU that is not here, and where they are from.
void draw_model(PanelContext& context, const GpuModel& gpu) {
  const Palette& p = context.look.colours;
  const MultiprocessorLimits limits = multiprocessor_of(gpu);
  caption_beside(fmt::format("{} · registers counted by NVRTC for sm_{}", gpu.source, gpu.compute_capability), p.quiet);
  caption(fmt::format("{} multiprocessors, up to {} threads each · shared memory: {} for a block, {} for a "
                      "multiprocessor · {} GB/s · {:.1f} TFLOP/s · L2 cache {}",
                      limits.count, grouped(limits.threads), bytes_text(limits_of(gpu).max_shared_bytes),
                      bytes_text(limits.shared_bytes), grouped(std::llround(gpu.memory_gb_per_s)),
                      gpu.gflop_per_s / 1000, bytes_text(static_cast<double>(gpu.cache_bytes))),
          p.text);
  tooltip(
      "A block gets up to 48 KiB of shared memory without asking. For more, the program calls cudaFuncSetAttribute "
      "before the launch. From compute capability 8.0 on, the system uses 1 KiB for each block.");
}

void ask_what_if(PanelContext& context, const GpuModel& gpu) {
  context.ui.wants.shipped = true;
  context.ui.wants.what_if = WhatIfQuestion{.gpu = &gpu,
                                            .texts = context.status.code.kernels,
                                            .image = context.status.source.size,
                                            .taps = context.status.filter.taps,
                                            .lanes = shown_lanes(context)};
}

void ask_for_shapes(PanelContext& context) {
  ShapesQuestion question{shown_lanes(context), context.status.source.size, context.status.filter.taps};
  for (auto& lane : question.lanes)
    if (lane) lane->lane.block = {};  // all of them are asked for
  if (question.taps) context.ui.wants.shapes = std::move(question);
}

// A number on a ground that is the stronger, the larger it is among those of its column.
void draw_heat(const PanelContext& context, double value, double most, int lane) {
  ImGui::TableNextColumn();
  ImVec4 ground = context.look.colours.lane[lane];
  ground.w = most > 0 ? 0.5f * static_cast<float>(value / most) : 0;
  ImGui::TableSetBgColor(ImGuiTableBgTarget_CellBg, ImGui::GetColorU32(ground));
  number(context.look.fonts, value > 0 ? three_digits(value) : "–", context.look.colours.text, text_size::caption);
}

// What each block shape moves for a pixel.
void draw_shapes(PanelContext& context, int lane) {
  const Palette& p = context.look.colours;
  const auto& shapes = context.status.shapes;
  if (!shapes || shapes->question != context.ui.wants.shapes)
    return caption("tracing one block of each shape", p.quiet);
  const std::vector<ShapeCost>& costs = shapes->lanes[lane];
  if (costs.empty()) return;
  double most_wavefronts = 0, most_sectors = 0;
  bool titled = false;
  for (const ShapeCost& cost : costs) {
    most_wavefronts = std::max(most_wavefronts, cost.wavefronts());
    most_sectors = std::max(most_sectors, cost.sectors());
    titled = titled || cost.kernel != costs.front().kernel;
  }
  caption("Per pixel, of one traced block:", p.quiet);
  if (!ImGui::BeginTable("shapes", titled ? 4 : 3, ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingFixedFit))
    return;
  ImGui::TableSetupColumn("block");
  if (titled)
    ImGui::TableSetupColumn("kernel", ImGuiTableColumnFlags_WidthFixed, 120 * ImGui::GetStyle().FontScaleMain);
  ImGui::TableSetupColumn("wavefronts");
  ImGui::TableSetupColumn("sectors");
  header_row();
  for (const ShapeCost& cost : costs) {
    const bool here = cost.block == context.settings.lanes[lane].block;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    number(context.look.fonts, size_text(cost.block), here ? p.text : p.quiet, text_size::caption);
    if (titled) {
      ImGui::TableNextColumn();
      caption(cost.kernel, here ? p.text : p.quiet);
    }
    draw_heat(context, cost.wavefronts(), most_wavefronts, lane);
    tooltip("Wavefronts of shared memory. A warp of 32 pixels takes 32 times as many.");
    draw_heat(context, cost.sectors(), most_sectors, lane);
    tooltip("Sectors of 32 bytes of global memory, before the caches.");
  }
  ImGui::EndTable();
}

// The measured time to compare a least time with: of the shipped results for that GPU, or of the GPU that is here.
void draw_measured(const PanelContext& context, const GpuModel& gpu, int lane) {
  const Palette& p = context.look.colours;
  const LaneStatus& status = context.status.lanes[lane];
  if (&gpu == &gpu_model_h200() && context.status.shipped) {
    const NearestShipped nearest =
        nearest_shipped(*context.status.shipped, point_of(context, lane), context.settings.iterations);
    for (const BenchRow& row : nearest.rows)
      if (nearest.same && row.point.lane.variant == context.settings.lanes[lane].variant &&
          row.state == RowState::measured)
        return caption(fmt::format("Measured: {} ms ({})", three_digits(row.summary().median), row.elsewhere), p.text);
  }
  if (!status.on_cpu && status.times.kernel_ms)
    caption(
        fmt::format("Measured on {}: {} ms", context.status.device.name, three_digits(status.times.kernel_ms->median)),
        p.text);
}

void draw_what_if(PanelContext& context, const GpuModel& gpu, int lane) {
  const Palette& p = context.look.colours;
  const auto& answer = context.status.what_if;
  if (!answer || answer->question != context.ui.wants.what_if) return caption("compiling", p.quiet);
  if (const auto& least = answer->least[lane]) {
    caption(least_time_text(*least, gpu), p.text);
    tooltip(
        "By the rates of the data sheet, at the boost clock. A kernel also waits for memory and for other threads, so "
        "it takes longer. A GPU with a higher clock can be a little faster than this bound.");
    draw_measured(context, gpu, lane);
  }
  for (const StepOccupancy& step : answer->lanes[lane]) draw_step(context, step, lane);
  if (!answer->why_none[lane].empty()) {
    caption(answer->why_none[lane], p.quiet);
    draw_planned(context, context.status.lanes[lane]);
  } else if (answer->lanes[lane].empty()) {
    caption("Computed on the host: no kernel.", p.quiet);
  }
}

}  // namespace

void draw_occupancy(PanelContext& context) {
  if (!context.ui.shown.occupancy) return;
  if (ImGui::Begin("Occupancy", &context.ui.shown.occupancy)) {
    const int lanes = context.status.lanes[1].active ? 2 : 1;
    const GpuModel* gpu = draw_gpus(context);
    if (gpu) {
      ask_what_if(context, *gpu);
      draw_model(context, *gpu);
    }
    ask_for_shapes(context);
    if (ImGui::BeginTable("lanes", lanes, ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingStretchSame)) {
      for (int i = 0; i < lanes; ++i) {
        ImGui::TableNextColumn();
        const LaneStatus& lane = context.status.lanes[i];
        ImGui::PushID(i);
        ImGui::TextColored(context.look.colours.lane[i], "%c  %s", 'A' + i, context.settings.lanes[i].variant.c_str());
        if (gpu) {
          draw_what_if(context, *gpu, i);
        } else {
          for (const StepOccupancy& step : lane.occupancy) draw_step(context, step, i);
          if (kernel_steps(lane).empty()) caption("Computed on the host: no kernel.", context.look.colours.quiet);
        }
        draw_shapes(context, i);
        ImGui::PopID();
      }
      ImGui::EndTable();
    }
  }
  ImGui::End();
}

}  // namespace conv
