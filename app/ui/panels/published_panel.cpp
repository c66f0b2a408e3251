// The documents' numbers beside the user's own, and errors in some of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "app/measure/presets.h"
#include "app/measure/published.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/chart_plot.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

// Null: a document without a table was chosen.
const PublishedTable* chosen_table(const PanelContext& context) {
  const auto& tables = published().tables;
  const std::size_t chosen = context.ui.panels.published.table;
  return chosen < tables.size() ? &tables[chosen] : nullptr;
}
std::string_view chosen_source(const PanelContext& context) {
  if (const PublishedTable* table = chosen_table(context)) return table->source;
  return published().without_table[context.ui.panels.published.table - published().tables.size()];
}
std::string title_without_table(std::string_view source) {
  return fmt::format("{} · claims and errors", with_title(source));
}

void draw_list(PublishedView& view) {
  const auto& [tables, without] = std::tie(published().tables, published().without_table);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (ImGui::Selectable(fmt::format("{}##{}", tables[i].title(), i).c_str(), i == view.table)) view.table = i;
    if (tables[i].beside) tooltip("Not in the document itself, but in its author's public material.");
  }
  for (std::size_t i = 0; i < without.size(); ++i)
    if (ImGui::Selectable(title_without_table(without[i]).c_str(), view.table == tables.size() + i))
      view.table = tables.size() + i;
}

void draw_choices(PanelContext& context) {
  PublishedView& view = context.ui.panels.published;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const PublishedTable* table = chosen_table(context);
  ImGui::SetNextItemWidth(std::min(460 * scale, ImGui::GetContentRegionAvail().x));
  if (begin_combo("##published table", table ? table->title() : title_without_table(chosen_source(context)))) {
    draw_list(view);
    ImGui::EndCombo();
  }
  if (!table) return;
  flow("Times with copies");
  ImGui::SetNextItemWidth(190 * scale);
  combo("##published clock", bench_clocks, view.clock, [](const BenchClockInfo& row) { return row.clock; });
  tooltip(bench_clocks[static_cast<std::size_t>(view.clock)].what);
  if (context.status.bench.running) return;
  const bool on_gpu = context.status.device.no_gpu.empty();
  const BenchPreset& preset = *find_preset(table->preset);
  flow("Run missing");
  ImGui::BeginDisabled(!rows_of(context.status.bench.results->rows, table->preset).empty());
  if (ImGui::Button("Run missing")) context.commands.push_back(command::RunBench{{job_of(preset, on_gpu)}, {}});
  ImGui::EndDisabled();
  tooltip(fmt::format("Measures {} on this processor. To measure it again: the Bench panel.", preset.title));
}

// One series at one place of the table: the published number, and what was measured here for the same point.
void draw_row(PanelContext& context, const PublishedTable& table, std::size_t place, std::size_t s,
              std::span<const BenchRow> rows) {
  const Palette& p = context.look.colours;
  const PublishedGpu* gpu = find_gpu(table.gpu);
  const double peak_here = context.status.bench.results->environment.bandwidth_gb_per_s;
  const PublishedSeries& series = table.series[s];
  const double value = series.values[place];
  const std::optional<BenchPoint>& point = table.point(s, place);
  const auto own = point ? own_value(table, *point, rows, context.ui.panels.published.clock) : std::nullopt;
  ImGui::TableNextRow();
  const auto cell = [&](const std::string& text, ImVec4 colour) {
    ImGui::TableNextColumn();
    number(context.look.fonts, text, colour, text_size::caption);
  };
  cell(s == 0 ? table.printed[place] : "", p.text);
  cell(series.name, p.quiet);
  tooltip(series.variant);
  cell(fmt::format("{}", value), p.text);
  cell(own ? three_digits(*own) : "–", p.text);
  // Above 1: the published time was longer, or the published rate was higher.
  cell(own ? fmt::format("{}×", three_digits(value / *own)) : "–", p.text);
  const auto ms = point ? ms_of(table, value, *point) : std::nullopt;
  const auto own_ms = own ? ms_of(table, *own, *point) : std::nullopt;
  const auto per_pixel = [&](const std::optional<double>& time) {
    return time ? three_digits(*time * 1e6 / static_cast<double>(point->image.area())) : std::string("–");
  };
  const auto share = [&](const std::optional<double>& time, double peak) {
    const bool of_gpu = series.variant != "cpu_sequential" && series.variant != "streams";
    if (!time || peak <= 0 || !of_gpu) return std::string("–");
    return three_digits(100 * bytes_of(*point) / *time / 1e6 / peak);
  };
  for (const std::size_t baseline : table.baselines()) {
    const auto& of_baseline = table.point(baseline, place);
    const auto own_baseline =
        of_baseline ? own_value(table, *of_baseline, rows, context.ui.panels.published.clock) : std::nullopt;
    const auto theirs = table.relative(s, place, baseline);
    cell(theirs ? fmt::format("{}×", three_digits(*theirs)) : "–", p.quiet);
    const bool known = theirs && own && own_baseline;
    const bool is_rate = table.unit == PublishedUnit::megapixels;
    cell(known ? fmt::format("{}×", three_digits(is_rate ? *own / *own_baseline : *own_baseline / *own)) : "–",
         p.quiet);
  }
  cell(per_pixel(ms), p.quiet);
  cell(per_pixel(own_ms), p.quiet);
  cell(share(ms, gpu ? gpu->bandwidth_gb_per_s : 0), p.quiet);
  cell(share(own_ms, peak_here), p.quiet);
}

void draw_table(PanelContext& context, const PublishedTable& table, ImVec2 size) {
  const Palette& p = context.look.colours;
  const auto rows = rows_of(context.status.bench.results->rows, table.preset);
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX | ImGuiTableFlags_RowBg |
                                    ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;
  ImGui::PushFont(nullptr, text_size::caption);
  ImGui::PushStyleColor(ImGuiCol_TableHeaderBg, p.panel);
  std::vector<std::pair<std::string, std::string>> columns{// title, tooltip
                                                           {"", ""},
                                                           {"", ""},
                                                           {std::string(title_of(table.unit)), "As published."},
                                                           {"yours", "Measured on this machine, in the same unit."},
                                                           {"ratio", "Published / yours."}};
  for (const std::size_t baseline : table.baselines()) {
    const std::string& name = table.series[baseline].name;
    columns.emplace_back("vs " + name,
                         fmt::format("How many times as fast as {} at the same place, as published.", name));
    columns.emplace_back("yours", fmt::format("How many times as fast as {}, measured on this machine.", name));
  }
  columns.insert(columns.end(),
                 {{"ns/px", "Nanoseconds per pixel, as published."},
                  {"yours", "Nanoseconds per pixel, measured on this machine."},
                  {"% of peak", "Share of their GPU's memory bandwidth, if each pixel is read and written once."},
                  {"yours", "Share of this GPU's memory bandwidth."}});
  if (ImGui::BeginTable("published", static_cast<int>(columns.size()), flags, size)) {
    ImGui::TableSetupScrollFreeze(0, 1);
    std::vector<std::string_view> tips;
    for (const auto& [title, tip] : columns) {
      ImGui::TableSetupColumn(title.c_str());
      tips.emplace_back(tip);
    }
    header_row(tips);
    for (std::size_t place = 0; place < table.places.size(); ++place)
      for (std::size_t s = 0; s < table.series.size(); ++s) draw_row(context, table, place, s, rows);
    ImGui::EndTable();
  }
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

// Theirs, yours, and those of the GPU whose measurements come with the program. visible: height without scrolling.
void draw_plot(PanelContext& context, const PublishedTable& table, float visible) {
  const PublishedView& view = context.ui.panels.published;
  context.ui.wants.shipped = true;
  std::vector<MachineRows> machines{{"yours", rows_of(context.status.bench.results->rows, table.preset)}};
  if (const auto& shipped = context.status.shipped) {
    const auto rows = rows_of(shipped->results.rows, table.preset);
    if (!rows.empty()) machines.push_back({rows.front().processor, rows});
  }
  const float scale = ImGui::GetStyle().FontScaleMain;
  draw_chart("##published plot", chart_of(table, machines, view.clock), context.look, context.settings,
             {ImGui::GetContentRegionAvail().x, std::clamp(visible, 120 * scale, 240 * scale)});
}

// table: null for a document without one.
void draw_words(PanelContext& context, const PublishedTable* table) {
  const Palette& p = context.look.colours;
  const auto heading = [&](const char* text) { caption(text, p.quiet); };
  ImGui::PushTextWrapPos(0);
  const std::string_view source = chosen_source(context);
  if (const PublishedGpu* gpu = table ? find_gpu(table->gpu) : nullptr) {
    heading("Their GPU");
    ImGui::TextUnformatted(
        fmt::format("{}: {}, {} multiprocessors, {} cores, {} GB at {} GB/s, {} KiB of shared memory", gpu->name,
                    gpu->architecture, gpu->multiprocessors, gpu->cores, gpu->memory_gb, gpu->bandwidth_gb_per_s,
                    gpu->shared_kb)
            .c_str());
  }
  if (table) {
    heading("The auditor");
    for (const std::string& line : table->audit) ImGui::TextUnformatted(line.c_str());
  }
  heading("Errors in this document");
  for (const Erratum& erratum : published().errata) {
    if (erratum.source != source) continue;
    ImGui::PushStyleColor(ImGuiCol_Text, p.fault);
    ImGui::TextUnformatted("×");
    ImGui::PopStyleColor();
    ImGui::SameLine();
    ImGui::TextUnformatted(erratum.wrong.c_str());
    if (!erratum.right.empty())
      caption(fmt::format("Right, from the edge to the centre: {}", fmt::join(erratum.right, ", ")), p.quiet);
    if (!erratum.exhibit.empty()) tooltip("See it here: " + erratum.exhibit);
  }
  heading("Its claims, and the computed values");
  const BenchPoint now{.image = context.status.source.size,
                       .filter = context.settings.filter,
                       .lane = lane_settings(context.settings, 0)};
  for (const PublishedClaim& claim : published().claims) {
    if (claim.source != source) continue;
    ImGui::TextUnformatted(claim.says.c_str());
    if (!claim.ours.empty()) number(context.look.fonts, claim.ours, p.quiet, text_size::caption);
    if (const std::string here = text_for(claim, now); !here.empty())
      number(context.look.fonts, "here: " + here, p.quiet, text_size::caption);
  }
  ImGui::PopTextWrapPos();
}

}  // namespace

void draw_published(PanelContext& context) {
  if (!context.ui.shown.published) return;
  if (ImGui::Begin("Published", &context.ui.shown.published)) {
    draw_choices(context);
    const PublishedTable* table = chosen_table(context);
    ImVec2 room = ImGui::GetContentRegionAvail();
    const float visible = room.y;
    room.y = std::max(room.y, 160 * ImGui::GetStyle().FontScaleMain);  // the window scrolls if there is less
    const bool beside = table && room.x > 2 * room.y;
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    if (table) draw_table(context, *table, beside ? ImVec2(room.x * 0.55f - gap, room.y) : ImVec2(0, room.y / 2));
    if (beside) ImGui::SameLine();
    if (ImGui::BeginChild("words", {0, !table ? 0 : beside ? room.y : room.y / 2})) {
      if (table) draw_plot(context, *table, visible);
      draw_words(context, table);
    }
    ImGui::EndChild();
  }
  ImGui::End();
}

}  // namespace conv
