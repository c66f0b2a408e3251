// The blocks of a step over the picture: their grid, tile and apron of the block under the pointer, and how often
// pixels are loaded.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/blocks.h"

namespace conv {

namespace {

// Smaller blocks would only look grey, and be many.
constexpr float least_block_px = 4;

struct OnScreen {
  ViewTransform view;
  Vec2 middle;
  ImVec2 at(float x, float y) const {
    const Vec2 p = view.screen_at_image({x, y}, middle);
    return {std::round(p.x), std::round(p.y)};
  }
  std::pair<ImVec2, ImVec2> corners(const PixelRect& r) const {
    return {at(static_cast<float>(r.left), static_cast<float>(r.top)),
            at(static_cast<float>(r.left + r.width), static_cast<float>(r.top + r.height))};
  }
};

// Calls draw(block) for the visible blocks.
template <class Draw>
void for_visible(const LaunchPlan& plan, const KernelStep& step, const OnScreen& screen, const ViewArea& area,
                 Draw draw) {
  for (int y = 0; y < step.grid.height; ++y) {
    const auto [row_from, row_to] = screen.corners(staged_of(plan, step, {0, y}));
    if (row_to.y < area.top || row_from.y > area.top + area.height) continue;
    for (int x = 0; x < step.grid.width; ++x) {
      const auto [from, to] = screen.corners(staged_of(plan, step, {x, y}));
      if (to.x >= area.left && from.x <= area.left + area.width) draw(Point2{x, y});
    }
  }
}

ImU32 with_alpha(ImVec4 colour, float alpha) {
  colour.w = alpha;
  return ImGui::GetColorU32(colour);
}

// A row of the texture of colour maps, the one that differences are shown in.
float colour_map_row(const PanelContext& context) {
  return (static_cast<float>(context.settings.difference.map) + 0.5f) / static_cast<float>(colour_maps.size());
}

// In narrow areas above the view's controls. most: where colours stand for numbers from 0 to this.
void draw_legend(PanelContext& context, const std::string& text, const ViewArea& area, ImVec4 colour, int most = 0) {
  const float scale = ImGui::GetStyle().FontScaleMain, pad = 6 * scale;
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const float line = ImGui::GetTextLineHeight();
  if (most > 0) size.y += line;
  const ImVec2 at{area.left + area.width - size.x - 2 * pad - 12 * scale,
                  area.top + area.height - size.y - 2 * pad - (area.width < 720 * scale ? 60 : 12) * scale};
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, {at.x + size.x + 2 * pad, at.y + size.y + 2 * pad},
                      with_alpha(context.look.colours.panel, 0.88f), 4 * scale);
  list->AddText({at.x + pad, at.y + pad}, ImGui::GetColorU32(colour), text.c_str());
  if (most > 0) {
    const std::string end = std::to_string(most);
    const ImVec2 from{at.x + pad + 2 * ImGui::CalcTextSize("0").x, at.y + pad + size.y - 0.8f * line};
    const ImVec2 to{at.x + pad + size.x - ImGui::CalcTextSize((end + " ").c_str()).x, from.y + 0.6f * line};
    list->AddText({at.x + pad, at.y + pad + size.y - line}, ImGui::GetColorU32(colour), "0");
    list->AddText({to.x + ImGui::CalcTextSize(" ").x, at.y + pad + size.y - line}, ImGui::GetColorU32(colour),
                  end.c_str());
    const float row = colour_map_row(context);
    list->AddImage(static_cast<ImTextureID>(context.textures.colour_maps), from, to, {0, row}, {1, row});
  }
  ImGui::PopFont();
}

}  // namespace

std::vector<const KernelStep*> kernel_steps(const LaneStatus& lane) {
  std::vector<const KernelStep*> steps;
  if (!lane.plan) return steps;
  for (const Step& step : lane.plan->steps)
    if (const auto* kernel = std::get_if<KernelStep>(&step); kernel && kernel->tile.area() > 0) steps.push_back(kernel);
  return steps;
}

const KernelStep* chosen_step(const LaneStatus& lane, const BlockView& view) {
  const std::vector<const KernelStep*> steps = kernel_steps(lane);
  return steps.empty() ? nullptr : steps[std::clamp(view.step, 0, static_cast<int>(steps.size()) - 1)];
}

static void draw_blocks(const LaunchPlan& plan, const KernelStep& step, const OnScreen& screen, const ViewArea& area,
                        bool heat, const Palette& p) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  for_visible(plan, step, screen, area, [&](Point2 block) {
    const auto [from, to] = screen.corners(heat ? staged_of(plan, step, block) : tile_of(plan, step, block));
    if (heat)  // they overlap: the more blocks load a pixel, the stronger the colour
      list->AddRectFilled(from, to, with_alpha(p.fault, 0.16f));
    else
      list->AddRect(from, {to.x + 1, to.y + 1}, IM_COL32(255, 255, 255, 70));
  });
}

static void outline_tile(const LaunchPlan& plan, const KernelStep& step, Point2 block, const OnScreen& screen) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto [from, to] = screen.corners(tile_of(plan, step, block));
  list->AddRect(from, to, IM_COL32(0, 0, 0, 200), 0, 0, 4 * scale);
  list->AddRect(from, to, IM_COL32(255, 255, 255, 255), 0, 0, 2 * scale);
}

// The block under the pointer: its tile in white, what it stages in the lane's colour.
static void draw_chosen_block(const LaunchPlan& plan, const KernelStep& step, Point2 block, const OnScreen& screen,
                              ImVec4 colour) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto [staged_from, staged_to] = screen.corners(staged_of(plan, step, block));
  list->AddRectFilled(staged_from, staged_to, with_alpha(colour, 0.18f));
  list->AddRect(staged_from, staged_to, IM_COL32(0, 0, 0, 200), 0, 0, 3 * scale);
  list->AddRect(staged_from, staged_to, ImGui::GetColorU32(colour), 0, 0, 1.5f * scale);
  outline_tile(plan, step, block, screen);
}

// Cells of equal colour in a row are drawn as one; numbers where they fit.
static void draw_heat(PanelContext& context, const MemoryHeat& heat, const std::vector<int>& counts, int most,
                      const OnScreen& screen, const ViewArea& area) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto texture = static_cast<ImTextureID>(context.textures.colour_maps);
  const float row = colour_map_row(context);
  const auto shown = [&](int x, int y, int end) {
    const auto [from, to] = screen.corners({heat.area.left + x, heat.area.top + y, end - x, 1});
    const bool visible =
        to.x > area.left && to.y > area.top && from.x < area.left + area.width && from.y < area.top + area.height;
    return std::tuple(visible, from, to);
  };
  const auto for_runs = [&](auto draw) {
    for (int y = 0; y < heat.area.height; ++y) {
      const int* line = &counts[static_cast<std::size_t>(y) * static_cast<std::size_t>(heat.area.width)];
      for (int x = 0, end = 0; x < heat.area.width; x = end) {
        while (end < heat.area.width && line[end] == line[x]) ++end;
        if (line[x] > 0) draw(x, y, end, line[x]);
      }
    }
  };
  for_runs([&](int x, int y, int end, int count) {
    const auto [visible, from, to] = shown(x, y, end);
    const float at = static_cast<float>(count) / static_cast<float>(most);
    if (visible) list->AddImage(texture, from, to, {at, row}, {at, row}, IM_COL32(255, 255, 255, 215));
  });
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  const float cell = context.ui.view.zoom, needed = ImGui::CalcTextSize(std::to_string(most).c_str()).x + 4;
  if (cell >= std::max(needed, ImGui::GetTextLineHeight()))
    for_runs([&](int x, int y, int end, int count) {
      const std::string text = std::to_string(count);
      const ImVec2 size = ImGui::CalcTextSize(text.c_str());
      for (int i = x; i < end; ++i) {
        const auto [visible, from, to] = shown(i, y, i + 1);
        if (!visible) continue;
        // All maps go from dark to light.
        const bool light = 2 * count > most;
        list->AddText({std::floor((from.x + to.x - size.x) / 2), std::floor((from.y + to.y - size.y) / 2)},
                      light ? IM_COL32(0, 0, 0, 255) : IM_COL32(255, 255, 255, 255), text.c_str());
      }
    });
  ImGui::PopFont();
}

// Asks for the counts of the lane's block, and draws the last ones.
static void draw_recorded_heat(PanelContext& context, int index, const KernelStep& step, const OnScreen& screen,
                               const ViewArea& area) {
  const auto lane_index = static_cast<std::size_t>(index);
  const std::shared_ptr<const LaunchPlan>& plan = context.status.lanes[lane_index].plan;
  context.ui.wants.heat[lane_index] = BlockQuestion{plan, &step, chosen_block(context, *plan, step)};
  const Palette& p = context.look.colours;
  const auto& heat = context.status.heat ? (*context.status.heat)[lane_index] : nullptr;
  if (!heat || heat->question.plan != plan || heat->question.step != &step)
    return draw_legend(context, "recording", area, p.quiet);
  const bool by_loads = context.ui.panels.block.overlay == BlockOverlay::loads;
  const std::vector<int>& counts = by_loads ? heat->loads : heat->sectors;
  if (counts.empty()) return draw_legend(context, "these blocks read no pixel of the picture", area, p.quiet);
  long long sum = 0, read = 0;
  int most = 0;
  for (const int count : counts) {
    sum += count;
    read += count > 0 ? 1 : 0;
    most = std::max(most, count);
  }
  draw_heat(context, *heat, counts, most, screen, area);
  outline_tile(*plan, step, heat->question.block, screen);
  std::string text = fmt::format("{}: {} blocks around block {}, {}", step.title, heat->blocks, heat->question.block.x,
                                 heat->question.block.y);
  text += fmt::format("\n{}: {:.2f} on average, at most {}",
                      by_loads ? "loads of a pixel" : "moves of the 32 bytes with a pixel",
                      static_cast<double>(sum) / static_cast<double>(read), most);
  if (!heat->complete) text += "\nnot all requests of a block are recorded";
  draw_legend(context, text, area, p.text, most);
}

static std::string overlay_text(const KernelStep& step, bool visible, std::optional<Point2> block) {
  std::string text = fmt::format("{}: blocks of {}×{} pixels, a grid of {}×{} blocks", step.title, step.tile.width,
                                 step.tile.height, step.grid.width, step.grid.height);
  const LoadsPerPixel loads = loads_per_pixel(step);
  if (step.staged())
    text +=
        fmt::format("\neach pixel is loaded {} to {} times, {:.2f} on average", loads.least, loads.most, loads.mean);
  if (!visible) text += "\nzoom in to see the blocks";
  if (block) text += fmt::format("\nblock {}, {}", block->x, block->y);
  return text;
}

void draw_overlay_choice(BlockView& view) {
  const float width = 220 * ImGui::GetStyle().FontScaleMain;
  flow(width);
  ImGui::SetNextItemWidth(width);
  const BlockOverlayInfo& chosen = block_overlays[static_cast<std::size_t>(view.overlay)];
  if (begin_combo("##overlay", view.overlay == BlockOverlay::none ? "Nothing over the picture" : chosen.title)) {
    for (const BlockOverlayInfo& row : block_overlays) {
      if (ImGui::Selectable(row.title, row.overlay == view.overlay)) view.overlay = row.overlay;
      tooltip(row.tip);
    }
    ImGui::EndCombo();
  }
  tooltip(fmt::format("What is drawn over the picture. O\n{}", chosen.tip));
}

void draw_block_overlay(PanelContext& context, int index, const ViewArea& area) {
  const UiState& ui = context.ui;
  const LaneStatus& lane = context.status.lanes[index];
  const KernelStep* step = chosen_step(lane, ui.panels.block);
  const BlockOverlay overlay = ui.panels.block.overlay;
  if (overlay == BlockOverlay::none) return;
  const Palette& p = context.look.colours;
  if (!step) return draw_legend(context, "computed on the host: no blocks", area, p.quiet);
  const OnScreen screen{ui.view_of(index), {area.left + area.width / 2, area.top + area.height / 2}};
  const LaunchPlan& plan = *lane.plan;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect({area.left, area.top}, {area.left + area.width, area.top + area.height}, true);
  if (overlay == BlockOverlay::loads || overlay == BlockOverlay::sectors) {
    draw_recorded_heat(context, index, *step, screen, area);
    return list->PopClipRect();
  }
  const bool visible =
      static_cast<float>(std::min(step->tile.width, step->tile.height)) * ui.view.zoom >= least_block_px;
  if (visible) draw_blocks(plan, *step, screen, area, overlay == BlockOverlay::overlap, p);
  const std::optional<Point2> pixel = ui.probe.hovered ? std::optional(ui.probe.pixel) : ui.probe.picked;
  const auto block = pixel ? block_at(plan, *step, *pixel) : std::nullopt;
  if (block) draw_chosen_block(plan, *step, *block, screen, p.of_lane(index));
  draw_legend(context, overlay_text(*step, visible, block), area, p.text);
  list->PopClipRect();
}

}  // namespace conv
