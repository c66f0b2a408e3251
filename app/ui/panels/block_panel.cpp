// One block of a step: its tile with the apron, its threads, and what they do in each phase.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/check/traced_block.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/blocks.h"
#include "kernels/core/units.h"

namespace conv {

namespace {

std::string_view name_of(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::load: return "Load";
    case PhaseKind::stage: return "First stage";
    case PhaseKind::compute: return "Compute";
    case PhaseKind::store: return "Store";
  }
  return "";
}

std::string title_of(const BlockPhase& phase) {
  return phase.kind == PhaseKind::load ? fmt::format("Load {}", phase.wave + 1) : std::string(name_of(phase.kind));
}

ImU32 faded(ImVec4 colour, float alpha) {
  colour.w *= alpha;
  return ImGui::GetColorU32(colour);
}

// Cells too small for lines are filled.
void hatch(ImDrawList* list, ImVec2 from, ImVec2 to, ImVec4 colour) {
  if (to.x - from.x < 9) return list->AddRectFilled(from, to, faded(colour, 0.25f));
  list->PushClipRect(from, to, true);
  const float height = to.y - from.y, step = std::max(4.0f, height / 3);
  for (float x = from.x - height; x < to.x; x += step)
    list->AddLine({x, to.y}, {x + height, from.y}, faded(colour, 0.6f));
  list->PopClipRect();
}

// A grid of width x height cells that fits the space; calls draw(index, from, to) for each. Cells are squares, but not
// so flat in a wide grid that they cannot be seen. Returns the cell under the mouse, or -1.
template <class Draw>
int draw_cells(const char* id, Size2 size, ImVec2 room, Draw draw) {
  const float highest = std::floor(room.y / static_cast<float>(size.height));
  const float cell = std::max(2.0f, std::min(std::floor(room.x / static_cast<float>(size.width)), highest));
  const float height = std::clamp(10 * ImGui::GetStyle().FontScaleMain, cell, std::max(cell, highest));
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton(id, {cell * static_cast<float>(size.width), height * static_cast<float>(size.height)});
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool hovered = ImGui::IsItemHovered();
  const float gap = cell >= 6 ? 1.0f : 0.0f;
  int over = -1;
  for (int i = 0; i < size.width * size.height; ++i) {
    const ImVec2 from{origin.x + cell * static_cast<float>(i % size.width),
                      origin.y + height * static_cast<float>(i / size.width)};
    const ImVec2 to{from.x + cell, from.y + height};
    draw(i, from, ImVec2{to.x - gap, to.y - gap});
    if (hovered && mouse.x >= from.x && mouse.y >= from.y && mouse.x < to.x && mouse.y < to.y) over = i;
  }
  return over;
}

struct Figure {
  const LaunchPlan& plan;
  const KernelStep& step;
  const BlockRecording& recording;
  std::size_t phase;
  int thread;  // under the mouse; -1: none
  Size2 staged() const { return {step.tile.width + 2 * step.apron.width, step.tile.height + 2 * step.apron.height}; }
  bool in_tile(int cell) const {
    const int x = cell % staged().width - step.apron.width, y = cell / staged().width - step.apron.height;
    return x >= 0 && y >= 0 && x < step.tile.width && y < step.tile.height;
  }
  // Which thread loads each cell of tile and apron up to the current phase; -1: none yet.
  std::vector<int> loaded_by() const {
    std::vector<int> by(static_cast<std::size_t>(staged().area()), -1);
    for (std::size_t i = 0; i <= phase; ++i) {
      const BlockPhase& p = recording.phases[i];
      for (std::size_t id = 0; id < p.cell.size(); ++id)
        if (p.cell[id] >= 0 && p.cell[id] < static_cast<int>(by.size())) by[p.cell[id]] = static_cast<int>(id);
    }
    return by;
  }
};

// Below the tile: where the apron ends, and how long a row is.
void draw_ruler(PanelContext& context, const KernelStep& step, float cell) {
  const Palette& p = context.look.colours;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float scale = ImGui::GetStyle().FontScaleMain, tick = 4 * scale;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const int apron = step.apron.width, tile = step.tile.width;
  for (const int edge : {0, apron, apron + tile, 2 * apron + tile})
    list->AddLine({at.x + cell * static_cast<float>(edge), at.y - tick},
                  {at.x + cell * static_cast<float>(edge), at.y + tick}, ImGui::GetColorU32(p.text), scale);
  list->AddLine(at, {at.x + cell * static_cast<float>(2 * apron + tile), at.y}, ImGui::GetColorU32(p.text), scale);
  ImGui::Dummy({0, tick});
  caption(tile_row_text(step), p.text);
  tooltip("A row of the tile: the apron on the left, the pixels that the block writes, the apron on the right.");
}

// Tile and apron: loaded cells, bright if loaded in this phase; the window of the thread under the mouse and the pixels
// that it writes.
void draw_tile(PanelContext& context, const Figure& f, ImVec2 room, ImVec4 hue) {
  const Palette& p = context.look.colours;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const BlockPhase& now = f.recording.phases[f.phase];
  const std::vector<int> by = f.loaded_by();
  const Size2 radius = f.plan.tables[f.step.taps].radius;
  std::vector<Point2> results;  // of this thread, in the staged tile
  if (f.thread >= 0)
    for (const Point2 pixel : f.recording.written[f.thread])
      results.push_back({pixel.x - f.recording.block.x * f.step.tile.width + f.step.apron.width,
                         pixel.y - f.recording.block.y * f.step.tile.height + f.step.apron.height});
  const auto in_window = [&](Point2 at) {
    return !results.empty() && std::abs(at.x - results.front().x) <= radius.width &&
           std::abs(at.y - results.front().y) <= radius.height;
  };
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  const float largest = ImGui::GetFontSize(), smallest = 8, digits = ImGui::CalcTextSize("000").x / largest;
  room.y -= 1.5f * ImGui::GetTextLineHeightWithSpacing();  // for the ruler
  const int over = draw_cells("tile", f.staged(), room, [&](int i, ImVec2 from, ImVec2 to) {
    const bool fresh = now.kind == PhaseKind::load && by[i] >= 0 && now.cell[by[i]] == i;
    const float strength = f.step.shared_bytes == 0 ? 0.25f : by[i] < 0 ? 0.0f : fresh ? 1.0f : 0.4f;
    list->AddRectFilled(from, to, ImGui::GetColorU32(p.raised));
    list->AddRectFilled(from, to, faded(hue, f.in_tile(i) ? strength : 0.6f * strength));
    if (!f.in_tile(i)) hatch(list, from, to, p.quiet);
    const Point2 at{i % f.staged().width, i / f.staged().width};
    if (in_window(at)) list->AddRectFilled(from, to, faded(p.text, 0.35f));
    if (std::ranges::find(results, at) != results.end())
      list->AddRect(from, to, ImGui::GetColorU32(p.text), 0, 0, 2.0f);
    if (const float font = std::min(largest, (to.x - from.x) / digits); fresh && font >= smallest)
      list->AddText(context.look.fonts.numbers, font, from, ink_on(ImLerp(p.raised, hue, f.in_tile(i) ? 1.0f : 0.6f)),
                    std::to_string(by[i]).c_str());
  });
  ImGui::PopFont();
  draw_ruler(context, f.step, ImGui::GetItemRectSize().x / static_cast<float>(f.staged().width));
  if (over < 0) return;
  const int x = over % f.staged().width - f.step.apron.width, y = over / f.staged().width - f.step.apron.height;
  ImGui::SetTooltip("%s", fmt::format("{} {}, {}{}", f.in_tile(over) ? "tile" : "apron", x, y,
                                      by[over] >= 0 ? fmt::format("\nloaded by thread {}", by[over]) : "")
                              .c_str());
}

// The block's threads: bright if they work in this phase, hatched if they are idle. Returns the one under the mouse.
int draw_threads(PanelContext& context, const KernelStep& step, const BlockPhase& phase, ImVec2 room, ImVec4 hue) {
  const Palette& p = context.look.colours;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const int over = draw_cells("threads", step.block, room, [&](int i, ImVec2 from, ImVec2 to) {
    list->AddRectFilled(from, to, ImGui::GetColorU32(p.raised));
    if (phase.active[i])
      list->AddRectFilled(from, to, faded(hue, 0.8f));
    else
      hatch(list, from, to, p.quiet);
  });
  if (over >= 0)
    ImGui::SetTooltip(
        "%s", fmt::format("thread {}, {}: {}\nwarp {}, lane {}", over % step.block.width, over / step.block.width,
                          phase.active[over] ? "works" : "idle", over / context.status.device.limits.warp_size,
                          over % context.status.device.limits.warp_size)
                  .c_str());
  return over;
}

// One line per phase, with barriers between; a click or the arrow keys choose.
void draw_phases(PanelContext& context, const KernelStep& step, const BlockRecording& recording, ImVec4 hue) {
  BlockView& view = context.ui.panels.block;
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain, width = 150 * scale;
  for (std::size_t i = 0; i < recording.phases.size(); ++i) {
    const BlockPhase& phase = recording.phases[i];
    if (i > 0 && phase.epoch != recording.phases[i - 1].epoch) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::GetWindowDrawList()->AddLine({at.x, at.y + 6 * scale}, {at.x + width, at.y + 6 * scale},
                                          ImGui::GetColorU32(p.text), 2 * scale);
      ImGui::Dummy({0, 4 * scale});
      caption("barrier", p.quiet);
    }
    const float share = static_cast<float>(phase.count) / static_cast<float>(step.block.area());
    ImGui::PushID(static_cast<int>(i));
    const ImVec2 from = ImGui::GetCursorScreenPos();
    if (ImGui::Selectable("##phase", static_cast<int>(i) == view.phase, 0, {width, ImGui::GetTextLineHeight()})) {
      view.phase = static_cast<int>(i);
      view.playing = false;
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float bottom = from.y + ImGui::GetTextLineHeight();
    list->AddRectFilled({from.x, bottom - 2 * scale}, {from.x + width * share, bottom}, ImGui::GetColorU32(hue));
    list->AddText(from, ImGui::GetColorU32(p.text), title_of(phase).c_str());
    const std::string percent = fmt::format("{:.0f} %", 100 * share);
    list->AddText({from.x + width - ImGui::CalcTextSize(percent.c_str()).x, from.y}, ImGui::GetColorU32(p.quiet),
                  percent.c_str());
    tooltip(fmt::format("{} of {} threads", phase.count, step.block.area()));
    ImGui::PopID();
  }
}

// The plan's numbers; a recording that differs is shown.
void draw_figures(PanelContext& context, const LaunchPlan& plan, const KernelStep& step,
                  const BlockRecording& recording) {
  const Palette& p = context.look.colours;
  const auto row = [&](std::string_view title, const std::string& value, std::string_view tip) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    caption(title, p.quiet);
    tooltip(tip);
    ImGui::TableNextColumn();
    number(context.look.fonts, value, p.text, text_size::caption);
  };
  if (!ImGui::BeginTable("figures", 2, ImGuiTableFlags_NoSavedSettings)) return;
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthFixed, 96 * ImGui::GetStyle().FontScaleMain);
  const long long threads = step.block.area(), tile = step.tile.area();
  const Size2 staged{step.tile.width + 2 * step.apron.width, step.tile.height + 2 * step.apron.height};
  const int warps = ceil_div(static_cast<int>(threads), context.status.device.limits.warp_size);
  row("threads",
      fmt::format("{}×{} = {}, {} warp{}", step.block.width, step.block.height, threads, warps, warps == 1 ? "" : "s"),
      "As launched.");
  row("write a pixel",
      fmt::format("{} ({:.0f} %)", recording.threads.writing,
                  100.0 * static_cast<double>(recording.threads.writing) / static_cast<double>(threads)),
      "Threads of this block that store a result. The others help to load, or are idle.");
  row("tile", fmt::format("{}×{} pixels", step.tile.width, step.tile.height), "What the block writes.");
  if (step.staged())
    row("tile and apron",
        fmt::format("{}×{} = {:.2f}× the tile", staged.width, staged.height,
                    static_cast<double>(staged.area()) / static_cast<double>(tile)),
        "What the block reads: the neighbours' pixels too.");
  if (step.shared_bytes > 0)
    row("shared memory", bytes_text(step.shared_bytes), "Of the block, as planned and as used.");
  row("global reads",
      fmt::format(
          "{} = {:.2f} a pixel", grouped(recording.source_reads),
          static_cast<double>(recording.source_reads) / static_cast<double>(std::max(1ll, recording.target_writes))),
      "Recorded while the kernel ran on the CPU executor. Where the padding's value is used, nothing is read.");
  row("shared reads", grouped(recording.shared_reads), "Recorded while the kernel ran on the CPU executor.");
  row("taps read", grouped(recording.tap_reads), "From constant or global memory.");
  if (recording.shared_bytes != step.shared_bytes)
    row("touched", bytes_text(recording.shared_bytes), "Less than planned: the block is at the edge of the image.");
  ImGui::EndTable();
  if (plan.transfers() || plan.spread()) caption("One of the plan's strips.", p.quiet);
}

void draw_choices(PanelContext& context) {
  BlockView& view = context.ui.panels.block;
  draw_lane_and_pass(context);
  if (ImGui::Button(view.playing ? "Pause" : "Play")) view.playing = !view.playing;
  tooltip("Play the phases.");
  draw_overlay_choice(view);
}

void walk(BlockView& view, int phases) {
  if (view.playing && ImGui::GetTime() > view.next_phase) {
    ++view.phase;
    view.next_phase = ImGui::GetTime() + 0.6;
  }
  view.phase = view.playing ? view.phase % phases : std::clamp(view.phase, 0, phases - 1);
}

void draw_recording(PanelContext& context, const LaunchPlan& plan, const KernelStep& step,
                    const BlockRecording& recording) {
  BlockView& view = context.ui.panels.block;
  walk(view, static_cast<int>(recording.phases.size()));
  const ImVec4 hue = context.look.colours.lane[view.lane];
  const float scale = ImGui::GetStyle().FontScaleMain;
  caption(
      fmt::format("block {}, {} of {}×{}{}", recording.block.x, recording.block.y, step.grid.width, step.grid.height,
                  context.ui.probe.picked || context.ui.presenter.on ? "" : " · click a pixel to choose another"),
      context.look.colours.quiet);
  if (step.ring) {
    caption("The tile is never complete in shared memory: a few rows at a time are loaded, summed and replaced.",
            context.look.colours.quiet);
    return draw_figures(context, plan, step, recording);
  }
  const bool is_wide = ImGui::GetContentRegionAvail().x > 560 * scale;  // otherwise the figures are below
  const float space = ImGui::GetContentRegionAvail().y - 8 * scale;
  const float height = std::max(is_wide ? space : space / 2, 100 * scale);
  if (!ImGui::BeginTable("block", is_wide ? 4 : 3, ImGuiTableFlags_NoSavedSettings)) return;
  ImGui::TableSetupColumn("tile", ImGuiTableColumnFlags_WidthStretch, 2);
  ImGui::TableSetupColumn("threads", ImGuiTableColumnFlags_WidthStretch, 1);
  ImGui::TableSetupColumn("phases", ImGuiTableColumnFlags_WidthFixed, 160 * scale);
  if (is_wide) ImGui::TableSetupColumn("figures", ImGuiTableColumnFlags_WidthFixed, 250 * scale);
  ImGui::TableNextColumn();
  draw_tile(context, {plan, step, recording, static_cast<std::size_t>(view.phase), view.thread},
            {ImGui::GetContentRegionAvail().x, height}, hue);
  ImGui::TableNextColumn();
  view.thread =
      draw_threads(context, step, recording.phases[view.phase], {ImGui::GetContentRegionAvail().x, height}, hue);
  ImGui::TableNextColumn();
  draw_phases(context, step, recording, hue);
  if (is_wide) {
    ImGui::TableNextColumn();
    draw_figures(context, plan, step, recording);
  }
  ImGui::EndTable();
  if (!is_wide) draw_figures(context, plan, step, recording);
}

}  // namespace

Point2 chosen_block(const PanelContext& context, const LaunchPlan& plan, const KernelStep& step) {
  const UiState& ui = context.ui;
  const std::optional<Point2> pixel = ui.probe.picked    ? ui.probe.picked
                                      : ui.probe.hovered ? std::optional(ui.probe.pixel)
                                                         : std::nullopt;
  const Point2 middle = middle_block(step);
  return pixel ? block_at(plan, step, *pixel).value_or(middle) : middle;
}

void draw_block_contents(PanelContext& context) {
  BlockView& view = context.ui.panels.block;
  draw_choices(context);
  const LaneStatus& lane = context.status.lanes[view.lane];
  const std::shared_ptr<const RecordedBlock>& recorded = context.status.block;
  if (!lane.outdated.empty()) caption(lane.outdated, context.look.colours.fault);
  if (const KernelStep* step = chosen_step(lane, view)) {
    view.wanted = BlockQuestion{lane.plan, step, chosen_block(context, *lane.plan, *step)};
    if (recorded && recorded->question.step == step && !recorded->recording.phases.empty())
      draw_recording(context, *lane.plan, *step, recorded->recording);
    else
      caption("recording", context.look.colours.quiet);
  } else {
    caption("Computed on the host, or the plan was refused: there are no blocks.", context.look.colours.quiet);
  }
}

void draw_block(PanelContext& context) {
  if (!context.ui.shown.block) return;
  if (ImGui::Begin("Block", &context.ui.shown.block)) draw_block_contents(context);
  ImGui::End();
}

}  // namespace conv
