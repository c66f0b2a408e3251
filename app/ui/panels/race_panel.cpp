// The race: one row per variant with its time as a bar, its place, and whether its result is correct.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/model/value_text.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

struct Row {
  const Variant* variant = nullptr;
  const RaceEntryStatus* entry = nullptr;  // null: not in the race
};

void draw_shipped(PanelContext& context, const NearestShipped& shipped, std::string_view variant) {
  const auto row = std::find_if(shipped.rows.begin(), shipped.rows.end(),
                                [&](const BenchRow& any) { return any.point.lane.variant == variant; });
  const bool timed = row != shipped.rows.end() && row->state == RowState::measured;
  number(context.look.fonts, timed ? three_digits(row->summary().median) : "–",
         shipped.same ? context.look.colours.text : context.look.colours.quiet, text_size::caption);
  if (timed)
    tooltip(fmt::format("{}: median {} ms, p10 to p90: {} to {} ms", shipped.what, three_digits(row->summary().median),
                        three_digits(row->summary().p10), three_digits(row->summary().p90)));
  else if (row != shipped.rows.end())
    tooltip(row->text);
}

const RaceEntryStatus* entry_of(const RaceStatus& race, std::string_view id) {
  const auto found = std::find_if(race.entries.begin(), race.entries.end(),
                                  [&](const RaceEntryStatus& entry) { return entry.variant == id; });
  return found == race.entries.end() ? nullptr : &*found;
}

// First those with a place, by time; then those with a time but no place; then the others. Or all in the registry's
// order.
std::vector<Row> rows_of(const PanelContext& context) {
  std::vector<Row> rows;
  for (const Variant* variant : variants())
    if (variant->exhibit.empty() && !variant->chooses)
      rows.push_back({variant, entry_of(context.status.race, variant->id)});
  if (!context.ui.panels.race.by_time) return rows;
  const auto key = [](const Row& row) {
    const RaceEntryStatus* entry = row.entry;
    const int group = !entry ? 4 : entry->place > 0 ? entry->less_exact : entry->ms ? 2 : 3;
    return std::pair(group, entry && entry->ms ? entry->ms->median : 0.0f);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return key(a) < key(b); });
  return rows;
}

std::string megapixels(const PanelContext& context, const RaceEntryStatus& entry) {
  return three_digits(static_cast<double>(context.status.source.size.area()) / entry.ms->median / 1000);
}

// "1", or "1 =" if several share it.
std::string place_text(const RaceStatus& race, const RaceEntryStatus& entry) {
  if (entry.place == 0) return "–";
  const auto sharing = std::count_if(race.entries.begin(), race.entries.end(), [&](const RaceEntryStatus& other) {
    return other.place == entry.place && other.less_exact == entry.less_exact;
  });
  return fmt::format("{}{}", entry.place, sharing > 1 ? " =" : "");
}

std::string against_text(const RaceEntryStatus& entry) {
  if (entry.place == 0) return "–";
  if (entry.against_first.ratio == 1) return "first";
  return entry.against_first.outcome == Comparison::Outcome::tie ? "tie"
                                                                 : fmt::format("{:.2f}×", entry.against_first.ratio);
}

// Why there is no place, or how large the error is.
std::string remark(const PanelContext& context, const RaceEntryStatus& entry) {
  switch (entry.state) {
    case RaceState::refused: return entry.text;
    case RaceState::failed: return "wrong: " + entry.text;
    case RaceState::waiting: return "waiting";
    case RaceState::compiling: return "compiling";
    case RaceState::racing: break;
  }
  const float reference = context.status.picture.reference_progress;
  if (!entry.checked) return reference < 1 ? fmt::format("reference {:.0f} %", 100 * reference) : "being checked";
  std::string text = "pass";
  if (entry.error == 0)
    text = "exact";
  else if (!is_8_bit(context.settings.lanes[0].format))
    text = fmt::format("off by {}{}", difference_text(entry.error, context.settings.display.unit),
                       info(context.settings.display.unit).name);
  if (entry.transfers) text += " · with transfers: not ranked";
  if (entry.less_exact) text += " · less exact: ranked separately";
  return text;
}

std::string markdown_row(const PanelContext& context, const RaceEntryStatus& e) {
  if (!e.ms) return fmt::format("| – | {} | – | – | – | – | – | – | {} |\n", e.variant, remark(context, e));
  return fmt::format("| {} | {} | {:.4g} | {:.4g} to {:.4g} | {:.4g} to {:.4g} | {} | {} | {} | {} |\n",
                     place_text(context.status.race, e), e.variant, e.ms->median, e.interval.low, e.interval.high,
                     e.ms->p10, e.ms->p90, e.ms->count, megapixels(context, e), against_text(e), remark(context, e));
}

std::string csv_row(const PanelContext& context, const RaceEntryStatus& e) {
  const std::string& device = context.status.device.name;
  const std::string& job = context.status.race.what;
  if (!e.ms) return fmt::format(",{},,,,,,,,,\"{}\",{},\"{}\"\n", e.variant, remark(context, e), device, job);
  const bool placed = e.place > 0;
  return fmt::format("{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{:.6g},{},\"{}\",{},\"{}\"\n",
                     placed ? std::to_string(e.place) : "", e.variant, e.ms->median, e.interval.low, e.interval.high,
                     e.ms->p10, e.ms->p90, e.ms->count,
                     static_cast<double>(context.status.source.size.area()) / e.ms->median / 1000,
                     placed ? fmt::format("{:.4g}", e.against_first.ratio) : "", remark(context, e), device, job);
}

std::string table_text(const PanelContext& context, bool markdown) {
  const RaceStatus& race = context.status.race;
  std::string text =
      markdown
          ? fmt::format(
                "{}, {}, {} rounds\n\n| place | variant | {} (median) | 95 % interval | p10 to p90 | n | Mpx/s | "
                "against first | check |\n|---|---|---|---|---|---|---|---|---|\n",
                context.status.device.name, race.what, race.rounds, race.on_cpu ? "CPU ms" : "ms")
          : "place,variant,ms_median,ms_low_95,ms_high_95,ms_p10,ms_p90,n,mpx_per_s,against_first,check,device,job\n";
  for (const Row& row : rows_of(context))
    if (row.entry) text += markdown ? markdown_row(context, *row.entry) : csv_row(context, *row.entry);
  return text;
}

struct BarScale {
  float least = 0, most = 1;
  bool logarithmic = false;
  float at(float ms) const {
    const float part = logarithmic ? std::log(ms / least) / std::log(most / least) : ms / most;
    return std::clamp(part, 0.0f, 1.0f);
  }
};

// From the ranked times; times with transfers are much longer.
BarScale scale_of(const PanelContext& context) {
  float fastest = FLT_MAX, slowest = 0;
  for (const RaceEntryStatus& entry : context.status.race.entries) {
    if (!entry.ms || entry.transfers) continue;
    fastest = std::min(fastest, entry.ms->median);
    slowest = std::max(slowest, entry.interval.high);
  }
  if (slowest == 0) return {};
  return {.least = fastest / 2,
          .most = 1.05f * slowest,
          .logarithmic = context.ui.panels.race.logarithmic.value_or(slowest > 10 * fastest)};
}

void draw_choices(PanelContext& context, const BarScale& bars, const NearestShipped& shipped) {
  RaceView& view = context.ui.panels.race;
  const RaceStatus& race = context.status.race;
  if (!view.runs) {
    if (ImGui::Button("Start")) view.runs = true;
    tooltip("Run every ticked variant on this picture, in turns. The live view is paused meanwhile. R");
  } else {
    if (ImGui::Button("Stop")) view = {.by_time = view.by_time, .logarithmic = view.logarithmic};
    flow("Freeze", true);
    ImGui::Checkbox("Freeze", &view.frozen);
    tooltip("Keep the numbers and stop measuring.");
  }
  flow("Fastest first", true);
  ImGui::Checkbox("Fastest first", &view.by_time);
  tooltip("Off: in teaching order, the simplest first.");
  flow("Log scale", true);
  bool logarithmic = bars.logarithmic;
  if (ImGui::Checkbox("Log scale", &logarithmic)) view.logarithmic = logarithmic;
  tooltip("Equal ratios have equal lengths. The bars then begin at half the fastest time, not at 0.");
  flow("Copy Markdown");
  if (ImGui::Button("Copy Markdown")) context.commands.push_back(command::CopyText{table_text(context, true)});
  flow("Copy CSV");
  if (ImGui::Button("Copy CSV")) context.commands.push_back(command::CopyText{table_text(context, false)});
  if (!shipped.rows.empty()) {
    const std::string text = fmt::format("H200 ms: {}", shipped.what);
    flow(text.c_str());
    ImGui::AlignTextToFramePadding();
    caption(text, context.look.colours.quiet);
  }
  if (!race.running) return;
  const std::string job =
      fmt::format("{} · {} · round {}{}", race.on_cpu ? "CPU times, not GPU times" : context.status.device.name,
                  race.what, race.rounds,
                  view.frozen                  ? " · frozen"
                  : context.status.lab.running ? " · paused: the lab runs"
                                               : "");
  caption(job, context.look.colours.quiet);
}

// The colour shows its lane, if any; hollow without a place. The whisker is the interval of the median.
void draw_bar(PanelContext& context, const RaceEntryStatus& entry, const BarScale& bars) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain, height = ImGui::GetTextLineHeight();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - 4 * scale;
  ImGui::Dummy({width, height});
  if (!entry.ms) return;
  const auto x = [&](float ms) { return from.x + width * bars.at(ms); };
  const auto& lanes = context.settings.lanes;
  const ImVec4 colour = entry.variant == lanes[0].variant   ? p.lane[0]
                        : entry.variant == lanes[1].variant ? p.lane[1]
                                                            : p.disabled;
  const ImVec2 to{std::max(x(entry.ms->median), from.x + 2 * scale), from.y + height - 3 * scale};
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 begin{from.x, from.y + 3 * scale};
  if (entry.place > 0)
    list->AddRectFilled(begin, to, ImGui::GetColorU32(colour), 2 * scale);
  else
    list->AddRect(begin, to, ImGui::GetColorU32(colour), 2 * scale);
  const float middle = (begin.y + to.y) / 2;
  const ImU32 ink = ImGui::GetColorU32(p.text);
  const float low = x(entry.interval.low), high = x(entry.interval.high);
  list->AddLine({low, middle}, {high, middle}, ink, scale);
  for (const float end : {low, high}) list->AddLine({end, begin.y}, {end, to.y}, ink, scale);
  tooltip(fmt::format("median {} ms, 95 % interval {} to {} ms; p10 to p90: {} to {} ms; {} turns",
                      three_digits(entry.ms->median), three_digits(entry.interval.low),
                      three_digits(entry.interval.high), three_digits(entry.ms->p10), three_digits(entry.ms->p90),
                      entry.ms->count));
}

void draw_tick(Settings& settings, const std::string& id) {
  bool races = !settings.not_racing.contains(id);
  if (!ImGui::Checkbox("##races", &races)) return;
  if (races)
    settings.not_racing.erase(id);
  else
    settings.not_racing.insert(id);
}

void draw_name(PanelContext& context, const Variant& variant) {
  const Palette& p = context.look.colours;
  auto& lanes = context.settings.lanes;
  const char letter = variant.id == lanes[0].variant ? 'A' : variant.id == lanes[1].variant ? 'B' : ' ';
  ImGui::PushStyleColor(ImGuiCol_Text, letter == ' ' ? p.text : p.lane[letter - 'A']);
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  if (ImGui::Selectable(fmt::format("{} {}", letter, variant.id).c_str())) lanes[1].variant = variant.id;
  ImGui::PopFont();
  ImGui::PopStyleColor();
  tooltip(fmt::format("{}. Click: put it in lane B.", variant.title));
}

void draw_remark(PanelContext& context, const RaceEntryStatus& entry) {
  const Palette& p = context.look.colours;
  const bool failed = entry.state == RaceState::failed;
  const char* mark = failed ? "× " : entry.checked ? "✓ " : "";
  const std::string text = remark(context, entry);
  ImGui::PushFont(nullptr, text_size::caption);
  ImGui::PushStyleColor(ImGuiCol_Text, failed ? p.fault : entry.checked ? p.pass : p.quiet);
  shortened(mark + text, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  ImGui::PopFont();
  tooltip(text);
}

void draw_row(PanelContext& context, const Row& row, const BarScale& bars, const NearestShipped& shipped) {
  const RaceEntryStatus* entry = row.entry;
  const std::string id(row.variant->id);
  const auto cell = [&](std::string_view text) {
    ImGui::TableNextColumn();
    number(context.look.fonts, text, context.look.colours.text, text_size::caption);
  };
  ImGui::PushID(id.c_str());
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  draw_tick(context.settings, id);
  cell(entry ? place_text(context.status.race, *entry) : "");
  ImGui::TableNextColumn();
  draw_name(context, *row.variant);
  ImGui::TableNextColumn();
  if (entry) draw_bar(context, *entry, bars);
  const bool timed = entry && entry->ms;
  cell(timed ? three_digits(entry->ms->median) : "–");
  cell(timed ? megapixels(context, *entry) : "–");
  cell(timed ? against_text(*entry) : "–");
  if (!shipped.rows.empty()) {
    ImGui::TableNextColumn();
    draw_shipped(context, shipped, row.variant->id);
  }
  ImGui::TableNextColumn();
  if (entry) draw_remark(context, *entry);
  ImGui::PopID();
}

}  // namespace

NearestShipped shipped_times(PanelContext& context) {
  if (context.status.device.no_gpu.empty()) return {};
  context.ui.wants.shipped = true;
  if (!context.status.shipped) return {};
  return nearest_shipped(*context.status.shipped, point_of(context, 0), context.settings.iterations);
}

void draw_race_contents(PanelContext& context) {
  const BarScale bars = scale_of(context);
  const NearestShipped shipped = shipped_times(context);
  draw_choices(context, bars, shipped);
  const float scale = ImGui::GetStyle().FontScaleMain;
  constexpr ImGuiTableFlags flags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(6, 1) * scale);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(1, 0) * scale);
  ImGui::PushStyleColor(ImGuiCol_TableHeaderBg, context.look.colours.panel);
  if (ImGui::BeginTable("race", shipped.rows.empty() ? 8 : 9, flags)) {
    ImGui::TableSetupScrollFreeze(0, 1);
    const auto fixed = [&](const char* title, float width) {
      ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthFixed, width * scale);
    };
    fixed("", 18);
    fixed("", 28);
    fixed("variant", 176);
    ImGui::TableSetupColumn("median and its 95 % interval", ImGuiTableColumnFlags_WidthStretch, 3);
    fixed(context.status.race.on_cpu ? "CPU ms" : "ms", 52);
    fixed("Mpx/s", 58);
    fixed("/ first", 52);
    if (!shipped.rows.empty()) fixed("H200 ms", 58);
    ImGui::TableSetupColumn("check", ImGuiTableColumnFlags_WidthStretch, 1.4f);
    ImGui::PushFont(nullptr, text_size::caption);
    header_row();
    ImGui::PopFont();
    for (const Row& row : rows_of(context)) draw_row(context, row, bars, shipped);
    ImGui::EndTable();
  }
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

void draw_race(PanelContext& context) {
  if (!context.ui.shown.race) return;
  if (ImGui::Begin("Race", &context.ui.shown.race)) draw_race_contents(context);
  ImGui::End();
}

}  // namespace conv
