#include "app/ui/panels/bench_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/measure/bench_tables.h"
#include "app/measure/roofline.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

std::span<const BenchRow> own_rows(const PanelContext& context) {
  return rows_of(context.status.bench.results->rows, context.ui.panels.bench.shown);
}

bool shows_shipped(const PanelContext& context) {
  return context.ui.panels.bench.with_shipped.value_or(!context.status.device.no_gpu.empty());
}

std::string_view title_of(const std::string& shown) {
  const BenchPreset* preset = find_preset(shown);
  return preset ? preset->title : "A sweep of these settings";
}

namespace {

// Adds the cells of one row.
class LineWriter {
 public:
  LineWriter(const PanelContext& context, BenchFigures& figures, std::span<const BenchDimension* const> dimensions,
             bool singles)
      : context_(context), figures_(figures), dimensions_(dimensions), singles_(singles) {}

  // number: of the row. speedup: if there is one, beside the first line of its group.
  void write(const BenchRow& row, std::size_t number, std::optional<double> speedup) {
    line_ = &figures_.lines.emplace_back(BenchFigures::Line{.row = number});
    const auto place = static_cast<double>(number);  // dimensions are in the order of measurement
    for (const BenchDimension* dimension : dimensions_) add(dimension->text(row), place);
    add(row.point.lane.variant, NAN);
    if (const auto ms = row.time(figures_.clock))
      add_times(row, *ms, speedup, place);
    else
      add_reason(row);
  }

 private:
  void add(std::string text, double key) {
    line_->texts.push_back(std::move(text));
    line_->keys.push_back(key);
  }
  // A dash if there is no value; it is sorted as `otherwise`.
  void add(std::optional<double> value, double otherwise = HUGE_VAL) {
    add(value ? three_digits(*value) : "–", value.value_or(otherwise));
  }
  void add_reason(const BenchRow& row) {
    while (line_->texts.size() + 1 < figures_.headers.size()) add(std::nullopt);
    add(row.text.empty() ? "not measured with this clock" : row.text, HUGE_VAL);
  }
  void add_times(const BenchRow& row, double ms, std::optional<double> speedup, double place) {
    const Summary summary = row.summary();
    add(ms);
    const bool has_range = figures_.clock == BenchClock::median;
    add(has_range ? fmt::format("{} to {}", three_digits(summary.p10), three_digits(summary.p90)) : "–",
        summary.p90 - summary.p10);
    if (singles_) add(row.other.single_ms > 0 ? std::optional(row.other.single_ms) : std::nullopt);
    add(row.megapixels_per_s(figures_.clock));
    add(row.ns_per_multiply_add(figures_.clock));
    add(speedup, 0);
    const std::optional<double> model = model_ms(row);
    add(model ? prediction_text(*model, ms) : "–", model ? *model / ms : HUGE_VAL);
    add(row.checked_share == 1 ? "✓ all" : fmt::format("✓ {:.0f} % of rows", 100 * row.checked_share),
        row.checked_share);
    add(verdict_text(row), place);
  }
  std::optional<double> model_ms(const BenchRow& row) const {
    if (row.on_cpu() || figures_.clock != BenchClock::median) return std::nullopt;
    if (&row >= figures_.rows.data() + figures_.first_opened) return std::nullopt;  // of an unknown GPU
    if (!row.elsewhere.empty()) return predicted_ms(row.point, figures_.shipped->limits, figures_.shipped->ceilings);
    const auto& ceilings = context_.status.bench.ceilings;
    if (!ceilings) return std::nullopt;
    return predicted_ms(row.point, context_.status.device.limits, *ceilings);
  }

  const PanelContext& context_;
  BenchFigures& figures_;
  std::span<const BenchDimension* const> dimensions_;
  bool singles_;
  BenchFigures::Line* line_ = nullptr;
};

std::vector<std::string> headers_of(std::span<const BenchDimension* const> dimensions, bool singles) {
  std::vector<std::string> headers;
  for (const BenchDimension* dimension : dimensions) headers.emplace_back(dimension->title);
  for (const char* title : {"variant", "ms", "p10 to p90"}) headers.emplace_back(title);
  if (singles) headers.emplace_back("one alone, ms");
  for (const char* title : {"Mpx/s", "ns per mul-add", "× first", "model", "check", "verdict"})
    headers.emplace_back(title);
  return headers;
}

// The lines in the order chosen in the header.
std::vector<const BenchFigures::Line*> sorted_lines(const BenchFigures& figures) {
  std::vector<const BenchFigures::Line*> lines;
  for (const BenchFigures::Line& line : figures.lines) lines.push_back(&line);
  const ImGuiTableSortSpecs* sort = ImGui::TableGetSortSpecs();
  if (!sort || sort->SpecsCount == 0) return lines;
  const std::size_t column = sort->Specs->ColumnIndex;
  const bool falling = sort->Specs->SortDirection == ImGuiSortDirection_Descending;
  std::stable_sort(lines.begin(), lines.end(), [&](const auto* a, const auto* b) {
    if (falling) std::swap(a, b);
    return std::isnan(a->keys[column]) ? a->texts[column] < b->texts[column] : a->keys[column] < b->keys[column];
  });
  return lines;
}

void draw_line(PanelContext& context, const BenchFigures::Line& line, const BenchRow& row) {
  const Palette& p = context.look.colours;
  ImGui::PushID(static_cast<int>(line.row));
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  if (ImGui::Selectable(line.texts[0].c_str(), false, ImGuiSelectableFlags_SpanAllColumns))
    load_point(context, row.point);
  ImGui::PopFont();
  tooltip("Click: this filter, padding, format, block and variant in lane A.");
  for (std::size_t i = 1; i < line.texts.size(); ++i) {
    ImGui::TableNextColumn();
    number(context.look.fonts, line.texts[i], row.state == RowState::wrong ? p.fault : p.text, text_size::caption);
  }
  ImGui::PopID();
}

}  // namespace

const BenchFigures& figures_of(PanelContext& context) {
  BenchView& view = context.ui.panels.bench;
  BenchFigures& f = view.figures;
  const BenchStatus& bench = context.status.bench;
  const std::string ceilings = bench.ceilings ? bench.ceilings->date : "";
  context.ui.wants.shipped |= shows_shipped(context);
  const auto shipped = shows_shipped(context) ? context.status.shipped : nullptr;
  const auto opened = view.with_opened ? context.status.opened_results : nullptr;
  if (f.ceilings == ceilings && f.results == bench.results && f.shipped == shipped && f.opened == opened &&
      f.shown == view.shown && f.clock == view.clock && f.value == view.value)
    return f;
  const auto own = own_rows(context);
  f = {.results = bench.results,
       .shipped = shipped,
       .opened = opened,
       .ceilings = ceilings,
       .shown = view.shown,
       .clock = view.clock,
       .value = view.value,
       .rows = {own.begin(), own.end()}};
  const auto add_shown = [&](std::span<const BenchRow> all) {
    const auto more = rows_of(all, view.shown);
    f.rows.insert(f.rows.end(), more.begin(), more.end());
  };
  if (shipped) add_shown(shipped->results.rows);
  f.first_opened = f.rows.size();
  if (opened) add_shown(opened->rows);
  const BenchPreset* preset = find_preset(view.shown);
  f.chart = chart_of(f.rows, bench.results->environment,
                     preset ? preset->plot_title() : std::string(title_of(view.shown)), view.value, view.clock);
  const auto& rows = f.rows;
  const auto dimensions = dimensions_of(rows);
  const auto speedups = speedups_of(rows, view.clock);
  const bool singles =
      std::any_of(rows.begin(), rows.end(), [](const BenchRow& row) { return row.other.single_ms > 0; });
  f.headers = headers_of(dimensions, singles);
  LineWriter writer(context, f, dimensions, singles);
  for (std::size_t i = 0; i < rows.size(); ++i) writer.write(rows[i], i, speedups[i]);
  return f;
}

void draw_bench_table(PanelContext& context, ImVec2 size) {
  const BenchFigures& figures = figures_of(context);
  const auto& rows = figures.rows;
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX | ImGuiTableFlags_RowBg |
                                    ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate |
                                    ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;
  ImGui::PushFont(nullptr, text_size::caption);
  ImGui::PushStyleColor(ImGuiCol_TableHeaderBg, context.look.colours.panel);
  if (ImGui::BeginTable("rows", static_cast<int>(figures.headers.size()), flags, size)) {
    ImGui::TableSetupScrollFreeze(0, 1);
    for (const std::string& header : figures.headers) ImGui::TableSetupColumn(header.c_str());
    ImGui::TableHeadersRow();
    for (const BenchFigures::Line* line : sorted_lines(figures)) draw_line(context, *line, rows[line->row]);
    ImGui::EndTable();
  }
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

}  // namespace conv
