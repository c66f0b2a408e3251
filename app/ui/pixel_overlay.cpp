// Lines between pixels, and their values, once they are large enough.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/ui/panels.h"

namespace {

// As the type has it: levels, or four decimals; with Shift the bits.
std::string value_text(const HostImage& image, std::size_t pixel, int channel, bool bits) {
  const float value = image.channel(pixel, channel);
  if (is_8_bit(image.type)) return bits ? fmt::format("{:02x}", static_cast<int>(value)) : fmt::format("{:.0f}", value);
  if (!bits) return fmt::format("{:.4f}", value);
  return is_half(image.type)
             ? fmt::format("{:04x}", reinterpret_cast<const std::uint16_t*>(
                                         image.bytes.data())[pixel * info(image.type).channels + channel])
             : fmt::format("{:08x}", std::bit_cast<std::uint32_t>(value));
}

void draw_lines(const ViewTransform& view, const ViewArea& area, Vec2 middle, Size2 size) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Vec2 from = view.image_at_screen({area.left, area.top}, middle);
  const Vec2 to = view.image_at_screen({area.left + area.width, area.top + area.height}, middle);
  const int left = std::max(0, static_cast<int>(from.x)), right = std::min(size.width, static_cast<int>(to.x) + 1);
  const int top = std::max(0, static_cast<int>(from.y)), bottom = std::min(size.height, static_cast<int>(to.y) + 1);
  const auto at = [&](int x, int y) {
    const Vec2 p = view.screen_at_image({static_cast<float>(x), static_cast<float>(y)}, middle);
    return ImVec2{std::round(p.x), std::round(p.y)};
  };
  constexpr ImU32 ink = IM_COL32(128, 128, 128, 90);
  for (int x = left; x <= right; ++x) list->AddRectFilled(at(x, top), at(x, bottom) + ImVec2(1, 0), ink);
  for (int y = top; y <= bottom; ++y) list->AddRectFilled(at(left, y), at(right, y) + ImVec2(0, 1), ink);
}

void draw_values(PanelContext& context, const ImagePart& part, const ViewTransform& view, Vec2 middle, Point2 corner) {
  const bool bits = ImGui::GetIO().KeyShift;
  const PixelTypeInfo& type = info(part.image.type);
  const int lines = std::min(3, type.channels);
  std::size_t longest = 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(part.image.size.area()); ++i)
    for (int c = 0; c < lines; ++c) longest = std::max(longest, value_text(part.image, i, c, bits).size());
  // As large as fits; a figure of this font is 0.6 of its height wide.
  const float height =
      std::min({text_size::caption * ImGui::GetStyle().FontScaleMain, 0.92f * view.zoom / static_cast<float>(lines),
                0.92f * view.zoom / (0.6f * static_cast<float>(longest))});
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (int i = 0; i < part.image.size.area(); ++i) {
    const int x = i % part.image.size.width, y = i / part.image.size.width;
    const Vec2 at = view.screen_at_image(
        {static_cast<float>(part.at.x + corner.x + x) + 0.5f, static_cast<float>(part.at.y + corner.y + y) + 0.5f},
        middle);
    float light = 0;
    for (int c = 0; c < lines; ++c)
      light += part.image.channel(static_cast<std::size_t>(i), c) / type.one / static_cast<float>(lines);
    const ImU32 ink = light > 0.5f ? IM_COL32(0, 0, 0, 255) : IM_COL32(255, 255, 255, 255);
    for (int c = 0; c < lines; ++c) {
      const std::string text = value_text(part.image, static_cast<std::size_t>(i), c, bits);
      const float width = 0.6f * height * static_cast<float>(text.size());
      list->AddText(context.look.fonts.numbers, height,
                    {at.x - width / 2, at.y + (static_cast<float>(c) - 0.5f * static_cast<float>(lines)) * height}, ink,
                    text.c_str());
    }
  }
}

}  // namespace

void draw_pixels(PanelContext& context, int index, const ViewArea& area) {
  const UiState& ui = context.ui;
  if (!context.settings.display.pixel_grid || ui.view.zoom < ViewTransform::grid_zoom) return;
  const ViewTransform view = ui.view_of(index);
  const Vec2 middle{area.left + area.width / 2, area.top + area.height / 2};
  const ViewArea& seen = ui.areas[index].visible;
  ImGui::GetWindowDrawList()->PushClipRect({seen.left, seen.top}, {seen.left + seen.width, seen.top + seen.height},
                                           true);
  draw_lines(view, area, middle, context.status.source_size);
  const std::optional<ImagePart>& part = context.status.pixels[index];
  const LaneStatus& lane = context.status.lanes[index];
  if (part && lane.plan && !ui.holds_reference)
    draw_values(context, *part, view, middle, corner_in_source(lane.plan->image, context.status.source_size));
  ImGui::GetWindowDrawList()->PopClipRect();
}
