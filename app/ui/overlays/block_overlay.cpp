// The blocks of a step over the picture: their grid, tile and apron of the block under the pointer, overlaps as heat.
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

void draw_legend(PanelContext& context, const std::string& text, const ViewArea& area, ImVec4 colour) {
  const float scale = ImGui::GetStyle().FontScaleMain, pad = 6 * scale;
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const ImVec2 at{area.left + area.width - size.x - 2 * pad - 12 * scale,
                  area.top + area.height - size.y - 2 * pad - 12 * scale};
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, {at.x + size.x + 2 * pad, at.y + size.y + 2 * pad},
                      with_alpha(context.look.colours.panel, 0.88f), 4 * scale);
  list->AddText({at.x + pad, at.y + pad}, ImGui::GetColorU32(colour), text.c_str());
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

// The block under the pointer: its tile in white, what it stages in the lane's colour.
static void draw_chosen_block(const LaunchPlan& plan, const KernelStep& step, Point2 block, const OnScreen& screen,
                              ImVec4 colour) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto [from, to] = screen.corners(tile_of(plan, step, block));
  const auto [staged_from, staged_to] = screen.corners(staged_of(plan, step, block));
  list->AddRectFilled(staged_from, staged_to, with_alpha(colour, 0.18f));
  list->AddRect(staged_from, staged_to, IM_COL32(0, 0, 0, 200), 0, 0, 3 * scale);
  list->AddRect(staged_from, staged_to, ImGui::GetColorU32(colour), 0, 0, 1.5f * scale);
  list->AddRect(from, to, IM_COL32(0, 0, 0, 200), 0, 0, 4 * scale);
  list->AddRect(from, to, IM_COL32(255, 255, 255, 255), 0, 0, 2 * scale);
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
  const bool visible =
      static_cast<float>(std::min(step->tile.width, step->tile.height)) * ui.view.zoom >= least_block_px;
  if (visible) draw_blocks(plan, *step, screen, area, overlay == BlockOverlay::heat, p);
  const std::optional<Point2> pixel = ui.probe.hovered ? std::optional(ui.probe.pixel) : ui.probe.picked;
  const auto block = pixel ? block_at(plan, *step, *pixel) : std::nullopt;
  if (block) draw_chosen_block(plan, *step, *block, screen, p.of_lane(index));
  draw_legend(context, overlay_text(*step, visible, block), area, p.text);
  list->PopClipRect();
}

}  // namespace conv
