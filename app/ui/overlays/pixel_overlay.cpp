// Lines between pixels, and their values, once they are large enough.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/model/value_text.h"
#include "app/ui/panels/panels.h"

namespace conv {

namespace {

// A value; with Shift its bits.
std::string value_text(const HostImage& image, std::size_t pixel, int channel, ValueUnit unit, bool bits) {
  const float value = image.channel(pixel, channel);
  if (!bits) return value_text(value / info(image.type).one, unit, is_8_bit(image.type));
  if (is_8_bit(image.type)) return fmt::format("{:02x}", static_cast<int>(value));
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

// The numbers of pixels: one line for each of the first channels, at most three.
struct Figures {
  Point2 at;  // of the first pixel, in the image
  Size2 size;
  std::vector<std::string> lines;  // of the first pixel, of the second, ...
  std::vector<bool> on_light;      // one per pixel
};

int lines_of(PixelType type) {
  return std::min(3, info(type).channels);
}

Figures values_of(const ImagePart& part, ValueUnit unit, bool bits) {
  Figures figures{.at = part.at, .size = part.image.size, .lines = {}, .on_light = {}};
  const int lines = lines_of(part.image.type);
  for (std::size_t i = 0; i < static_cast<std::size_t>(figures.size.area()); ++i) {
    for (int c = 0; c < lines; ++c) figures.lines.push_back(value_text(part.image, i, c, unit, bits));
    const auto level = [&](int c) {
      return static_cast<float>(part.image.channel(i, lines == 1 ? 0 : c) / info(part.image.type).one);
    };
    figures.on_light.push_back(ink_on({level(0), level(1), level(2), 1}) == IM_COL32(0, 0, 0, 255));
  }
  return figures;
}

// A few characters: a whole number of levels, or two digits.
std::string short_difference(double apart, ValueUnit unit, bool whole) {
  if (apart == 0) return "0";
  if (whole && unit == ValueUnit::levels) return fmt::format("{:.0f}", apart * 255);
  return fmt::format("{:.1e}", apart * info(unit).full_scale);
}

// As the difference view colours it: the absolute or the signed value.
Figures differences_of(const ImagePart& a, const ImagePart& b, const Settings& settings, float gain) {
  const bool with_sign = settings.difference.with_sign;
  Figures figures{.at = a.at, .size = a.image.size, .lines = {}, .on_light = {}};
  const int lines = lines_of(a.image.type);
  const bool levels = is_8_bit(a.image.type) && is_8_bit(b.image.type);
  for (std::size_t i = 0; i < static_cast<std::size_t>(figures.size.area()); ++i) {
    double worst = 0;
    for (int c = 0; c < lines; ++c) {
      const double apart =
          a.image.channel(i, c) / info(a.image.type).one - b.image.channel(i, c) / info(b.image.type).one;
      figures.lines.push_back(short_difference(with_sign ? apart : std::fabs(apart), settings.display.unit, levels));
      worst = std::max(worst, std::fabs(apart));
    }
    // the maps become lighter from the start, the signed one from the middle
    figures.on_light.push_back(worst * gain > 0.5);
  }
  return figures;
}

void draw_figures(PanelContext& context, const Figures& figures, const ViewTransform& view, Vec2 middle,
                  Point2 corner) {
  const std::size_t pixels = figures.on_light.size(), lines = figures.lines.size() / pixels;
  std::size_t longest = 1;
  for (const std::string& line : figures.lines) longest = std::max(longest, line.size());
  // As large as fits; a digit of this font is 0.6 of its height wide.
  const float height =
      std::min({text_size::caption * ImGui::GetStyle().FontScaleMain, 0.92f * view.zoom / static_cast<float>(lines),
                0.92f * view.zoom / (0.6f * static_cast<float>(longest))});
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < pixels; ++i) {
    const int x = static_cast<int>(i) % figures.size.width, y = static_cast<int>(i) / figures.size.width;
    const Vec2 at = view.screen_at_image({static_cast<float>(figures.at.x + corner.x + x) + 0.5f,
                                          static_cast<float>(figures.at.y + corner.y + y) + 0.5f},
                                         middle);
    const ImU32 ink = figures.on_light[i] ? IM_COL32(0, 0, 0, 255) : IM_COL32(255, 255, 255, 255);
    for (std::size_t c = 0; c < lines; ++c) {
      const std::string& text = figures.lines[i * lines + c];
      const float width = 0.6f * height * static_cast<float>(text.size());
      list->AddText(context.look.fonts.numbers, height,
                    {at.x - width / 2, at.y + (static_cast<float>(c) - 0.5f * static_cast<float>(lines)) * height}, ink,
                    text.c_str());
    }
  }
}

// The pixels of a lane, or in the difference view of both lanes; none while they are being read.
std::optional<Figures> figures_of(const PanelContext& context, int index) {
  const auto& parts = context.status.picture.pixels;
  if (!parts[index] || context.ui.compare.holds_reference) return std::nullopt;
  if (context.settings.view != ViewMode::difference)
    return values_of(*parts[index], context.settings.display.unit, ImGui::GetIO().KeyShift);
  const auto &a = parts[0], &b = parts[1];
  if (!a || !b || a->at != b->at || a->image.size != b->image.size) return std::nullopt;
  if (lines_of(a->image.type) != lines_of(b->image.type)) return std::nullopt;  // one still has the format before
  return differences_of(*a, *b, context.settings, context.status.picture.gain);
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
  draw_lines(view, area, middle, context.status.source.size);
  const LaneStatus& lane = context.status.lanes[index];
  if (const auto figures = figures_of(context, index); figures && lane.plan)
    draw_figures(context, *figures, view, middle, corner_in_source(lane.plan->image, context.status.source.size));
  ImGui::GetWindowDrawList()->PopClipRect();
}

}  // namespace conv
