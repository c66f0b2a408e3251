// The map of the fastest variant: radius along x, image or block along y.
#include <fmt/format.h>

#include <algorithm>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

// Distinguishable with colour blindness, and not those of the lanes, passed or failed; behind text.
constexpr ImU32 hues[] = {IM_COL32(170, 68, 153, 150),  IM_COL32(221, 204, 119, 150), IM_COL32(68, 170, 153, 150),
                          IM_COL32(51, 34, 136, 150),   IM_COL32(153, 153, 51, 150),  IM_COL32(136, 34, 85, 150),
                          IM_COL32(221, 170, 204, 150), IM_COL32(153, 153, 153, 150)};

// Lanes keep their colours. Other winners keep their first one while a map fills.
ImU32 hue_of(PanelContext& context, const std::string& variant) {
  CrossoverView& view = context.ui.panels.crossover;
  for (int lane = 0; lane < 2; ++lane)
    if (context.settings.lanes[lane].variant == variant) {
      ImVec4 hue = context.look.colours.lane[lane];
      hue.w = 0.6f;
      return ImGui::GetColorU32(hue);
    }
  auto at = std::find(view.winners.begin(), view.winners.end(), variant);
  if (at == view.winners.end()) at = view.winners.insert(at, variant);
  return hues[(at - view.winners.begin()) % std::size(hues)];
}

// Computed when the results change, not in every frame.
const CrossoverMap& map_of(PanelContext& context) {
  CrossoverView& view = context.ui.panels.crossover;
  const auto& results = context.status.bench.results;
  if (view.results == results && view.shown == view.kind.id) return view.map;
  if (view.shown != view.kind.id) view.winners.clear();
  view.results = results;
  view.shown = view.kind.id;
  view.map = crossover_map(rows_of(results->rows, view.kind.id));
  return view.map;
}

void hatch(ImVec2 from, ImVec2 to, ImU32 colour, float scale) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect(from, to, true);
  const float height = to.y - from.y;
  for (float x = from.x - height; x < to.x; x += 7 * scale)
    list->AddLine({x, to.y}, {x + height, from.y}, colour, scale);
  list->PopClipRect();
}

std::string margin_text(const CrossoverCell& cell) {
  const bool known = cell.margin.outcome != Comparison::Outcome::measuring;
  return cell.ranked.size() < 2 ? "" : fmt::format("{:.3g}×{}", cell.margin.ratio, known ? "" : "?");
}

std::string cell_tip(const CrossoverCell& cell, const std::string& place) {
  std::string text = place;
  for (std::size_t i = 0; i < std::min<std::size_t>(4, cell.ranked.size()); ++i)
    text +=
        fmt::format("\n{} ms  {}", three_digits(cell.ranked[i]->summary().median), cell.ranked[i]->point.lane.variant);
  if (cell.ranked.empty()) return text + "\nno time: not measured, or no result was correct";
  if (cell.ranked.size() == 1) return text + "\nno other variant has a time";
  const Comparison& c = cell.margin;
  const std::string interval = fmt::format("({:.3f} to {:.3f})", c.low, c.high);
  const std::string margin = c.outcome == Comparison::Outcome::measuring
                                 ? fmt::format("the second takes {:.3g}×: too few rounds to tell", c.ratio)
                             : cell.clear() ? fmt::format("the second takes {:.3f}× {}", c.ratio, interval)
                                            : fmt::format("a tie: the second takes {:.3f}× {}", c.ratio, interval);
  return fmt::format("{}\n{}\nClick: this setting in lane A.", text, margin);
}

void draw_cell(PanelContext& context, const CrossoverCell& cell, const std::string& place, ImVec2 size) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  if (ImGui::InvisibleButton(place.c_str(), size) && !cell.ranked.empty()) load_point(context, cell.ranked[0]->point);
  tooltip(cell_tip(cell, place));
  const ImVec2 from = ImGui::GetItemRectMin(), to{from.x + size.x - scale, from.y + size.y - scale};
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (cell.ranked.empty()) return list->AddRect(from, to, ImGui::GetColorU32(p.hairline));
  const std::string& variant = cell.ranked[0]->point.lane.variant;
  list->AddRectFilled(from, to, hue_of(context, variant));
  const bool tie = cell.margin.outcome == Comparison::Outcome::tie;
  if (tie) hatch(from, to, ImGui::GetColorU32(p.panel), scale);
  if (ImGui::IsItemHovered()) list->AddRect(from, to, ImGui::GetColorU32(p.text), 0, 0, 2 * scale);
  const ImU32 ink = ImGui::GetColorU32(p.text);
  const auto write = [&](const std::string& text, float at) {
    const ImVec2 room = ImGui::CalcTextSize(text.c_str());
    if (room.x > size.x) return;
    const ImVec2 corner{from.x + (size.x - room.x) / 2, from.y + at};
    if (tie)  // on the hatching
      list->AddRectFilled(corner, {corner.x + room.x, corner.y + room.y}, ImGui::GetColorU32(p.panel), 2 * scale);
    list->AddText(corner, ink, text.c_str());
  };
  const float line = ImGui::GetTextLineHeight();
  const std::string letter = context.ui.panels.crossover.map.letter(variant), margin = margin_text(cell);
  const bool both = size.y >= 2 * line && !margin.empty() && ImGui::CalcTextSize(margin.c_str()).x <= size.x;
  write(letter, (size.y - (both ? 2 : 1) * line) / 2);
  if (both) write(margin, size.y / 2);
}

void draw_map(PanelContext& context, const CrossoverMap& map, ImVec2 room) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  float labels = 0;
  for (const std::string& row : map.rows) labels = std::max(labels, ImGui::CalcTextSize(row.c_str()).x + 8 * scale);
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 cell{(room.x - labels) / static_cast<float>(map.radii.size()),
                    std::max((room.y - line - 4 * scale) / static_cast<float>(map.rows.size()), line + 4 * scale)};
  const float left = ImGui::GetCursorPosX();
  const auto centred = [&](const std::string& text, float middle) {
    ImGui::SetCursorPosX(middle - ImGui::CalcTextSize(text.c_str()).x / 2);
    ImGui::TextColored(p.quiet, "%s", text.c_str());
  };
  for (std::size_t y = 0; y < map.rows.size(); ++y) {
    const float top = ImGui::GetCursorPosY();
    ImGui::SetCursorPos({left, top + (cell.y - line) / 2});
    ImGui::TextColored(p.quiet, "%s", map.rows[y].c_str());
    for (std::size_t x = 0; x < map.radii.size(); ++x) {
      ImGui::SetCursorPos({left + labels + static_cast<float>(x) * cell.x, top});
      draw_cell(context, map.cells[y * map.radii.size() + x], fmt::format("radius {} · {}", map.radii[x], map.rows[y]),
                cell);
    }
  }
  const float below = ImGui::GetCursorPosY() + 2 * scale;
  for (std::size_t x = 0; x < map.radii.size(); ++x) {
    ImGui::SetCursorPosY(below);
    centred(fmt::format("{}{}", x == 0 ? "R " : "", map.radii[x]),
            left + labels + (static_cast<float>(x) + 0.5f) * cell.x);
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
}

// What the letters mean, how often each variant wins, and what was measured.
void draw_legend(PanelContext& context, const CrossoverMap& map, const BenchRow& any) {
  const Palette& p = context.look.colours;
  const float side = ImGui::GetTextLineHeight();
  for (const std::string& variant : map.variants) {
    const auto wins = std::count_if(map.cells.begin(), map.cells.end(), [&](const CrossoverCell& cell) {
      return !cell.ranked.empty() && cell.ranked[0]->point.lane.variant == variant;
    });
    const auto ties = std::count_if(map.cells.begin(), map.cells.end(), [&](const CrossoverCell& cell) {
      return !cell.ranked.empty() && cell.margin.outcome == Comparison::Outcome::tie &&
             cell.ranked[0]->point.lane.variant == variant;
    });
    if (wins > 0) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + side, at.y + side}, hue_of(context, variant));
    }
    ImGui::Dummy({side, side});
    ImGui::SameLine();
    number(context.look.fonts,
           fmt::format("{} {}{}", map.letter(variant), variant,
                       wins > 0 ? fmt::format("  {}{}", wins, ties > 0 ? fmt::format(", {} hatched", ties) : "") : ""),
           wins > 0 ? p.text : p.disabled, text_size::caption);
  }
  ImGui::Spacing();
  const BenchPoint& point = any.point;
  const bool of_blocks = context.ui.panels.crossover.kind.id == "map-block";
  ImGui::PushStyleColor(ImGuiCol_Text, p.quiet);
  ImGui::PushFont(nullptr, text_size::caption);
  ImGui::TextWrapped("%s", fmt::format("{} · {} · {} · {} · {} · {}", info(point.filter.kind).title,
                                       info(point.border).title, info(point.lane.format).title,
                                       of_blocks ? size_text(point.image) : "block " + size_text(point.lane.block),
                                       context.status.bench.results->environment.processor, any.date.substr(0, 10))
                               .c_str());
  ImGui::TextWrapped(
      "Below the letter: time of the second / time of the first. Hatched: within the noise. ?: too few "
      "rounds.");
  ImGui::PopFont();
  ImGui::PopStyleColor();
}

void draw_crossover_choices(PanelContext& context) {
  CrossoverView& view = context.ui.panels.crossover;
  const BenchStatus& bench = context.status.bench;
  ImGui::SetNextItemWidth(160 * ImGui::GetStyle().FontScaleMain);
  if (begin_combo("##kind", view.kind.title)) {
    for (const CrossoverKind& kind : crossover_kinds)
      if (ImGui::Selectable(kind.title.data(), kind.id == view.kind.id)) view.kind = kind;
    ImGui::EndCombo();
  }
  tooltip("The two axes of the map. Filter, padding, format and all else are those of the window.");
  const bool fixed = info(context.settings.filter.kind).size == FilterSize::fixed;
  ImGui::BeginDisabled(fixed);
  flow("Measure");
  if (!bench.running && ImGui::Button("Measure")) {
    const bool on_gpu = context.status.device.no_gpu.empty();
    context.commands.push_back(command::RunBench{
        {crossover_job(view.kind, point_of(context, 0), sweep_variants(context), on_gpu)}, crossover_protocol});
  }
  ImGui::EndDisabled();
  if (fixed) tooltip("This filter has one size: choose one with a radius.");
}

void draw_map_and_legend(PanelContext& context, const CrossoverMap& map) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  const auto rows = rows_of(context.status.bench.results->rows, context.ui.panels.crossover.kind.id);
  ImVec2 room = ImGui::GetContentRegionAvail();
  room.y = std::max(room.y, 160 * scale);
  const float words = std::min(280 * scale, room.x / 3);
  if (ImGui::BeginChild("map", {room.x - words - ImGui::GetStyle().ItemSpacing.x, room.y}))
    draw_map(context, map, ImGui::GetContentRegionAvail());
  ImGui::EndChild();
  ImGui::SameLine();
  if (ImGui::BeginChild("words", {words, room.y})) draw_legend(context, map, rows.front());
  ImGui::EndChild();
}

}  // namespace

void draw_crossover(PanelContext& context) {
  if (!context.ui.shown.crossover) return;
  if (ImGui::Begin("Crossover", &context.ui.shown.crossover)) {
    const BenchStatus& bench = context.status.bench;
    draw_crossover_choices(context);
    if (bench.running) draw_sweep_progress(context);
    if (!bench.error.empty()) complaint(context.look.colours, bench.error);
    if (const CrossoverMap& map = map_of(context); !map.cells.empty())
      draw_map_and_legend(context, map);
    else
      caption("The fastest correct variant of those in the race, for each cell. Not measured on this processor yet.",
              context.look.colours.quiet);
  }
  ImGui::End();
}

}  // namespace conv
