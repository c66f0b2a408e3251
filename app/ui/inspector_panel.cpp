// The pixel under the cursor, or the picked one, taken apart.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/panels.h"
#include "app/ui/widgets.h"

namespace {

constexpr const char* names[] = {"R", "G", "B"};

std::string value_text(double value, PixelType type) {
  return is_8_bit(type) ? fmt::format("{:.4g}", value) : fmt::format("{:.6g}", value);
}

// Short enough for a cell: ".0124", "-1", "4.5e-06".
std::string weight_text(double weight) {
  std::string text = std::fabs(weight) < 1 && std::fabs(weight) >= 1e-4 ? fmt::format("{:.4f}", weight)
                                                                        : fmt::format("{:.2g}", weight);
  if (const auto zero = text.find("0."); zero <= 1) text.erase(zero, 1);
  return text;
}

// A value as a shade of grey, or its colour.
ImU32 shade_of(const InspectedTap& tap, const Inspection& inspection) {
  const double one = info(inspection.type).one;
  const auto level = [&](int c) {
    const double value = tap.value[inspection.channels == 1 ? 0 : c] / one;
    return static_cast<int>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
  };
  return IM_COL32(level(0), level(1), level(2), 255);
}

void explain_tap(const Inspection& inspection, std::size_t index, int channel) {
  const InspectedTap& tap = inspection.taps[index];
  double sum = 0;
  for (std::size_t i = 0; i <= index; ++i) sum += inspection.taps[i].weight * inspection.taps[i].value[channel];
  const std::string place = tap.value_only ? " outside: the padding's value"
                            : tap.padded   ? fmt::format(" outside: {}, {} stands for it", tap.source.x, tap.source.y)
                                           : "";
  ImGui::SetTooltip("%s", fmt::format("{}, {}{}\n{} × {:.6g} = {:.6g}\nsum so far {:.6g}", tap.at.x, tap.at.y, place,
                                      value_text(tap.value[channel], inspection.type), tap.weight,
                                      tap.weight * tap.value[channel], sum)
                              .c_str());
}

// The window as the kernel meets it: a cell per tap in the pixel's colour, value above weight where there is room. What
// is outside the image has a frame.
void draw_window(PanelContext& context, const Inspection& inspection, int channel) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const float cell = std::floor(std::clamp(
      ImGui::GetContentRegionAvail().x / static_cast<float>(inspection.window.width), 3 * scale, 48 * scale));
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 whole{cell * static_cast<float>(inspection.window.width),
                     cell * static_cast<float>(inspection.window.height)};
  ImGui::Dummy(whole);
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  const bool numbers = cell >= ImGui::CalcTextSize("0.0000").x;
  for (std::size_t i = 0; i < inspection.taps.size(); ++i) {
    const InspectedTap& tap = inspection.taps[i];
    const ImVec2 min{from.x + cell * static_cast<float>(static_cast<int>(i) % inspection.window.width),
                     from.y + cell * static_cast<float>(static_cast<int>(i) / inspection.window.width)};
    const ImVec2 max{min.x + cell - 1, min.y + cell - 1};
    list->AddRectFilled(min, max, shade_of(tap, inspection));
    if (tap.padded) list->AddRect(min, max, ImGui::GetColorU32(p.fault), 0, 0, 1.5f * scale);
    if (numbers) {
      const double one = info(inspection.type).one;
      const auto part = [&](int c) { return tap.value[inspection.channels == 1 ? 0 : c] / one; };
      const double luma = 0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2);
      const ImU32 ink = luma > 0.5 ? IM_COL32(0, 0, 0, 255) : IM_COL32(255, 255, 255, 255);
      const std::string value = is_8_bit(inspection.type) ? fmt::format("{:.0f}", tap.value[channel])
                                                          : fmt::format("{:.3f}", tap.value[channel]);
      list->AddText({min.x + 3 * scale, min.y + 1 * scale}, ink, value.c_str());
      list->AddText({min.x + 3 * scale, max.y - ImGui::GetTextLineHeight() - scale}, ink,
                    weight_text(tap.weight).c_str());
    }
    const bool under =
        hovered && mouse.x >= min.x && mouse.x < min.x + cell && mouse.y >= min.y && mouse.y < min.y + cell;
    if (under) explain_tap(inspection, i, channel);
  }
  ImGui::PopFont();
}

// Reference, A and B of every channel, and how far the lanes are off.
void draw_values(PanelContext& context, const Inspection& inspection) {
  const Palette& p = context.look.colours;
  const Status& status = context.status;
  const double one = info(inspection.type).one;
  if (!ImGui::BeginTable("values", 2 + 2 * status.lanes[1].active + 2, ImGuiTableFlags_NoSavedSettings)) return;
  const auto cell = [&](std::string_view text, ImVec4 colour) {
    ImGui::TableNextColumn();
    number(context.look.fonts, text, colour, text_size::caption);
  };
  cell("", p.quiet);
  cell("exact", p.pass);
  for (int lane = 0; lane < (status.lanes[1].active ? 2 : 1); ++lane) {
    cell(lane == 0 ? "A" : "B", p.lane[lane]);
    cell("off by", p.quiet);
  }
  for (int c = 0; c < inspection.channels; ++c) {
    cell(inspection.channels == 1 ? "" : names[c], p.quiet);
    cell(value_text(inspection.exact[c], inspection.type), p.text);
    for (int lane = 0; lane < (status.lanes[1].active ? 2 : 1); ++lane) {
      const auto& shown = status.inspected[lane];
      cell(shown ? value_text((*shown)[c], inspection.type) : "–", p.text);
      cell(shown ? fmt::format("{:.2g}", std::fabs((*shown)[c] - inspection.exact[c]) / one) : "–", p.quiet);
    }
  }
  ImGui::EndTable();
}

void draw_computer(PanelContext& context, const Inspection& inspection, int index) {
  const LaneStatus& lane = context.status.lanes[index];
  if (!lane.active || !lane.plan) return;
  const Palette& p = context.look.colours;
  const Point2 corner = corner_in_source(lane.plan->image, context.status.source_size);
  const auto computer = computer_of(*lane.plan, {inspection.pixel.x - corner.x, inspection.pixel.y - corner.y},
                                    context.status.limits.warp_size);
  const std::string who = lane.plan->on_host() ? "computed on the host"
                          : !computer          ? "gathered from strips"
                          : computer->thread   ? fmt::format("block {}, {} · thread {}, {} · warp {} lane {}",
                                                             computer->block.x, computer->block.y, computer->thread->x,
                                                             computer->thread->y, computer->warp, computer->lane)
                                               : fmt::format("block {}, {}", computer->block.x, computer->block.y);
  ImGui::TextColored(p.lane[index], "%c", 'A' + index);
  ImGui::SameLine();
  caption(who, p.quiet);
}

}  // namespace

void draw_inspector(PanelContext& context) {
  if (!context.ui.show_inspector) return;
  if (ImGui::Begin("Inspector", &context.ui.show_inspector, ImGuiWindowFlags_NoCollapse)) {
    context.ui.wants_inspection = true;
    const Palette& p = context.look.colours;
    const std::optional<Inspection>& inspection = context.status.inspection;
    if (!inspection) {
      caption(context.status.no_inspection, p.quiet);
    } else {
      int& channel = context.ui.inspected_channel;
      channel = std::min(channel, inspection->channels - 1);
      number(context.look.fonts, fmt::format("x {} y {}", inspection->pixel.x, inspection->pixel.y), p.text);
      for (int c = 0; inspection->channels > 1 && c < inspection->channels; ++c) {
        ImGui::SameLine();
        ImGui::RadioButton(names[c], &channel, c);
      }
      draw_values(context, *inspection);
      caption(fmt::format("{}×{} values and weights; Σ value × weight{} = {}", inspection->window.width,
                          inspection->window.height,
                          inspection->offset != 0 ? fmt::format(" + {:.4g}", inspection->offset) : "",
                          value_text(inspection->exact[channel], inspection->type)),
              p.quiet);
      draw_window(context, *inspection, channel);
      for (int i = 0; i < 2; ++i) draw_computer(context, *inspection, i);
    }
  }
  ImGui::End();
}
