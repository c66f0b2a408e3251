// How the pixel under the pointer, or the picked one, is computed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/model/value_text.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

constexpr const char* names[] = {"R", "G", "B"};
constexpr int most_cells = 15;

// A value as a shade of grey, or its colour.
ImU32 shade_of(const InspectedTap& tap, const Inspection& inspection) {
  const double one = info(inspection.type).one;
  const auto level = [&](int c) {
    const double value = tap.value[inspection.channels == 1 ? 0 : c] / one;
    return static_cast<int>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
  };
  return IM_COL32(level(0), level(1), level(2), 255);
}

// From the unit of the inspected image to the one that is shown.
double to_unit(const Inspection& inspection, ValueUnit unit) {
  return info(unit).full_scale / info(inspection.type).one;
}

void explain_tap(const Inspection& inspection, std::size_t index, int channel, ValueUnit unit) {
  const InspectedTap& tap = inspection.taps[index];
  const double in_unit = to_unit(inspection, unit), value = tap.value[channel] * in_unit;
  double sum = 0;
  for (std::size_t i = 0; i <= index; ++i) sum += inspection.taps[i].weight * inspection.taps[i].value[channel];
  const std::string place = tap.value_only ? " outside: the padding's value"
                            : tap.padded   ? fmt::format(" outside: replaced by {}, {}", tap.source.x, tap.source.y)
                                           : "";
  ImGui::SetTooltip("%s", fmt::format("{}, {}{}\n{:.6g} × {:.6g} = {:.6g}\nsum so far {:.6g}", tap.at.x, tap.at.y,
                                      place, value, tap.weight, tap.weight * value, sum * in_unit)
                              .c_str());
}

// The window in the order of the kernel: one cell per tap in the pixel's colour, with value and weight if there is
// space. Pixels outside the image have a frame.
void draw_window(PanelContext& context, const Inspection& inspection, int channel) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const auto columns = static_cast<float>(std::min(inspection.window.width, most_cells));
  const float cell = std::floor(std::clamp(ImGui::GetContentRegionAvail().x / columns, 3 * scale, 48 * scale));
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
      const ImU32 ink =
          ink_on({static_cast<float>(part(0)), static_cast<float>(part(1)), static_cast<float>(part(2)), 1});
      const ValueUnit unit = context.settings.display.unit;
      const std::string value = unit == ValueUnit::levels
                                    ? value_text(tap.value[channel] / one, unit, is_8_bit(inspection.type))
                                    : fmt::format("{:.3f}", tap.value[channel] / one);
      list->AddText({min.x + 3 * scale, min.y + 1 * scale}, ink, value.c_str());
      list->AddText({min.x + 3 * scale, max.y - ImGui::GetTextLineHeight() - scale}, ink,
                    weight_text(tap.weight).c_str());
    }
    const bool under =
        hovered && mouse.x >= min.x && mouse.x < min.x + cell && mouse.y >= min.y && mouse.y < min.y + cell;
    if (under) explain_tap(inspection, i, channel, context.settings.display.unit);
  }
  ImGui::PopFont();
}

// Windows of more than most_cells per side can be scrolled.
void draw_scrolled_window(PanelContext& context, const Inspection& inspection, int channel) {
  const Size2 window = inspection.window;
  if (window.width <= most_cells && window.height <= most_cells) return draw_window(context, inspection, channel);
  const float room = ImGui::GetContentRegionAvail().x;
  const float height = room / most_cells * static_cast<float>(std::min(window.height, most_cells));
  if (ImGui::BeginChild("##window", {0, height + ImGui::GetStyle().ScrollbarSize}, 0,
                        ImGuiWindowFlags_HorizontalScrollbar))
    draw_window(context, inspection, channel);
  ImGui::EndChild();
}

// The exact value, what the lanes show, and their errors; one column per channel.
void draw_values(PanelContext& context, const Inspection& inspection, int& channel) {
  const Palette& p = context.look.colours;
  const AppStatus& status = context.status;
  const double one = info(inspection.type).one;
  const ValueUnit unit = context.settings.display.unit;
  if (!ImGui::BeginTable("values", 1 + inspection.channels, ImGuiTableFlags_NoSavedSettings)) return;
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthFixed, 60 * ImGui::GetStyle().FontScaleMain);
  const auto row = [&](std::string_view title, ImVec4 colour, ImVec4 ink, auto text) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    number(context.look.fonts, title, colour, text_size::caption);
    for (int c = 0; c < inspection.channels; ++c) {
      ImGui::TableNextColumn();
      number(context.look.fonts, text(c), ink, text_size::caption);
    }
  };
  if (inspection.channels > 1) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    for (int c = 0; c < inspection.channels; ++c) {
      ImGui::TableNextColumn();
      ImGui::RadioButton(names[c], &channel, c);
      tooltip("The channel of the window below.");
    }
  }
  row("exact", p.pass, p.text, [&](int c) { return value_text(inspection.exact[c] / one, unit); });
  for (int lane = 0; lane < 2; ++lane) {
    if (!status.lanes[lane].active) continue;
    const auto& shown = status.probe.shown[lane];
    row(lane == 0 ? "A" : "B", p.lane[lane], p.text,
        [&](int c) { return shown ? value_text((*shown)[c] / one, unit, is_8_bit(inspection.type)) : "–"; });
    // An older picture has the error of its own settings.
    const bool is_of_these = shown && status.lanes[lane].settled;
    row("  off by", p.quiet, p.quiet, [&](int c) {
      return is_of_these ? difference_text(std::fabs((*shown)[c] - inspection.exact[c]) / one, unit) : "–";
    });
    if (is_8_bit(inspection.type) || is_half(inspection.type)) continue;
    row("  ulp", p.quiet, p.quiet, [&](int c) {
      const auto floats = is_of_these
                              ? floats_between(static_cast<float>((*shown)[c]), static_cast<float>(inspection.exact[c]))
                              : std::nullopt;
      return floats ? std::to_string(*floats) : "–";
    });
  }
  ImGui::EndTable();
}

// Both passes of a separable filter: the first gives a sum for each row of the window.
void draw_passes(PanelContext& context, const Inspection& inspection, int channel) {
  if (inspection.rows.empty() || inspection.window.height < 2) return;
  caption(fmt::format("In two passes: {} row sums × weights of the column", inspection.rows.size()),
          context.look.colours.quiet);
  const float scale = ImGui::GetStyle().FontScaleMain, height = 20 * scale;
  const auto count = static_cast<float>(inspection.rows.size());
  const float cell = std::max(2.0f, std::floor(std::min(ImGui::GetContentRegionAvail().x / count, 24 * scale)));
  const ImVec2 from = ImGui::GetCursorScreenPos(), mouse = ImGui::GetIO().MousePos;
  ImGui::Dummy({cell * count, height});
  const bool hovered = ImGui::IsItemHovered();
  double sum = 0;
  for (std::size_t i = 0; i < inspection.rows.size(); ++i) {
    const Inspection::RowSum& row = inspection.rows[i];
    const double row_sum = row.sum[channel] * to_unit(inspection, context.settings.display.unit);
    sum += row_sum * row.weight;
    const double value = std::clamp(row.sum[channel] / info(inspection.type).one, 0.0, 1.0);
    const auto level = static_cast<int>(std::lround(255 * value));
    const ImVec2 min{from.x + cell * static_cast<float>(i), from.y};
    ImGui::GetWindowDrawList()->AddRectFilled(min, {min.x + cell - 1, min.y + height},
                                              IM_COL32(level, level, level, 255));
    if (hovered && mouse.x >= min.x && mouse.x < min.x + cell)
      ImGui::SetTooltip("%s", fmt::format("row {:+}: {:.6g} × {:.6g} = {:.6g}\nsum so far {:.6g}",
                                          static_cast<int>(i) - inspection.window.height / 2, row_sum, row.weight,
                                          row_sum * row.weight, sum)
                                  .c_str());
  }
}

// The pixel that is inspected: under the pointer, or pinned.
void draw_pins(PanelContext& context) {
  UiState& ui = context.ui;
  if (ui.probe.pins.empty()) return;
  ImGui::RadioButton("cursor", &ui.probe.inspected_pin, -1);
  for (int i = 0; i < static_cast<int>(ui.probe.pins.size()); ++i) {
    ImGui::SameLine();
    ImGui::RadioButton(fmt::format("{}##pin", i + 1).c_str(), &ui.probe.inspected_pin, i);
    tooltip(fmt::format("Pinned at {}, {}. Enter pins the picked pixel, or unpins it.", ui.probe.pins[i].x,
                        ui.probe.pins[i].y));
  }
}

void draw_computer(PanelContext& context, const Inspection& inspection, int index) {
  const LaneStatus& lane = context.status.lanes[index];
  if (!lane.active || !lane.plan) return;
  const Palette& p = context.look.colours;
  const Point2 corner = corner_in_source(lane.plan->image, context.status.source.size);
  const auto computer = computer_of(*lane.plan, {inspection.pixel.x - corner.x, inspection.pixel.y - corner.y},
                                    context.status.device.limits.warp_size);
  const std::string bank = computer && computer->bank ? fmt::format(" · bank {}", *computer->bank) : "";
  const std::string who =
      lane.plan->on_host() ? "computed on the host"
      : !computer          ? "gathered from strips"
      : computer->thread
          ? fmt::format("block {}, {} · thread {}, {} · warp {} lane {}{}", computer->block.x, computer->block.y,
                        computer->thread->x, computer->thread->y, computer->warp, computer->lane, bank)
          : fmt::format("block {}, {}{}", computer->block.x, computer->block.y, bank);
  ImGui::TextColored(p.lane[index], "%c", 'A' + index);
  ImGui::SameLine();
  caption(who, p.quiet);
}

}  // namespace

void draw_inspector_contents(PanelContext& context) {
  context.ui.wants.inspection = true;
  const Palette& p = context.look.colours;
  const std::optional<Inspection>& inspection = context.status.probe.inspection;
  draw_pins(context);
  if (!inspection) {
    caption(context.status.probe.no_inspection, p.quiet);
  } else {
    int& channel = context.ui.probe.channel;
    channel = std::min(channel, inspection->channels - 1);
    number(context.look.fonts, fmt::format("x {} y {}", inspection->pixel.x, inspection->pixel.y), p.text);
    draw_values(context, *inspection, channel);
    const double in_unit = to_unit(*inspection, context.settings.display.unit);
    caption(fmt::format("{}×{} values and weights; Σ value × weight{} = {}", inspection->window.width,
                        inspection->window.height,
                        inspection->offset != 0 ? fmt::format(" + {:.4g}", inspection->offset * in_unit) : "",
                        fmt::format("{:.6g}", inspection->exact[channel] * in_unit)),
            p.quiet);
    if (ImGui::Button("Copy the sum"))
      context.commands.push_back(command::CopyText{formula(*inspection, channel, in_unit)});
    tooltip("The sum with all its numbers, as text, in the unit that is shown.");
    draw_scrolled_window(context, *inspection, channel);
    draw_passes(context, *inspection, channel);
    for (int i = 0; i < 2; ++i) draw_computer(context, *inspection, i);
  }
}

void draw_inspector(PanelContext& context) {
  if (!context.ui.shown.inspector) return;
  if (ImGui::Begin("Inspector", &context.ui.shown.inspector, ImGuiWindowFlags_NoCollapse))
    draw_inspector_contents(context);
  ImGui::End();
}

}  // namespace conv
