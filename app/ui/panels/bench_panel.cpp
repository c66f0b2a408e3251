// Sweeps: which one to run, and its results as a table and a plot.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/measure/bench_tables.h"
#include "app/measure/race_times.h"
#include "app/ui/panels/bench_table.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

// The settings that can be swept.
struct SweepAxis {
  std::string_view title;
  void (*spread)(FreeSweep&);
};
constexpr std::array sweep_axes{
    SweepAxis{"Radius 1 to 16",
              [](FreeSweep& sweep) {
                const FilterSpec filter = sweep.filters.front();
                sweep.filters.clear();
                const bool fixed = info(filter.kind).size == FilterSize::fixed;
                const int most = fixed ? 1 : std::min(16, radius_range(filter.kind).most);
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

// The window's filter, padding and format with the variants in the race.
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

std::string export_text(const PanelContext& context, bool csv) {
  const BenchEnvironment& environment = context.status.bench.results->environment;
  const auto rows = own_rows(context);
  if (!csv) return markdown_table(rows, environment, context.ui.panels.bench.clock);
  std::string text = csv_header();
  for (const BenchRow& row : rows) text += csv_line(row, environment);
  return text;
}

void draw_preset_choice(PanelContext& context, const std::string& id, BenchValue value, std::string_view tip) {
  BenchView& view = context.ui.panels.bench;
  if (ImGui::Selectable(std::string(title_of(id)).c_str(), view.shown == id)) {
    view.shown = id;
    view.value = value;
  }
  tooltip(tip);
}

// The choices for the sweep of the window's settings.
void draw_axis(BenchView& view) {
  ImGui::SameLine();
  ImGui::SetNextItemWidth(200 * ImGui::GetStyle().FontScaleMain);
  if (begin_combo("##axis", sweep_axes[view.axis].title)) {
    for (std::size_t i = 0; i < sweep_axes.size(); ++i)
      if (ImGui::Selectable(sweep_axes[i].title.data(), i == view.axis)) view.axis = i;
    ImGui::EndCombo();
  }
  tooltip("What to sweep over. Filter, padding, format and block are those of the window. Sigma follows the radius.");
}

// A sweep of the documents, or of the window's settings.
void draw_preset(PanelContext& context) {
  BenchView& view = context.ui.panels.bench;
  const bool on_gpu = context.status.device.no_gpu.empty();
  ImGui::SetNextItemWidth(300 * ImGui::GetStyle().FontScaleMain);
  if (begin_combo("##preset", title_of(view.shown))) {
    for (const BenchPreset& preset : bench_presets())
      if (!preset.peers || on_gpu || shows_shipped(context))  // copies and libraries need a GPU
        draw_preset_choice(context, std::string(preset.id), preset.value,
                           fmt::format("{}. {} On the command line: bench --preset {}.", with_title(preset.source),
                                       preset.notice, preset.id));
    draw_preset_choice(
        context, "sweep", BenchValue::ms,
        "The variants of the race with the current filter, padding and format, over the quantity chosen on the right.");
    ImGui::EndCombo();
  }
  tooltip("The documents' own sweeps, with their parameters.");
  if (view.shown == "sweep") draw_axis(view);
}

void draw_run_buttons(PanelContext& context) {
  BenchView& view = context.ui.panels.bench;
  const BenchProtocol protocol = protocol_of(view.quick, view.cools_down);
  const bool on_gpu = context.status.device.no_gpu.empty();
  flow("Run");
  const BenchPreset* chosen = find_preset(view.shown);
  const bool needs_gpu = chosen && chosen->peers && !on_gpu;
  ImGui::BeginDisabled(needs_gpu);
  if (ImGui::Button("Run"))
    context.commands.push_back(command::RunBench{
        {view.shown == "sweep" ? sweep_of(context, sweep_axes[view.axis]) : job_of(*find_preset(view.shown), on_gpu)},
        protocol});
  ImGui::EndDisabled();
  tooltip(needs_gpu ? "Copies and libraries need an NVIDIA GPU." : "The live view is paused meanwhile. Ctrl+Shift+B");
  flow("Run all");
  if (ImGui::Button("Run all")) {
    command::RunBench all{{}, protocol};
    for (const BenchPreset& preset : bench_presets())
      if (preset.published) all.jobs.push_back(job_of(preset, on_gpu));
    context.commands.push_back(std::move(all));
  }
  tooltip("Every sweep of the documents, one after the other: two minutes on a fast GPU.");
}

void draw_run(PanelContext& context) {
  BenchView& view = context.ui.panels.bench;
  draw_run_buttons(context);
  flow("Quick", true);
  ImGui::Checkbox("Quick", &view.quick);
  tooltip("16 rounds instead of 32, and host variants once.");
  if (!context.status.device.no_gpu.empty()) return;
  flow("Wait for cool-down", true);
  ImGui::Checkbox("Wait for cool-down", &view.cools_down);
  tooltip("Before each group of variants, wait while the GPU is throttling, at most 60 s.");
}

void draw_exports(PanelContext& context) {
  const BenchFigures& figures = figures_of(context);
  ImGui::BeginDisabled(own_rows(context).empty());
  flow("Copy CSV");
  if (ImGui::Button("Copy CSV")) context.commands.push_back(command::CopyText{export_text(context, true)});
  flow("Copy Markdown");
  if (ImGui::Button("Copy Markdown")) context.commands.push_back(command::CopyText{export_text(context, false)});
  ImGui::EndDisabled();
  ImGui::BeginDisabled(figures.rows.empty());
  flow("Save plot…");
  if (ImGui::Button("Save plot…")) {
    context.ui.panels.bench.plot_to_save = figures.chart;
    context.commands.push_back(command::ChooseSaveFile{command::What::plot});
  }
  ImGui::EndDisabled();
}

// The results file beside the own results. A new one is shown at once.
void draw_opened(PanelContext& context) {
  BenchView& view = context.ui.panels.bench;
  const auto& opened = context.status.opened_results;
  if (opened && std::exchange(view.last_opened, opened) != opened) {
    view.with_opened = true;
    if (rows_of(opened->rows, view.shown).empty()) {
      const auto known = std::ranges::find_if(
          opened->rows, [](const BenchRow& row) { return row.preset == "sweep" || find_preset(row.preset); });
      if (known != opened->rows.end()) view.shown = known->preset;
    }
  }
  if (opened) {
    flow("Opened file", true);
    ImGui::Checkbox("Opened file", &view.with_opened);
    tooltip(fmt::format("Show the results of {} beside those of this machine.", opened->question.path));
  }
  flow("Open results…");
  if (ImGui::Button("Open results…")) context.commands.push_back(command::ChooseFile{.results = true});
  tooltip("A file of convoscope bench --json, for example from another computer.");
}

void draw_choices(PanelContext& context) {
  BenchView& view = context.ui.panels.bench;
  const float scale = ImGui::GetStyle().FontScaleMain;
  draw_preset(context);
  if (!context.status.bench.running) draw_run(context);
  flow("With the copies");
  ImGui::SetNextItemWidth(190 * scale);
  combo("##clock", bench_clocks, view.clock, [](const BenchClockInfo& row) { return row.clock; });
  tooltip(bench_clocks[static_cast<std::size_t>(view.clock)].what);
  flow("times the first line");
  ImGui::SetNextItemWidth(150 * scale);
  combo("##value", bench_values, view.value, [](const BenchValueInfo& row) { return row.value; });
  tooltip("What the plot shows.");
  flow("NVIDIA H200", true);
  bool shipped = shows_shipped(context);
  if (ImGui::Checkbox("NVIDIA H200", &shipped)) view.with_shipped = shipped;
  tooltip("Show the results of an H200, which come with Convoscope, beside those of this machine.");
  draw_opened(context);
  draw_exports(context);
}

void draw_progress(PanelContext& context) {
  const BenchStatus& bench = context.status.bench;
  const Palette& p = context.look.colours;
  if (!bench.error.empty()) complaint(p, bench.error);
  if (bench.running) return draw_sweep_progress(context);
  const BenchPreset* preset = find_preset(context.ui.panels.bench.shown);
  const BenchFigures& figures = figures_of(context);
  std::string text = preset ? fmt::format("{}. {}", with_title(preset->source), preset->notice) : "";
  if (own_rows(context).empty()) text += " Not measured on this machine yet.";
  if (figures.first_opened > 0 && !figures.rows[figures.first_opened - 1].elsewhere.empty())
    text += fmt::format(" The rows of {} come with Convoscope.", figures.rows[figures.first_opened - 1].elsewhere);
  if (figures.opened && figures.rows.size() == figures.first_opened)
    text += fmt::format(" {} has none of these rows.", figures.opened->name);
  caption(text, p.quiet);
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
  context.settings.auto_radius = false;  // the radius is that of the point
  context.settings.border = point.border;
  LaneSettings& lane = context.settings.lanes[0];
  const LaneSettings before = std::exchange(lane, point.lane);
  if (find_variant(lane.variant)) return;
  lane.variant = before.variant;  // libraries cannot run in the window
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

// Side by side if there is space.
static void draw_table_and_plot(PanelContext& context) {
  ImVec2 room = ImGui::GetContentRegionAvail();
  room.y = std::max(room.y, 160 * ImGui::GetStyle().FontScaleMain);  // the window scrolls if there is less
  const bool beside = room.x > 2 * room.y;
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  draw_bench_table(context, beside ? ImVec2((room.x - gap) / 2, room.y) : ImVec2(0, room.y / 2));
  if (beside) ImGui::SameLine();
  draw_bench_plot(context, {ImGui::GetContentRegionAvail().x, beside ? room.y : room.y / 2 - gap});
}

void draw_bench(PanelContext& context) {
  if (!context.ui.shown.bench) return;
  if (ImGui::Begin("Bench", &context.ui.shown.bench)) {
    draw_choices(context);
    draw_progress(context);
    if (!figures_of(context).rows.empty()) draw_table_and_plot(context);
  }
  ImGui::End();
}

}  // namespace conv
