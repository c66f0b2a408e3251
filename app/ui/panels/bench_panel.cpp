// Sweeps: which to run, what they measured as a table and as a plot, beside each other.
#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/measure/chart.h"
#include "app/measure/race.h"
#include "app/measure/roofline.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

// What the window's own settings can be swept over.
struct SweepAxis {
  std::string_view title;
  void (*spread)(FreeSweep&);
};
constexpr std::array sweep_axes{
    SweepAxis{"Radius 1 to 16",
              [](FreeSweep& sweep) {
                const FilterSpec filter = sweep.filters.front();
                sweep.filters.clear();
                const int most = info(filter.kind).size == FilterSize::any     ? 16
                                 : info(filter.kind).size == FilterSize::small ? 4
                                                                               : 1;
                for (int radius = 1; radius <= most; ++radius) {
                  sweep.filters.push_back(filter);
                  sweep.filters.back().radius = radius;
                  sweep.filters.back().sigma = sigma_for(radius);
                }
              }},
    SweepAxis{"Image, 256² to 4096²",
              [](FreeSweep& sweep) {
                sweep.sizes = {{256, 256}, {512, 512}, {1024, 1024}, {2048, 2048}, {4096, 4096}};
              }},
    SweepAxis{"Block",
              [](FreeSweep& sweep) { sweep.blocks.assign(std::begin(block_presets), std::end(block_presets)); }},
    SweepAxis{"Format and layout",
              [](FreeSweep& sweep) {
                sweep.formats.clear();
                for (const PixelTypeInfo& row : pixel_types) sweep.formats.push_back(row.type);
              }},
    SweepAxis{"Padding",
              [](FreeSweep& sweep) {
                sweep.borders.clear();
                for (const BorderInfo& row : borders) sweep.borders.push_back(row.border);
              }},
    SweepAxis{"Streams and host memory",
              [](FreeSweep& sweep) {
                sweep.variants = {"streams"};
                sweep.switches.clear();
                for (const int pinned : {1, 0})
                  for (const int streams : {1, 2, 4, 8}) {
                    SwitchValues& values = sweep.switches.emplace_back();
                    values.set("host_memory", pinned);
                    values.set("streams", streams);
                  }
              }},
};

// The filter, padding and format of the window, by the variants that race.
BenchJob sweep_of(const PanelContext& context, const SweepAxis& axis) {
  const Settings& settings = context.settings;
  const LaneSettings& lane = settings.lanes[0];
  FreeSweep sweep{.variants = sweep_variants(context),
                  .filters = {settings.filter},
                  .sizes = {context.status.source.size},
                  .borders = {settings.border},
                  .formats = {lane.format},
                  .blocks = {lane.block}};
  axis.spread(sweep);
  return job_of(sweep);
}

// Rows of the preset that is looked at.
std::span<const BenchRow> shown_rows(const PanelContext& context) {
  return rows_of(context.status.bench.results->rows, context.ui.panels.bench.shown);
}

std::string_view title_of(const std::string& shown) {
  const BenchPreset* preset = find_preset(shown);
  return preset ? preset->title : "A sweep of these settings";
}

std::string export_text(const PanelContext& context, bool csv) {
  const BenchEnvironment& environment = context.status.bench.results->environment;
  const auto rows = shown_rows(context);
  if (!csv) return markdown_table(rows, environment, context.ui.panels.bench.clock);
  std::string text = csv_header();
  for (const BenchRow& row : rows) text += csv_line(row, environment);
  return text;
}

Chart shown_chart(const PanelContext& context) {
  const BenchView& view = context.ui.panels.bench;
  const BenchPreset* preset = find_preset(view.shown);
  return chart_of(shown_rows(context), context.status.bench.results->environment,
                  preset ? preset->plot_title() : std::string(title_of(view.shown)), view.value, view.clock);
}

// One of the documents' sweeps, or one's own.
void draw_preset(PanelContext& context) {
  BenchView& view = context.ui.panels.bench;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const auto row_name = [](const std::string& id) { return fmt::format("{}  {}", id, title_of(id)); };
  ImGui::SetNextItemWidth(300 * scale);
  if (begin_combo("##preset", row_name(view.shown))) {
    const auto choose = [&](const std::string& id, BenchValue value, std::string_view tip) {
      if (ImGui::Selectable(row_name(id).c_str(), view.shown == id)) {
        view.shown = id;
        view.value = value;
      }
      tooltip(tip);
    };
    for (const BenchPreset& preset : bench_presets())
      if (!preset.peers || context.status.device.no_gpu.empty())  // copies and libraries are a GPU's
        choose(std::string(preset.id), preset.value, fmt::format("{}. {}", preset.source, preset.notice));
    choose("sweep", BenchValue::ms,
           "The variants that race, on this filter, padding and format, over what is chosen beside.");
    ImGui::EndCombo();
  }
  tooltip("The documents' own sweeps, with their parameters.");
  if (view.shown != "sweep") return;
  ImGui::SameLine();
  ImGui::SetNextItemWidth(200 * scale);
  if (begin_combo("##axis", sweep_axes[view.axis].title)) {
    for (std::size_t i = 0; i < sweep_axes.size(); ++i)
      if (ImGui::Selectable(sweep_axes[i].title.data(), i == view.axis)) view.axis = i;
    ImGui::EndCombo();
  }
  tooltip("What to sweep over; filter, padding, format and block are the window's. With the radius goes the sigma.");
}

void draw_run(PanelContext& context) {
  BenchView& view = context.ui.panels.bench;
  const BenchProtocol protocol = protocol_of(view.quick, view.cools_down);
  const bool on_gpu = context.status.device.no_gpu.empty();
  flow("Run");
  if (ImGui::Button("Run"))
    context.commands.push_back(command::RunBench{
        {view.shown == "sweep" ? sweep_of(context, sweep_axes[view.axis]) : job_of(*find_preset(view.shown), on_gpu)},
        protocol});
  tooltip("The live view pauses meanwhile. Ctrl+Shift+B");
  flow("Run all");
  if (ImGui::Button("Run all")) {
    command::RunBench all{{}, protocol};
    for (const BenchPreset& preset : bench_presets())
      if (preset.published) all.jobs.push_back(job_of(preset, on_gpu));
    context.commands.push_back(std::move(all));
  }
  tooltip("Every sweep of the documents, one after the other: two minutes on a fast GPU.");
  flow("Quick", true);
  ImGui::Checkbox("Quick", &view.quick);
  tooltip("16 rounds in place of 32, and the host's variants once.");
  if (!on_gpu) return;
  flow("Wait for cool-down", true);
  ImGui::Checkbox("Wait for cool-down", &view.cools_down);
  tooltip("Before each group of variants, wait while the GPU is throttling, at most 60 s.");
}

void draw_choices(PanelContext& context) {
  BenchView& view = context.ui.panels.bench;
  const float scale = ImGui::GetStyle().FontScaleMain;
  draw_preset(context);
  if (!context.status.bench.running) draw_run(context);
  flow("A list of times with copies");
  ImGui::SetNextItemWidth(190 * scale);
  combo("##clock", bench_clocks, view.clock, [](const BenchClockInfo& row) { return row.clock; });
  tooltip(bench_clocks[static_cast<std::size_t>(view.clock)].what);
  flow("times the first line");
  ImGui::SetNextItemWidth(150 * scale);
  combo("##value", bench_values, view.value, [](const BenchValueInfo& row) { return row.value; });
  tooltip("What the plot shows.");
  ImGui::BeginDisabled(shown_rows(context).empty());
  flow("Copy CSV");
  if (ImGui::Button("Copy CSV")) context.commands.push_back(command::CopyText{export_text(context, true)});
  flow("Copy Markdown");
  if (ImGui::Button("Copy Markdown")) context.commands.push_back(command::CopyText{export_text(context, false)});
  flow("Save plot…");
  if (ImGui::Button("Save plot…")) {
    view.plot_to_save = shown_chart(context);
    context.commands.push_back(command::ChooseSaveFile{command::What::plot});
  }
  ImGui::EndDisabled();
}

void draw_progress(PanelContext& context) {
  const BenchStatus& bench = context.status.bench;
  const Palette& p = context.look.colours;
  if (!bench.error.empty()) complaint(p, bench.error);
  if (bench.running) return draw_sweep_progress(context);
  const BenchPreset* preset = find_preset(context.ui.panels.bench.shown);
  const auto rows = shown_rows(context);
  caption(fmt::format("{}{}", preset ? fmt::format("{}. {}", preset->source, preset->notice) : "",
                      rows.empty() ? " Not measured on this processor yet." : ""),
          p.quiet);
}

// Lanes keep their hues; others are told apart by their markers.
ImVec4 hue_of(const PanelContext& context, const std::string& variant, std::size_t number) {
  const Palette& p = context.look.colours;
  for (int lane = 0; lane < 2; ++lane)
    if (context.settings.lanes[lane].variant == variant) return p.lane[lane];
  const ImVec4 others[] = {p.pass, p.text, p.quiet};
  return others[number % std::size(others)];
}

// Table and plot are worked out when what they show changes, not in every frame.
const BenchFigures& figures_of(PanelContext& context) {
  BenchView& view = context.ui.panels.bench;
  BenchFigures& f = view.figures;
  const BenchStatus& bench = context.status.bench;
  const auto& results = bench.results;
  const std::string ceilings = bench.ceilings ? bench.ceilings->date : "";
  if (f.ceilings == ceilings && f.results == results && f.shown == view.shown && f.clock == view.clock &&
      f.value == view.value)
    return f;
  f = {.results = results,
       .ceilings = ceilings,
       .shown = view.shown,
       .clock = view.clock,
       .value = view.value,
       .chart = shown_chart(context)};
  const auto rows = shown_rows(context);
  const auto dimensions = dimensions_of(rows);
  const auto speedups = speedups_of(rows, view.clock);
  for (const BenchDimension* dimension : dimensions) f.headers.emplace_back(dimension->title);
  const bool singles = std::any_of(rows.begin(), rows.end(), [](const BenchRow& row) { return row.single_ms > 0; });
  for (const char* title : {"variant", "ms", "p10 to p90"}) f.headers.emplace_back(title);
  if (singles) f.headers.emplace_back("one alone, ms");
  for (const char* title : {"Mpx/s", "ns per mul-add", "× first", "model", "check", "verdict"})
    f.headers.emplace_back(title);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const BenchRow& row = rows[i];
    BenchFigures::Line& line = f.lines.emplace_back(BenchFigures::Line{.row = i});
    const auto add = [&](std::string text, double key) {
      line.texts.push_back(std::move(text));
      line.keys.push_back(key);
    };
    const auto place = static_cast<double>(i);  // dimensions are in order as they were measured
    for (const BenchDimension* dimension : dimensions) add(dimension->text(row.point), place);
    add(row.point.lane.variant, NAN);
    const auto ms = row.time(view.clock);
    if (!ms) {
      while (line.texts.size() + 1 < f.headers.size()) add("–", HUGE_VAL);
      add(row.text.empty() ? "this clock was not taken" : row.text, HUGE_VAL);
      continue;
    }
    const Summary summary = row.summary();
    add(three_digits(*ms), *ms);
    add(view.clock == BenchClock::median ? fmt::format("{} to {}", three_digits(summary.p10), three_digits(summary.p90))
                                         : "–",
        summary.p90 - summary.p10);
    if (singles)
      add(row.single_ms > 0 ? three_digits(row.single_ms) : "–", row.single_ms > 0 ? row.single_ms : HUGE_VAL);
    add(three_digits(row.megapixels_per_s(view.clock)), row.megapixels_per_s(view.clock));
    const auto each = row.ns_per_multiply_add(view.clock);
    add(each ? three_digits(*each) : "–", each.value_or(HUGE_VAL));
    add(speedups[i] ? three_digits(*speedups[i]) : "–", speedups[i].value_or(0));
    const auto model = bench.ceilings && !row.on_cpu() && view.clock == BenchClock::median
                           ? predicted_ms(row.point, context.status.device.limits, *bench.ceilings)
                           : std::nullopt;
    add(model ? prediction_text(*model, *ms) : "–", model ? *model / *ms : HUGE_VAL);
    add(row.checked_share == 1 ? "✓ all" : fmt::format("✓ {:.0f} % of rows", 100 * row.checked_share),
        row.checked_share);
    add(verdict_text(row), place);
  }
  return f;
}

void draw_table(PanelContext& context, ImVec2 size) {
  const BenchFigures& figures = figures_of(context);
  const auto rows = shown_rows(context);
  const Palette& p = context.look.colours;
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX | ImGuiTableFlags_RowBg |
                                    ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate |
                                    ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;
  ImGui::PushFont(nullptr, text_size::caption);
  ImGui::PushStyleColor(ImGuiCol_TableHeaderBg, p.panel);
  if (ImGui::BeginTable("rows", static_cast<int>(figures.headers.size()), flags, size)) {
    ImGui::TableSetupScrollFreeze(0, 1);
    for (const std::string& header : figures.headers) ImGui::TableSetupColumn(header.c_str());
    ImGui::TableHeadersRow();
    std::vector<const BenchFigures::Line*> lines;
    for (const BenchFigures::Line& line : figures.lines) lines.push_back(&line);
    if (const ImGuiTableSortSpecs* sort = ImGui::TableGetSortSpecs(); sort && sort->SpecsCount > 0) {
      const std::size_t column = sort->Specs->ColumnIndex;
      const bool falling = sort->Specs->SortDirection == ImGuiSortDirection_Descending;
      std::stable_sort(lines.begin(), lines.end(), [&](const auto* a, const auto* b) {
        if (falling) std::swap(a, b);
        return std::isnan(a->keys[column]) ? a->texts[column] < b->texts[column] : a->keys[column] < b->keys[column];
      });
    }
    for (const BenchFigures::Line* line : lines) {
      const BenchRow& row = rows[line->row];
      ImGui::PushID(static_cast<int>(line->row));
      ImGui::TableNextRow();
      for (std::size_t i = 0; i < line->texts.size(); ++i) {
        ImGui::TableNextColumn();
        if (i == 0) {
          ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
          if (ImGui::Selectable(line->texts[0].c_str(), false, ImGuiSelectableFlags_SpanAllColumns))
            load_point(context, row.point);
          ImGui::PopFont();
          tooltip("Click: this filter, padding, format, block and variant in lane A.");
          continue;
        }
        number(context.look.fonts, line->texts[i], row.state == RowState::wrong ? p.fault : p.text, text_size::caption);
      }
      ImGui::PopID();
    }
    ImGui::EndTable();
  }
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

// low: without titles.
void set_up_axes(const Chart& chart, float width, bool low) {
  ImPlot::SetupLegend(ImPlotLocation_North, ImPlotLegendFlags_Outside | ImPlotLegendFlags_Horizontal);
  const ImPlotAxisFlags titles = low ? ImPlotAxisFlags_NoLabel : 0;
  ImPlot::SetupAxes(chart.x_title.c_str(), chart.y_title.c_str(), titles | ImPlotAxisFlags_NoGridLines, titles);
  // As many names as there is room for.
  float widest = 1;
  for (const std::string& tick : chart.ticks) widest = std::max(widest, ImGui::CalcTextSize(tick.c_str()).x);
  const auto count = static_cast<int>(chart.ticks.size());
  const int step = 1 + static_cast<int>(1.2f * widest * static_cast<float>(count) / width);
  std::vector<double> places;
  std::vector<const char*> names;
  for (int i = 0; i < count; i += step) {
    places.push_back(i);
    names.push_back(chart.ticks[i].c_str());
  }
  if (count > 0) ImPlot::SetupAxisTicks(ImAxis_X1, places.data(), static_cast<int>(places.size()), names.data());
  ImPlot::SetupAxisLimits(ImAxis_X1, -0.5, std::max(1, count) - 0.5, ImPlotCond_Always);
  if (chart.log_y) ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  if (chart.most > 0)
    ImPlot::SetupAxisLimits(ImAxis_Y1, chart.log_y ? chart.least / 1.4 : 0, chart.most * (chart.log_y ? 1.4 : 1.1),
                            ImPlotCond_Always);
  ImPlot::SetupAxisFormat(ImAxis_Y1, [](double value, char* into, int room, void*) {
    const auto end = fmt::format_to_n(into, room - 1, "{:.6g}", value);
    *end.out = 0;
    return static_cast<int>(end.size);
  });
}

void draw_series(const PanelContext& context, const Chart& chart, std::size_t s) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  const ChartSeries& series = chart.series[s];
  ImPlotSpec spec;
  spec.LineColor = spec.MarkerFillColor = spec.MarkerLineColor = hue_of(context, series.variant, s);
  spec.LineWeight = 2 * scale;
  spec.Marker = static_cast<ImPlotMarker>(s % 6);
  spec.MarkerSize = 4 * scale;
  const auto points = static_cast<int>(series.x.size());
  const std::string name = series.name.empty() ? chart.y_title : series.name;
  if (series.name.empty())
    ImPlot::PlotBars(name.c_str(), series.x.data(), series.y.data(), points, 0.5, spec);
  else
    ImPlot::PlotLine(name.c_str(), series.x.data(), series.y.data(), points, spec);
  std::vector<double> below, above;  // the whiskers' lengths
  for (std::size_t i = 0; i < series.y.size(); ++i) {
    below.push_back(series.y[i] - series.low[i]);
    above.push_back(series.high[i] - series.y[i]);
  }
  ImPlotSpec whisker;
  whisker.LineColor = series.name.empty() ? context.look.colours.text : spec.LineColor;
  ImPlot::PlotErrorBars(name.c_str(), series.x.data(), series.y.data(), below.data(), above.data(), points, whisker);
}

void draw_plot(PanelContext& context, ImVec2 size) {
  const Chart& chart = figures_of(context).chart;
  const auto rows = shown_rows(context);
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImGui::PushFont(nullptr, text_size::caption);
  // In a low window the lines come before their words.
  const bool low = size.y < 150 * scale;
  if (ImPlot::BeginPlot(
          "##bench plot", size,
          ImPlotFlags_NoMenus | ImPlotFlags_NoBoxSelect | ImPlotFlags_NoMouseText | (low ? ImPlotFlags_NoLegend : 0))) {
    set_up_axes(chart, size.x, low);
    const ImPlotPoint mouse = ImPlot::GetPlotMousePos();
    const ImVec2 cursor = ImPlot::PlotToPixels(mouse);
    const BenchRow* nearest = nullptr;
    float distance = 14 * scale;
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      const ChartSeries& series = chart.series[s];
      draw_series(context, chart, s);
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        const ImVec2 at = ImPlot::PlotToPixels(series.x[i], series.y[i]);
        const float away = std::hypot(at.x - cursor.x, at.y - cursor.y);
        if (ImPlot::IsPlotHovered() && away < distance) {
          distance = away;
          nearest = &rows[series.rows[i]];
        }
      }
    }
    if (nearest) {
      ImGui::SetTooltip("%s", fmt::format("{} · {} ms ({} to {})\nClick: this setting in lane A.",
                                          lane_text(nearest->point.lane), three_digits(nearest->summary().median),
                                          three_digits(nearest->summary().p10), three_digits(nearest->summary().p90))
                                  .c_str());
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) load_point(context, nearest->point);
    }
    ImPlot::EndPlot();
  }
  ImGui::PopFont();
}

}  // namespace

std::vector<std::string> sweep_variants(const PanelContext& context) {
  std::vector<std::string> ids = racing_variants(context.settings);
  std::erase_if(ids, [&](const std::string& id) {
    const Variant& variant = *find_variant(id);
    return variant.single_launch || (variant.group == VariantGroup::cpu) != !context.status.device.no_gpu.empty();
  });
  return ids;
}

void load_point(PanelContext& context, const BenchPoint& point) {
  context.settings.filter = point.filter;
  context.settings.auto_radius = false;  // the radius is the point's own
  context.settings.border = point.border;
  LaneSettings& lane = context.settings.lanes[0];
  const LaneSettings before = std::exchange(lane, point.lane);
  if (find_variant(lane.variant)) return;
  lane.variant = before.variant;  // peers are in no window
  lane.switches = before.switches;
}

void draw_sweep_progress(PanelContext& context) {
  const BenchStatus& bench = context.status.bench;
  const float share = bench.total > 0 ? static_cast<float>(bench.done) / static_cast<float>(bench.total) : 0;
  const float seconds = std::chrono::duration<float>(std::chrono::steady_clock::now() - bench.started).count();
  const std::string left = share > 0.02f ? fmt::format(" · {:.0f} s left", seconds / share - seconds) : "";
  flow("Cancel");
  if (ImGui::Button("Cancel")) context.commands.push_back(command::CancelBench{});
  tooltip("Keeps what was measured. Esc");
  ImGui::SameLine();
  ImGui::ProgressBar(share, {-1, 0},
                     fmt::format("{} of {}{} · {}", bench.done, bench.total, left, bench.doing).c_str());
}

void draw_bench(PanelContext& context) {
  if (!context.ui.shown.bench) return;
  if (ImGui::Begin("Bench", &context.ui.shown.bench)) {
    draw_choices(context);
    draw_progress(context);
    if (!shown_rows(context).empty()) {
      ImVec2 room = ImGui::GetContentRegionAvail();
      room.y = std::max(room.y, 160 * ImGui::GetStyle().FontScaleMain);  // the window scrolls where there is less
      const bool beside = room.x > 2 * room.y;
      const float gap = ImGui::GetStyle().ItemSpacing.x;
      draw_table(context, beside ? ImVec2((room.x - gap) / 2, room.y) : ImVec2(0, room.y / 2));
      if (beside) ImGui::SameLine();
      draw_plot(context, {ImGui::GetContentRegionAvail().x, beside ? room.y : room.y / 2 - gap});
    }
  }
  ImGui::End();
}

}  // namespace conv
